// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include <poll.h>
#include <pthread.h>

#include <atomic>
#include <bitset>
#include <cstddef>
#include <cstdint>

#include "net/parts/mover.hpp"

namespace uccs::net {

/// Operations that are long enough for their threads to look after what else moves.
constexpr size_t kLongBytes = 128 << 10;

/// The threads that keep an instance of a network going while the program computes: they take in
/// what arrives and serve puts and gets of others where the library needs the CPU for it. They
/// sleep on the library's wait objects, deliver nothing themselves, and stay out of the way while
/// the program's threads poll often. There is one for each lane, else all threads of a peer would
/// wait for one here, where as many processes had one each, and lanes that somebody polls would
/// hide those that nobody does.
class Engine {
 public:
  static constexpr nfds_t kWatchedMax = 256;
  static constexpr int kThreadsMax = 8;
  /// What one of the threads looks after, by the numbers that the network gives.
  struct Share {
    int index = 0;
    int count = 1;
    bool has(int number) const { return number % count == index; }
  };
  /// What to sleep on, filled anew for every turn.
  struct Watch {
    Share share;
    pollfd fds[kWatchedMax];
    int numbers[kWatchedMax];
    nfds_t count = 0;
    bool can_sleep = true;    ///< false: something cannot be waited for, look again soon
    bool has_events = false;  ///< true: look at once
    /// `number`: of the share.
    void add(int fd, int number) {
      if (fd < 0 || count == kWatchedMax || number >= static_cast<int>(kWatchedMax)) {
        can_sleep = false;
      } else {
        numbers[count] = number;
        fds[count++] = {fd, POLLIN, 0};
      }
    }
  };

  /// What to look at. Each look may be a system call or more, so after a sleep only what has woken
  /// the thread is looked at, and all from time to time.
  struct Look {
    Share share;
    bool is_at_all = true;  ///< of the share
    std::bitset<kWatchedMax> numbers;
    bool is_at(int number) const {
      const auto index = static_cast<size_t>(number);
      return share.has(number) && (is_at_all || (index < kWatchedMax && numbers[index]));
    }
    /// Something has come, be it only a put of another EC, which leaves no trace but in the memory
    /// that somebody may wait for.
    bool was_woken = false;
  };

  /// What has happened in a share, ever.
  struct Counts {
    uint32_t polls = 0;       ///< by those who poll what is in it
    uint32_t long_posts = 0;  ///< operations that the program has posted
  };

  struct Duties {
    void* user;
    /// The program's threads want all CPUs: every look takes one from them.
    bool shares_cpus;
    /// Called for every turn.
    Counts (*count)(void* user, const Share& share);
    /// What to wait for.
    void (*collect)(void* user, Watch& watch);
    /// Takes in what there is. Returns how many short messages that were, as far as the network
    /// tells.
    int (*look)(void* user, const Look& look);
  };

  ~Engine() { stop(); }
  /// At most kThreadsMax threads.
  bool start(const Duties& duties, int threads);
  void stop();
  /// The program has polled what has that number `before` times, and now `polls` times. Who polls
  /// often takes in what comes before the thread that sleeps on it runs, and each message would
  /// wake that for nothing: for 20 us each, until its sleep is over. So it is called away, once.
  void note_polls(int number, uint32_t before, uint32_t polls) {
    if (before / kPollsPerCall != polls / kPollsPerCall && count_ > 0)
      threads_[number % count_].note_polls();
  }

 private:
  static constexpr uint32_t kPollsPerCall = 8;

  class alignas(64) Thread {
   public:
    ~Thread();
    bool start(Engine* engine, const Share& share);
    void wake();
    void join() { pthread_join(thread_, nullptr); }
    void note_polls() {
      if (is_asleep_.load(std::memory_order_relaxed)) call_away();
    }

   private:
    static void* run(void* self);
    void turn();
    void call_away();
    bool sleep(Watch* watch);
    bool is_attended();
    bool is_helped() const;
    void stay_aside();
    uint64_t look_for_bulk(Look& look);

    Engine* engine_ = nullptr;
    Share share_;
    Counts counted_;
    uint64_t turn_ns_ = 0;        ///< when that was
    uint64_t polled_ns_ = 0;      ///< when there were more polls
    uint64_t unattended_ns_ = 0;  ///< when nobody else polled often
    uint64_t attended_ns_ = 0;    ///< when somebody did
    uint64_t began_ns_ = 0;       ///< when they had begun to, if they still do; else 0
    uint64_t stretch_ns_ = 0;     ///< how long they did the last time, at least
    uint64_t looked_ns_ = 0;      ///< last look at all
    uint64_t bulk_ns_ = 0;        ///< when many bytes last moved; 0: never
    uint64_t long_ns_ = 0;        ///< last look that was long, if only by the clock; 0: none
    pthread_t thread_ = {};
    int wake_fd_ = -1;
    Mover mover_;
    // Looked at by who polls. Asleep on what may come: who takes that back calls the thread away.
    alignas(64) std::atomic<bool> is_asleep_ = false;
    std::atomic<uint64_t> called_ns_ = 0;  ///< when somebody has last thought of that
  };

  Duties duties_ = {};
  std::atomic<bool> is_ending_ = false;
  int count_ = 0;    ///< of `threads_`
  int running_ = 0;  ///< of those
  Thread threads_[kThreadsMax];
};

}  // namespace uccs::net
