// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include <time.h>

#include <cstdint>

namespace uccs::base {

/// Monotonic time in nanoseconds (about 20 ns a call).
inline uint64_t now_ns() {
  timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return static_cast<uint64_t>(t.tv_sec) * 1000000000u + static_cast<uint64_t>(t.tv_nsec);
}

}  // namespace uccs::base
