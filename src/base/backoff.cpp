// SPDX-License-Identifier: BSD-3-Clause
#include "base/backoff.hpp"

#include <limits.h>
#include <linux/futex.h>
#include <sched.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "base/config_values.hpp"

namespace uccs::base {
namespace {

constexpr uint32_t kSpinsWithRoom = 2000;
constexpr uint32_t kSpinsOversubscribed = 0;
/// The sleep reaches its full length after this many of the first length.
constexpr uint32_t kSleepsToFull = 16;

timespec to_timespec(uint64_t ns) {
  return {static_cast<time_t>(ns / 1000000000u), static_cast<long>(ns % 1000000000u)};
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
  // Not FUTEX_PRIVATE: the one who rings may be another process.
  syscall(SYS_futex, reinterpret_cast<uint32_t*>(doorbell), FUTEX_WAIT, seen, &duration, nullptr,
          0);
}

void wake_all(std::atomic<uint32_t>* doorbell) {
  syscall(SYS_futex, reinterpret_cast<uint32_t*>(doorbell), FUTEX_WAKE, INT_MAX, nullptr, nullptr,
          0);
}

}  // namespace uccs::base
