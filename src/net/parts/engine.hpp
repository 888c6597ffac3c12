// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include <poll.h>
#include <pthread.h>

#include <atomic>
#include <cstdint>

namespace uccs::net {

/// The thread that keeps an instance of a network going while the program computes: it takes in
/// what arrives and serves puts and gets of others where the library needs the CPU for it. It
/// sleeps on the library's wait objects, delivers nothing itself, and stays out of the way of
/// threads that poll.
class Engine {
 public:
  /// What to sleep on, filled anew for every turn.
  struct Watch {
    static constexpr nfds_t kMax = 128;
    pollfd fds[kMax];
    nfds_t count = 0;
    bool can_sleep = true;    ///< false: something cannot be waited for, look again soon
    bool has_events = false;  ///< true: look at once
    uint32_t polls = 0;       ///< sum of the counters of those who poll
    void add(int fd) {
      if (fd < 0 || count == kMax) {
        can_sleep = false;
      } else {
        fds[count++] = {fd, POLLIN, 0};
      }
    }
  };

  ~Engine() { stop(); }
  /// `collect` says what to wait for; `look` takes in what there is.
  bool start(void* user, void (*collect)(void* user, Watch& watch), void (*look)(void* user));
  void stop();

 private:
  static void* run(void* self);
  void turn();

  void* user_ = nullptr;
  void (*collect_)(void*, Watch&) = nullptr;
  void (*look_)(void*) = nullptr;
  std::atomic<bool> is_ending_ = false;
  uint32_t polls_seen_ = 0;
  int wake_fd_ = -1;
  pthread_t thread_ = {};
  bool is_running_ = false;
};

}  // namespace uccs::net
