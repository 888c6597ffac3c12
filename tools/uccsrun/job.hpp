// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include <signal.h>

#include <string>
#include <vector>

#include "input.hpp"
#include "options.hpp"
#include "output.hpp"
#include "report.hpp"
#include "rte/phase.hpp"
#include "server.hpp"
#include "spawn.hpp"

namespace uccs::run {

/// One job from its first process to its last. One thread, one epoll set.
class Job {
 public:
  Job(const Options& options, std::string program, const JobFiles& files, const rlimit& file_limit);
  ~Job();
  Job(const Job&) = delete;
  Job& operator=(const Job&) = delete;

  /// Starts the ECs, serves them and judges their ends. Returns the exit status of the job, when
  /// none of its processes is left.
  int run();

 private:
  static void on_end(void* user, int ec, int status, const std::string& message);
  static void on_misuse(void* user, int ec);

  bool prepare_signals();
  bool start_all();
  void handle(Event event, uint32_t events);
  void handle_signals();
  void pass_on(int signal_number);
  void stop_self(int signal_number);
  void report_states(const std::string& headline);
  void reap();
  void judge(int ec);
  void check_start_up();
  /// Ends the job with `status`; `spared_ec` is given time to end by itself.
  void begin_end(int status, int spared_ec);
  void note_failure(int status, const std::string& message);
  void on_time(uint64_t now);
  uint64_t next_time() const;
  bool is_over();
  void kill_all();

  rte::local::BoardEc& line(int ec) const { return *rte::local::board_ec(files_.board, ec); }
  rte::Phase phase(int ec) const;

  const Options& options_;
  JobFiles files_;
  SpawnPlan plan_;
  int epoll_fd_;
  int signal_fd_ = -1;
  Output output_;
  Input input_;
  Server server_;
  std::vector<EcState> ecs_;
  int running_ = 0;
  bool has_stragglers_ = true;  ///< processes below us that are no ECs may be left
  bool is_ending_ = false;
  bool is_aborted_ = false;  ///< by a second SIGINT: unwritten output is dropped
  int status_ = 0;
  int interrupts_ = 0;
  int passed_on_[8] = {};  ///< signals passed on to the ECs, which may end by them
  uint64_t start_ns_;
  uint64_t deadline_ns_ = UINT64_MAX;  ///< of --timeout
  uint64_t kill_ns_ = UINT64_MAX;      ///< when patience with ending processes is over
  uint64_t give_up_ns_ = UINT64_MAX;   ///< when even SIGKILL seems to be of no use
  uint64_t check_ns_ = UINT64_MAX;     ///< when to look at the start-up again
};

}  // namespace uccs::run
