// SPDX-License-Identifier: BSD-3-Clause
/* What the programs of this folder share: each line they print is a name, bytes and nanoseconds. */
#pragma once
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum {
  kRounds = 9,
  kLarge = 1 << 20,
  kBurst = 256,
  kLargeBurst = 8,
  kPage = 4096,
  kPageBurst = 64
};

static inline double now_ns(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

static inline int by_value(const void* a, const void* b) {
  const double x = *(const double*)a, y = *(const double*)b;
  return (x > y) - (x < y);
}

static inline double time_calls(void (*call)(void), long calls) {
  const double begin = now_ns();
  for (long i = 0; i < calls; ++i) call();
  return (now_ns() - begin) / (double)calls;
}

/* How many calls make a round of a line that takes `seconds`. */
static inline long calls_for(double seconds, double ns_once) {
  const double calls = seconds * 1e9 / kRounds / ns_once;
  return calls < 1 ? 1 : (long)calls;
}

/* The median of the rounds; `per` operations are in one call. */
static inline void print_line(const char* name, size_t bytes, double* times, int per) {
  qsort(times, kRounds, sizeof *times, by_value);
  printf("%s %zu %.1f\n", name, bytes, times[kRounds / 2] / per);
  fflush(stdout);
}
