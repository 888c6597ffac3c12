// SPDX-License-Identifier: BSD-3-Clause
/// The end of a job: a meeting of all nodes. If all come, the job ends cleanly, otherwise whoever
/// called gasnet_exit ends it for the others.
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <array>

#include "base/clock.hpp"
#include "base/log.hpp"
#include "core/job.hpp"
#include "core/remote.hpp"
#include "models/gasnet/job.hpp"
#include "models/gasnet/waiting.hpp"
#include "rte/identity.hpp"
#include "uccs/rte.h"

namespace uccs::gasnet {
namespace {

/// How long gasnet_exit waits for the other nodes before it asks, and then before it ends, them.
/// The first is for nodes that come from the same barrier on a loaded machine.
constexpr uint64_t kGraceNs = 1000'000'000;
constexpr uint64_t kGraceOfErrorsNs = 200'000'000;
constexpr uint64_t kGraceOfSignalsNs = 1000'000'000;
constexpr uint64_t kGraceOfAnswersNs = 200'000'000;  ///< of nodes that share no memory

std::atomic<bool> is_exiting = false;
pid_t owner = 0;  // a child that a node forked is no node

/// This node needs no signal any more.
void come() {
  own_board->pid.store(0, std::memory_order_relaxed);
  come_to(Occasion::kExit, 1, 0);
}
bool has_everybody_come() { return is_over(Occasion::kExit, 1); }

/// Whether a process has a handler for SIGQUIT: its default would look like a crash.
bool handles_sigquit(pid_t pid) {
  std::array<char, 64> path;
  snprintf(path.data(), path.size(), "/proc/%d/status", static_cast<int>(pid));
  FILE* file = fopen(path.data(), "re");
  if (!file) return false;
  std::array<char, 256> line;
  unsigned long long caught = 0;
  while (fgets(line.data(), static_cast<int>(line.size()), file))
    if (sscanf(line.data(), "SigCgt: %llx", &caught) == 1) break;
  fclose(file);
  return (caught >> (SIGQUIT - 1) & 1) != 0;
}

bool send_signal(const Board& to) {
  const pid_t pid = to.pid.load(std::memory_order_acquire);
  return pid > 0 && handles_sigquit(pid) && kill(pid, SIGQUIT) == 0;
}

/// True when all nodes have come in time. Peers that send to this node still need it.
bool wait_for_all(uint64_t grace_ns) {
  const uint64_t deadline = base::now_ns() + grace_ns;
  base::Backoff backoff;
  while (!has_everybody_come()) {
    if (base::now_ns() > deadline || rte::job_is_ending()) return false;
    if (attached.map.nodes > 0) (void)uccs_progress(attached.context);
    backoff.pause();
  }
  return true;
}

/// Specification 2.1.5: a node is told by SIGQUIT that the job ends. True when somebody was told.
bool send_signals() {
  bool has_sent = false;
  const rte::Identity& me = rte::start();
  for (int node = me.node_first; node < me.node_first + me.node_size; ++node)
    if (node != me.ec) has_sent |= send_signal(*board_of(node));
  if (!core::job.is_spread) return has_sent;
  signal_others();
  (void)wait_for_all(kGraceOfAnswersNs);
  return has_sent || signalled() > 0 || has_everybody_come();
}

/// Whoever leaves closes connections; that is no failure once all know that all have come.
void part() {
  if (!core::job.is_spread) return;
  const uccs_status_t met = rte_fence();
  if (met != UCCS_OK)
    base::log_line(base::LogLevel::kInfo, "the end of the job: %s", uccs_status_string(met));
  core::expect_departures();
}

[[noreturn]] void leave(int exitcode) {
  rte::set_phase(rte::Phase::kFinalized);
  rte::finish();
  _exit(exitcode & 255);
}

/// A process that returns from main with 0 and without gasnet_exit: waits for the others, as they
/// may need it. With another status it is not waited for: the launcher then ends the job.
void at_exit(int status, void*) {
  if (status != 0 || getpid() != owner || rte::job_is_ending() || is_exiting.exchange(true)) return;
  come();
  if (attached.map.nodes > 0) {
    wait_for("exit, for the other nodes", has_everybody_come);
  } else {
    for (base::Backoff backoff; !has_everybody_come() && !rte::job_is_ending();) backoff.pause();
  }
  part();
  rte::set_phase(rte::Phase::kFinalized);
}

}  // namespace

bool raise_quit() { return send_signal(*own_board); }

void watch_exit() {
  owner = getpid();
  on_exit(at_exit, nullptr);
}

}  // namespace uccs::gasnet

using namespace uccs;
using namespace uccs::gasnet;

extern "C" void gasnet_exit(int exitcode) {
  if (!is_started() || getpid() != owner) exit(exitcode & 255);
  while (is_exiting.exchange(true)) pause();  // another thread is at it
  fflush(nullptr);
  come();
  bool is_clean = wait_for_all(exitcode == 0 ? kGraceNs : kGraceOfErrorsNs);
  if (!is_clean && !rte::job_is_ending() && send_signals())
    is_clean = wait_for_all(kGraceOfSignalsNs);
  if (!is_clean || exitcode != 0) rte::end_job(exitcode & 255, nullptr);
  part();
  leave(exitcode);
}
