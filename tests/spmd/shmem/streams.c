// SPDX-License-Identifier: BSD-3-Clause
/* Long puts one after the other for a good while, longer than who waits looks before it sleeps.
 * They arrive whole; and, over UCX, the target, which waits in a barrier, takes them in awake: it
 * slept about once for each, and a megabyte took four times as long. */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <time.h>

#include "common.h"

enum { kWords = 1 << 17, kBurst = 4 };
static const double kSeconds = 0.3;

static long data[2][kWords], sent;

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

/* How often this thread has slept. */
static long sleeps(void) {
  struct rusage used;
  CHECK(getrusage(RUSAGE_THREAD, &used) == 0);
  return used.ru_nvcsw;
}

static void stream(void) {
  static long source[kWords];
  long count = 0;
  for (const double end = now() + kSeconds; now() < end; ++count) {
    for (int i = 0; i < kWords; i += 512) source[i] = count + i;
    for (int k = 0; k < kBurst; ++k) shmem_long_put_nbi(data[k % 2], source, kWords, 1);
    shmem_quiet();
  }
  for (int i = 0; i < kWords; ++i) source[i] = 7 * i;
  shmem_long_put_nbi(data[0], source, kWords, 1);
  shmem_quiet();
  shmem_long_p(&sent, count * kBurst, 1);
}

int main(void) {
  shmem_init();
  const int me = shmem_my_pe();
  CHECK(shmem_n_pes() == 2);
  shmem_barrier_all();
  const long before = sleeps();
  if (me == 0) stream();
  shmem_barrier_all();
  if (me == 1) {
    const long slept = sleeps() - before;
    const char* network = getenv("UCCS_NET");
    printf("%ld puts, %ld sleeps\n", sent, slept);
    for (int i = 0; i < kWords; ++i) CHECK(data[0][i] == 7 * i);
    if (network && strncmp(network, "ucx", 3) == 0) CHECK(slept * 2 < sent);
  }
  shmem_finalize();
  return 0;
}
