// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include <atomic>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "rte/exchange.hpp"
#include "rte/hub/door.hpp"
#include "rte/hub/places.hpp"
#include "rte/hub/stream.hpp"
#include "rte/phase.hpp"

namespace uccs::rte::hub {

/// The meeting point of a job that another launcher started; lives in the process of rank 0. First
/// `gather` lets all ranks in and tells each its place; then `run` serves the job's exchange
/// (key-value store, fence, mailboxes) in a thread and notices whose process has gone.
class Hub {
 public:
  Hub(const Secret& secret, int size);

  Door& door() { return door_; }
  /// Rank 0 itself, over one end of a socket pair.
  void add_own(int fd);
  /// Waits until all ranks have said who they are, and tells them. Ends the process past the
  /// deadline, naming who is missing. Closes the door.
  void gather(uint64_t deadline_ns);
  /// Starts the thread, once.
  void start();
  /// Waits until nobody is left who could still ask, at most until the deadline.
  void linger(uint64_t deadline_ns);
  /// The job is ending: connections that break are no news.
  void note_ending() { is_ending_.store(true, std::memory_order_relaxed); }

 private:
  enum class State : uint8_t { kAbsent, kProved, kJoined, kGone };
  struct Member {
    Stream stream;
    State state = State::kAbsent;
    Phase phase = Phase::kStarted;
    uint64_t lost_ns = 0;  ///< when its connection broke though others may wait for it; 0: not
    bool is_reported = false;
  };

  static void* run(void* self);
  static void send_reply(void* self, int ec, const Packet& reply);
  void poll_once(int limit_ms);
  void admit(const Door::Guest& guest);
  void read_hello(int rank);
  void place_all();
  [[noreturn]] void give_up();
  void serve(int ec);
  void handle(int ec, const Packet& packet);
  void lose(int ec);
  void judge();
  std::string name(int ec) const;
  bool is_anybody_left() const;

  int size_;
  Door door_;
  Exchange exchange_;
  std::vector<Member> members_;  ///< by rank while gathering, then by EC
  std::vector<Hello> hellos_;    ///< by rank
  std::vector<Node> nodes_;
  std::vector<pollfd> polled_;
  std::vector<int> polled_members_;
  int joined_ = 0;
  bool is_placed_ = false;
  std::atomic<bool> is_running_{false};
  std::atomic<bool> is_ending_{false};
  std::atomic<bool> has_others_{true};  ///< somebody else may still ask
};

}  // namespace uccs::rte::hub
