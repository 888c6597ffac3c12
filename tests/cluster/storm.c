// SPDX-License-Identifier: BSD-3-Clause
/// Of the tests that break things: what is under way when they do.
///   storm SECONDS   every PE talks to random others, then all verify what has arrived
///   flood TARGET    PE 0 writes to TARGET without end
///   late SECONDS    all wait in a barrier for the last PE, which computes meanwhile
///   address         EC 0 writes to the last EC, which never makes the context
#include <shmem.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "uccs/uccs.h"

enum { BIG = 1 << 16 };

static long arrived, sent, all_arrived, all_sent;
static long from[256];
static char big[BIG];

static double now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

static void say_ready(void) {
  shmem_barrier_all();
  if (shmem_my_pe() == 0) puts("ready");
  fflush(stdout);
}

static int storm(double seconds) {
  const int me = shmem_my_pe(), n = shmem_n_pes();
  char* block = calloc(1, BIG);
  memset(block, me + 1, BIG);
  say_ready();
  const double end = now() + seconds;
  unsigned dice = 1 + (unsigned)me;
  for (long i = 1; now() < end; ++i) {
    const int to = (int)((dice = dice * 1664525u + 1013904223u) >> 16) % n;
    shmem_long_atomic_inc(&arrived, to);
    ++sent;
    shmem_long_p(&from[me], i, to);
    shmem_quiet();
    if (shmem_long_g(&from[me], to) != i) shmem_global_exit(3);
    if (i % 8 == 0) shmem_putmem(big, block, BIG, to);
    if (i % 32 == 0) shmem_getmem(block + 1, big + 1, 1000, to);
  }
  shmem_barrier_all();
  shmem_long_sum_reduce(SHMEM_TEAM_WORLD, &all_arrived, &arrived, 1);
  shmem_long_sum_reduce(SHMEM_TEAM_WORLD, &all_sent, &sent, 1);
  if (me == 0 && all_arrived == all_sent) printf("VERIFIED %ld\n", all_sent);
  free(block);
  shmem_finalize();
  return all_arrived == all_sent ? 0 : 4;
}

static int flood(int target) {
  say_ready();
  while (shmem_my_pe() == 0) {
    shmem_putmem_nbi(big, big, BIG, target);
    shmem_quiet();
  }
  shmem_barrier_all();
  return 5;
}

static int late(double seconds) {
  say_ready();
  if (shmem_my_pe() == shmem_n_pes() - 1)
    for (const double end = now() + seconds; now() < end;) continue;
  shmem_barrier_all();
  if (shmem_my_pe() == 0) puts("VERIFIED");
  shmem_finalize();
  return 0;
}

static int address(void) {
  say_ready();
  const int last = shmem_n_pes() - 1;
  if (shmem_my_pe() == last) sleep(60);
  uccs_context_t context;
  uccs_endpoint_t to;
  long word = 1;
  if (uccs_context_create(NULL, &context) != UCCS_OK) return 6;
  if (shmem_my_pe() == 0 &&
      (uccs_endpoint_create(context, last, UCCS_LANE_ANY, &to) != UCCS_OK ||
       uccs_put_contiguous_nb(to, UCCS_REGION_SYMMETRIC, &arrived, &word, 8, NULL) < 0))
    return 7;
  shmem_barrier_all();
  return 8;
}

int main(int argc, char** argv) {
  shmem_init();
  if (argc > 2 && strcmp(argv[1], "storm") == 0) return storm(atof(argv[2]));
  if (argc > 2 && strcmp(argv[1], "flood") == 0) return flood(atoi(argv[2]));
  if (argc > 2 && strcmp(argv[1], "late") == 0) return late(atof(argv[2]));
  return address();
}
