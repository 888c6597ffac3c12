// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include <time.h>

#include <cstdint>

namespace uccs::base {

namespace detail {
inline uint64_t read_clock(clockid_t clock) {
  timespec t;
  clock_gettime(clock, &t);
  return static_cast<uint64_t>(t.tv_sec) * 1000000000u + static_cast<uint64_t>(t.tv_nsec);
}
}  // namespace detail

/// Monotonic time in nanoseconds (about 20 ns a call).
inline uint64_t now_ns() { return detail::read_clock(CLOCK_MONOTONIC); }

/// What the calling thread has had of a CPU, in nanoseconds (a system call).
inline uint64_t thread_cpu_ns() { return detail::read_clock(CLOCK_THREAD_CPUTIME_ID); }

}  // namespace uccs::base
