// SPDX-License-Identifier: BSD-3-Clause
/* More PEs than CPUs: barriers and ping-pongs beside the same on bare shared memory with waiters
 * that yield the CPU after every look, the ideal of time slicing. `oshrun -n 8
 * oversubscribed_bench` */
#define _GNU_SOURCE
#include <sched.h>
#include <shmem.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { kRounds = 9, kLine = 64 / sizeof(long) };

static long arrived[kLine] __attribute__((aligned(64)));
static long flag[2 * kLine] __attribute__((aligned(64)));
static int me, n;

static double now_ns(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

static int by_value(const void* a, const void* b) {
  const double x = *(const double*)a, y = *(const double*)b;
  return (x > y) - (x < y);
}

/* One counter at PE 0 that everybody watches: the fewest wake-ups a barrier can do with. */
static double bare_barrier(int calls) {
  _Atomic long* counter = (_Atomic long*)shmem_ptr(arrived, 0);
  static long goal;
  const double start = now_ns();
  for (int i = 0; i < calls; ++i) {
    goal += n;
    atomic_fetch_add(counter, 1);
    while (atomic_load_explicit(counter, memory_order_acquire) < goal) sched_yield();
  }
  const double each = (now_ns() - start) / calls;
  shmem_barrier_all();
  return each;
}

static double barrier(int calls) {
  const double start = now_ns();
  for (int i = 0; i < calls; ++i) shmem_barrier_all();
  return (now_ns() - start) / calls;
}

static double bare_ping_pong(int calls) {
  const int peer = me ^ 1;
  _Atomic long *in = (_Atomic long*)&flag[0],
               *out = (_Atomic long*)shmem_ptr(&flag[0], peer < n ? peer : me);
  static long token;
  const double start = now_ns();
  for (int i = 0; peer < n && i < calls; ++i) {
    ++token;
    if (me < peer) atomic_store(out, token);
    while (atomic_load(in) < token) sched_yield();
    if (me > peer) atomic_store(out, token);
  }
  const double each = (now_ns() - start) / calls / 2;
  shmem_barrier_all();
  return each;
}

static double ping_pong(int calls) {
  const int peer = me ^ 1;
  static long token;
  const double start = now_ns();
  for (int i = 0; peer < n && i < calls; ++i) {
    ++token;
    if (me < peer) shmem_long_p(&flag[kLine], token, peer);
    shmem_long_wait_until(&flag[kLine], SHMEM_CMP_GE, token);
    if (me > peer) shmem_long_p(&flag[kLine], token, peer);
  }
  const double each = (now_ns() - start) / calls / 2;
  shmem_barrier_all();
  return each;
}

static void compare(const char* name, double (*ours)(int), double (*bare)(int), int calls) {
  double a[kRounds], b[kRounds];
  for (int r = 0; r < kRounds; ++r) {
    b[r] = bare(calls);
    a[r] = ours(calls);
  }
  qsort(a, kRounds, sizeof *a, by_value);
  qsort(b, kRounds, sizeof *b, by_value);
  const double us = a[kRounds / 2] / 1e3, ideal = b[kRounds / 2] / 1e3;
  if (me == 0)
    printf("%-12s %2d PEs %9.2f us  ideal %9.2f us  ratio %5.2f  target <= 1.50  %s\n", name, n, us,
           ideal, us / ideal, us / ideal <= 1.5 ? "ok" : "FALLS SHORT");
}

int main(void) {
  shmem_init();
  me = shmem_my_pe();
  n = shmem_n_pes();
  shmem_barrier_all();
  compare("barrier_all", barrier, bare_barrier, 1000);
  compare("p ping-pong", ping_pong, bare_ping_pong, 1000);
  shmem_finalize();
  return 0;
}
