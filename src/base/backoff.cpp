// SPDX-License-Identifier: BSD-3-Clause
#include "base/backoff.hpp"

#include <limits.h>
#include <linux/futex.h>
#include <sched.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>

#include "base/clock.hpp"
#include "base/config_values.hpp"

namespace uccs::base {
namespace {

constexpr uint32_t kSpinsWithRoom = 2000;
/// Up to 5 spins cost a barrier of 3 to 8 processes on 2 CPUs nothing (3 to 12 us), 50 twice, 2000
/// fifty times as much; none would take a system call for a partner that is about to answer.
constexpr uint32_t kSpinsOversubscribed = 0;        // tells others, too, that waiters should yield
constexpr uint32_t kFarYields = uint32_t{1} << 30;  // time decides
/// A look at a network is a system call, so 2000 are a millisecond in which the thread that is to
/// answer, or one that brings it the message, may wait for this CPU.
constexpr uint32_t kFarSpins = 8;

/// Spins before the first yield of a thread: 64 pauses are one or two microseconds.
constexpr uint32_t kSpinsToProbe = 64;
/// A yield with nobody waiting takes 0.2 to 0.6 us, one with a process waiting 2.5 us. So do some
/// that an interrupt or the host of a virtual machine breaks into: the kernel's count tells.
constexpr uint64_t kSwitchNs = 1200;
/// Quick yields in a row after which a thread spins again.
constexpr uint32_t kQuickYieldsToSpin = 16;
constexpr uint64_t kLongestYieldingNs = 20'000'000;
/// The same where CPUs have nothing else to do and the wait is for a network.
constexpr uint64_t kLongestFarYieldingNs = 1'000'000'000;
/// Who was woken by what has arrived looks for more for at least so long.
constexpr uint64_t kMoreFollowsNs = 200'000;
/// A sleep is this part of the time waited so far, and so is what nobody's wake-up can cost.
constexpr uint64_t kSleepsPerWait = 50;
constexpr uint64_t kShortestSleepNs = 50'000;
/// Looks in vain in a row of who does nothing else.
constexpr uint32_t kLooksOfLoop = 8;

timespec to_timespec(uint64_t ns) {
  return {static_cast<time_t>(ns / 1000000000u), static_cast<long>(ns % 1000000000u)};
}

/// Not FUTEX_PRIVATE: the other side may be another process.
void futex(std::atomic<uint32_t>* word, int operation, uint32_t value, const timespec* limit) {
  syscall(SYS_futex, reinterpret_cast<uint32_t*>(word), operation, value, limit, nullptr, 0);
}

/// How often the CPU was taken from this thread while it could have run.
long switches_of_thread() {
  rusage usage = {};
  getrusage(RUSAGE_THREAD, &usage);
  return usage.ru_nivcsw;
}

}  // namespace

namespace detail {
constinit WaitPolicy wait_policy_in_force;
thread_local constinit uint32_t spin_limit = kSpinsToProbe;
}  // namespace detail

void set_wait_policy(int waiters, int cpus) {
  const int wished = config().spin;
  detail::wait_policy_in_force.spins =
      wished >= 0 ? static_cast<uint32_t>(wished)
                  : (waiters <= cpus ? kSpinsWithRoom : kSpinsOversubscribed);
}

void set_far_waiting(bool (*sleep)(uint64_t ns)) {
  WaitPolicy& policy = detail::wait_policy_in_force;
  policy.sleep = sleep;
  policy.yields = sleep ? kFarYields : WaitPolicy{}.yields;
  // The spins stay at the end: the job's progress thread may still read them.
  if (sleep && config().spin < 0) policy.spins = std::min(policy.spins, kFarSpins);
}

/// Returns when it was over.
uint64_t Backoff::yield_timed() {
  static thread_local constinit uint32_t quick_yields = 0;
  const bool was_crowded = detail::spin_limit == 0;
  const long switches = was_crowded ? 0 : switches_of_thread();
  const uint64_t start = now_ns();
  sched_yield();
  const uint64_t end = now_ns();
  const bool is_slow = end - start > kSwitchNs;
  if (is_slow && (was_crowded || switches_of_thread() != switches)) {
    detail::spin_limit = 0;
    quick_yields = 0;
  } else if (detail::spin_limit > 0 || ++quick_yields >= kQuickYieldsToSpin) {
    detail::spin_limit = ~uint32_t{0};
  }
  return end;
}

/// Yields, and says whether this wait has done so for longer than `limit_ns`.
bool Backoff::yields_longer_than(uint64_t limit_ns) {
  const uint64_t now = yield_timed();
  if (yielding_since_ns_ == 0) yielding_since_ns_ = now;
  return now - yielding_since_ns_ > limit_ns;
}

void Backoff::yield_awake() {
  const bool is_long = yields_longer_than(kLongestYieldingNs) && misses_ >= kLooksOfLoop;
  if (!is_long || !is_crowded()) return;
  sleep_for(wait_policy().sleep_ns_max);
  reset();
}

void Backoff::pause_slow(std::atomic<uint32_t>* doorbell, uint32_t seen) {
  const WaitPolicy& policy = wait_policy();
  const uint32_t first_sleep = policy.spins + policy.yields;
  if (misses_ < first_sleep) {
    ++misses_;
    const bool is_patient = policy.sleep && !is_crowded();
    if (is_patient && misses_ < next_yield_) return;  // a look is a call of the kernel
    next_yield_ = misses_ + kLooksPerYield;
    // On a busy machine each yield takes a time slice: then time decides, not the count.
    if (yields_longer_than(is_patient ? kLongestFarYieldingNs : kLongestYieldingNs))
      misses_ = first_sleep;
    return;
  }
  const uint64_t waited_ns = yielding_since_ns_ == 0 ? 0 : now_ns() - yielding_since_ns_;
  const uint64_t ns =
      std::clamp(waited_ns / kSleepsPerWait, kShortestSleepNs, uint64_t{policy.sleep_ns_max});
  if (doorbell != nullptr) {
    block_while(doorbell, seen, ns);
  } else if (policy.sleep) {
    if (policy.sleep(ns)) {  // more may follow; the next look at the time decides
      misses_ = policy.spins;
      yielding_since_ns_ = now_ns() - kLongestYieldingNs + kMoreFollowsNs;
    }
  } else {
    sleep_for(ns);
  }
}

void block_while(std::atomic<uint32_t>* word, uint32_t value) {
  while (word->load(std::memory_order_acquire) == value) futex(word, FUTEX_WAIT, value, nullptr);
}

void block_while(std::atomic<uint32_t>* word, uint32_t value, uint64_t limit_ns) {
  const timespec limit = to_timespec(limit_ns);
  futex(word, FUTEX_WAIT, value, &limit);
}

void sleep_for(uint64_t ns) {
  const timespec duration = to_timespec(ns);
  nanosleep(&duration, nullptr);
}

void wake_all(std::atomic<uint32_t>* doorbell) { futex(doorbell, FUTEX_WAKE, INT_MAX, nullptr); }

}  // namespace uccs::base
