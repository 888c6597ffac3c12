// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include <atomic>
#include <cstdint>

namespace uccs::base {

/// How long waiting loops of this process spin before they give the CPU away. Set once at start-up
/// from the CPUs and the ECs that share them: with more waiters than CPUs every spin steals the
/// time slice of the EC that is waited for, so the budget is 0 (a barrier of 8 ECs on 2 CPUs: 10 us
/// instead of 12 ms).
struct WaitPolicy {
  uint32_t spins = 2000;    ///< polls with `pause` between them before the first yield
  uint32_t yields = 20000;  ///< polls with sched_yield between them before the first sleep
  /// Longest single sleep. Shorter ones than 0.4 ms may stop other programs: Linux 6.18 forgets the
  /// CPU time of a process (a scheduling group) whose threads sleep that often while others of it
  /// yield, and gives it nearly all, for seconds.
  uint32_t sleep_ns_max = 1000000;
  /// How sleeping threads are waited for instead of by nanosleep; nullptr: not at all.
  bool (*sleep)(uint64_t ns) = nullptr;
};

namespace detail {
extern WaitPolicy wait_policy_in_force;

/// Misses of this thread before its next yield, if fewer than the policy's: what its last yields
/// taught it. At first enough for a partner that is about to answer, then one yield to see.
extern thread_local constinit uint32_t spin_limit [[gnu::tls_model("initial-exec")]];
}  // namespace detail

/// For jobs that wait for networks: a CPU that nobody else wants goes on looking for a second
/// before it sleeps, because a sleeper answers its peers tens of microseconds late. `sleep` is
/// called in the place of nanosleep, and ends early, with true, when something arrives: then the
/// waiter yields for a while again, longer if the CPU turns out to be free. nullptr: no more. As
/// set_wait_policy.
void set_far_waiting(bool (*sleep)(uint64_t ns));

/// The policy in force.
inline const WaitPolicy& wait_policy() { return detail::wait_policy_in_force; }

/// Chooses the policy; `waiters` = ECs (and communicating threads) that share `cpus`. The setting
/// UCCS_SPIN overrides the spins. Before waiting starts: waiting threads read the policy unlocked.
void set_wait_policy(int waiters, int cpus);

inline void cpu_pause() {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  asm volatile("yield");
#endif
}

/// The one way to wait: poll, call `pause()` after every miss. Spins, then yields, then sleeps for
/// a bounded time. A local object per wait; costs nothing until the first miss.
///
/// The policy knows the ECs that share the CPUs, not their threads nor what else runs. So yields
/// are timed: one that took as long as two switches found somebody waiting for this CPU, and the
/// thread yields at once from then on, until yields come back quickly again.
class Backoff {
 public:
  /// After a miss. The inline part is the spin only. The pause is there from the first miss on:
  /// without it the poll takes the line back from the writer, and a hand-over that takes 35 ns took
  /// 300.
  void pause() {
    if (is_spinning()) {
      ++misses_;
      cpu_pause();
      return;
    }
    pause_slow(nullptr, 0);
  }

  /// So many looks were in vain before the next pause, besides the one that it comes after.
  void note_looks(uint32_t looks) { misses_ += looks; }

  /// For loops that nobody would wake: yields on a crowded CPU, else only now and then, to see.
  /// Sleeps where a crowd has let it wait in vain for long, so that the kernel lets others run.
  void pause_awake() {
    ++misses_;
    if (misses_ % kLooksPerYield != 0 && !is_crowded()) {
      cpu_pause();
    } else {
      yield_awake();
    }
  }

  /// As `pause`, but the sleep is a futex wait on `*doorbell` while it still holds `seen`: whoever
  /// rings (increments and wakes) ends it early. Sleeps stay bounded, so a ring that is missed
  /// costs at most `sleep_ns_max`.
  void pause_on(std::atomic<uint32_t>* doorbell, uint32_t seen) {
    if (is_spinning()) {
      ++misses_;
      cpu_pause();
      return;
    }
    pause_slow(doorbell, seen);
  }

  /// True once the next pause would sleep: the moment for the waiter to announce itself.
  bool will_sleep() const { return misses_ >= wait_policy().spins + wait_policy().yields; }

  /// True while the next pause would neither yield nor sleep.
  bool is_spinning() const { return misses_ < wait_policy().spins && misses_ < detail::spin_limit; }

  /// True when others wait for the CPU of this thread, as far as it knows.
  static bool is_crowded() { return wait_policy().spins == 0 || detail::spin_limit == 0; }

  void reset() {
    misses_ = 0;
    next_yield_ = kLooksPerYield;
    yielding_since_ns_ = 0;
  }

 private:
  static constexpr uint32_t kLooksPerYield = 64;
  static uint64_t yield_timed();
  bool yields_longer_than(uint64_t limit_ns);
  void yield_awake();
  void pause_slow(std::atomic<uint32_t>* doorbell, uint32_t seen);
  uint32_t misses_ = 0;
  uint32_t next_yield_ = kLooksPerYield;  ///< of who waits patiently: misses
  uint64_t yielding_since_ns_ = 0;        ///< 0: not yet
};

/// Sleeps until `*word` no longer holds `value`, and `wake_all` was called for it: for events that
/// are far away, such as a launcher's answer. Does not spin.
void block_while(std::atomic<uint32_t>* word, uint32_t value);
/// The same for at most `limit_ns`; may return early.
void block_while(std::atomic<uint32_t>* word, uint32_t value, uint64_t limit_ns);

void sleep_for(uint64_t ns);

/// Wakes all that sleep on `*doorbell`, in this process and in others that map it.
void wake_all(std::atomic<uint32_t>* doorbell);

}  // namespace uccs::base
