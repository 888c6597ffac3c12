// SPDX-License-Identifier: BSD-3-Clause
#include <gasnet_tools.h>
#include <sched.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>

#include "base/backoff.hpp"
#include "base/clock.hpp"
#include "base/cpus.hpp"
#include "rte/identity.hpp"

namespace {

/// The least time between two readings, in nanoseconds.
double least_difference() {
  uint64_t least = UINT64_MAX;
  for (int i = 0; i < 100; ++i) {
    const uint64_t first = uccs::base::now_ns();
    uint64_t second;
    do second = uccs::base::now_ns();
    while (second == first);
    least = std::min(least, second - first);
  }
  return static_cast<double>(least);
}

double mean_cost() {
  constexpr int kReadings = 1000;
  const uint64_t start = uccs::base::now_ns();
  uint64_t last = start;
  for (int i = 0; i < kReadings; ++i) last = uccs::base::now_ns();
  return static_cast<double>(last - start) / kReadings;
}

}  // namespace

extern "C" {

gasnett_tick_t gasnett_ticks_now(void) { return uccs::base::now_ns(); }
double gasnett_tick_granularity(void) { return least_difference() / 1000; }
double gasnett_tick_overhead(void) { return mean_cost() / 1000; }

void gasnett_nsleep(uint64_t nanoseconds) {
  const uint64_t end = uccs::base::now_ns() + nanoseconds;
  while (uccs::base::now_ns() < end) uccs::base::cpu_pause();
}

int gasnett_cpu_count(void) { return uccs::base::usable_cpus(); }

// It is known on every system that UCCS runs on.
uint64_t gasnett_getPhysMemSz(int) {
  return static_cast<uint64_t>(sysconf(_SC_PHYS_PAGES)) *
         static_cast<uint64_t>(sysconf(_SC_PAGESIZE));
}

const char* gasnett_gethostname(void) { return uccs::rte::start().host; }

void gasnett_sched_yield(void) { sched_yield(); }
void gasnett_flush_streams(void) {
  fflush(stdout);
  fflush(stderr);
}

}  // extern "C"
