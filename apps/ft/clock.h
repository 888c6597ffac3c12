// SPDX-License-Identifier: BSD-3-Clause
#ifndef FT_CLOCK_H_
#define FT_CLOCK_H_

#include <time.h>

// Seconds since some fixed moment.
static inline double clock_seconds(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

#endif  // FT_CLOCK_H_
