// SPDX-License-Identifier: BSD-3-Clause
#include "base/backoff.hpp"

#include <limits.h>
#include <linux/futex.h>
#include <sched.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.hpp"
#include "base/config_values.hpp"

namespace uccs::base {
namespace {

constexpr uint32_t kSpinsWithRoom = 2000;
/// Up to 5 spins cost a barrier of 3 to 8 processes on 2 CPUs nothing (3 to 12 us), 50 twice, 2000
/// fifty times as much; none would take a system call for a partner that is about to answer.
constexpr uint32_t kSpinsOversubscribed = 0;  // tells others, too, that waiters should yield
constexpr uint32_t kYieldsPerLook = 64;
constexpr uint64_t kLongestYieldingNs = 20'000'000;
/// The sleep reaches its full length after this many of the first length.
constexpr uint32_t kSleepsToFull = 16;

timespec to_timespec(uint64_t ns) {
  return {static_cast<time_t>(ns / 1000000000u), static_cast<long>(ns % 1000000000u)};
}

/// Not FUTEX_PRIVATE: the other side may be another process.
void futex(std::atomic<uint32_t>* word, int operation, uint32_t value, const timespec* limit) {
  syscall(SYS_futex, reinterpret_cast<uint32_t*>(word), operation, value, limit, nullptr, 0);
}

}  // namespace

namespace detail {
constinit WaitPolicy wait_policy_in_force;
}

void set_wait_policy(int waiters, int cpus) {
  const int wished = config().spin;
  detail::wait_policy_in_force.spins =
      wished >= 0 ? static_cast<uint32_t>(wished)
                  : (waiters <= cpus ? kSpinsWithRoom : kSpinsOversubscribed);
}

void Backoff::pause_slow(std::atomic<uint32_t>* doorbell, uint32_t seen) {
  const WaitPolicy& policy = wait_policy();
  const uint32_t first_sleep = policy.spins + policy.yields;
  if (misses_ < first_sleep) {
    ++misses_;
    sched_yield();
    // On a busy machine each yield takes a time slice: then time decides, not the count.
    if (misses_ % kYieldsPerLook == 0) {
      const uint64_t now = now_ns();
      if (yielding_since_ns_ == 0) yielding_since_ns_ = now;
      if (now - yielding_since_ns_ > kLongestYieldingNs) misses_ = first_sleep;
    }
    return;
  }
  const uint32_t sleeps = misses_ - first_sleep;
  if (sleeps < kSleepsToFull) ++misses_;  // and no further: the count must not wrap
  const uint64_t full = policy.sleep_ns_max;
  const timespec duration = to_timespec(full / 4 + full * 3 / 4 * sleeps / kSleepsToFull);
  if (doorbell == nullptr) {
    nanosleep(&duration, nullptr);
    return;
  }
  futex(doorbell, FUTEX_WAIT, seen, &duration);
}

void block_while(std::atomic<uint32_t>* word, uint32_t value) {
  while (word->load(std::memory_order_acquire) == value) futex(word, FUTEX_WAIT, value, nullptr);
}

void wake_all(std::atomic<uint32_t>* doorbell) { futex(doorbell, FUTEX_WAKE, INT_MAX, nullptr); }

}  // namespace uccs::base
