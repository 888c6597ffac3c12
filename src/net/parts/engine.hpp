// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include <poll.h>
#include <pthread.h>

#include <atomic>
#include <cstdint>

namespace uccs::net {

/// The thread that keeps an instance of a network going while the program computes: it takes in
/// what arrives and serves puts and gets of others where the library needs the CPU for it. It
/// sleeps on the library's wait objects, delivers nothing itself, and stays out of the way while
/// threads poll often.
class Engine {
 public:
  /// What to sleep on, filled anew for every turn.
  struct Watch {
    static constexpr nfds_t kMax = 128;
    pollfd fds[kMax];
    nfds_t count = 0;
    bool can_sleep = true;    ///< false: something cannot be waited for, look again soon
    bool has_events = false;  ///< true: look at once
    void add(int fd) {
      if (fd < 0 || count == kMax) {
        can_sleep = false;
      } else {
        fds[count++] = {fd, POLLIN, 0};
      }
    }
  };

  struct Duties {
    void* user;
    /// The sum of the counters of those who poll. Called for every turn.
    uint32_t (*polls)(void* user);
    /// What to wait for.
    void (*collect)(void* user, Watch& watch);
    /// Takes in what there is. `was_woken`: something has come, be it only a put of another EC,
    /// which leaves no trace but in the memory that somebody may wait for.
    void (*look)(void* user, bool was_woken);
  };

  ~Engine() { stop(); }
  bool start(const Duties& duties);
  void stop();

 private:
  static void* run(void* self);
  void turn();
  bool is_attended();

  Duties duties_ = {};
  std::atomic<bool> is_ending_ = false;
  uint32_t polls_seen_ = 0;
  uint64_t turn_ns_ = 0;    ///< when they were seen
  uint64_t looked_ns_ = 0;  ///< last look while others polled
  int wake_fd_ = -1;
  pthread_t thread_ = {};
  bool is_running_ = false;
};

}  // namespace uccs::net
