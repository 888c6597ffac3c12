// SPDX-License-Identifier: BSD-3-Clause
/* Many fetch-adds under way at a time, to an EC that computes: each takes no longer than where few
 * are. What looks at a queue takes some of what is in it, and whoever then sleeps until more comes
 * leaves the rest there for ten milliseconds; who takes many short messages for a few long ones
 * naps for one. */
#include <time.h>

#include "common.h"

enum { kFew = 8, kMany = 64, kOperations = 2048, kRounds = 5 };
static const double kTimesMost = 1.25; /* half of them or less is usual */

static int64_t counter, is_over, fetched[kMany];

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static void add_window(int count) {
  uccs_status_t status;
  for (int i = 0; i < count; ++i)
    POST_REQUEST(status, uccs_atomic_fadd_int64_nb(peers[1], UCCS_REGION_SYMMETRIC, &counter, 1,
                                                   &fetched[i], NULL));
  CHECK_OK(uccs_flush(&peers[1], 1));
}

/* Seconds of an operation: the best of some rounds, since others use the machine, too. */
static double seconds_in_windows_of(int count) {
  double best = 1e9;
  for (int round = 0; round < kRounds; ++round) {
    const double begin = now();
    for (int done = 0; done < kOperations; done += count) add_window(count);
    const double took = (now() - begin) / kOperations;
    if (took < best) best = took;
  }
  return best;
}

int main(void) {
  start();
  CHECK(n == 2);
  add_window(1);
  barrier();
  if (me == 0) {
    const double few = seconds_in_windows_of(kFew), many = seconds_in_windows_of(kMany);
    printf("a fetch-add takes %.1f us in windows of %d, %.1f us in windows of %d\n", few * 1e6,
           kFew, many * 1e6, kMany);
    CHECK(many < kTimesMost * few);
    DO(uccs_atomic_set_int64_nb(peers[1], UCCS_REGION_SYMMETRIC, &is_over, 1, &request));
  } else {
    const struct timespec nap = {0, 1000000};
    while (__atomic_load_n(&is_over, __ATOMIC_ACQUIRE) == 0) nanosleep(&nap, NULL);
    CHECK(counter == 2 * kRounds * kOperations + 2);
  }
  stop();
  return 0;
}
