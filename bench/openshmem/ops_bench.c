// SPDX-License-Identifier: BSD-3-Clause
/* What operations of OpenSHMEM cost, one line each: name, bytes, nanoseconds. PE 0 works on PE n-1;
 * collectives are everybody's, a barrier behind each. Of several rounds the median is printed.
 *
 *     oshrun -n 2 ops_bench [seconds per line, about]
 *
 * OpenSHMEM 1.4 only, heap only: the same source runs on every library; compare.py does that. */
#define _GNU_SOURCE
#include <shmem.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { kRounds = 11, kMaxBytes = 1 << 20, kBurst = 64 };

static long sync_a[SHMEM_ALLTOALL_SYNC_SIZE + SHMEM_COLLECT_SYNC_SIZE + SHMEM_BCAST_SYNC_SIZE +
                   SHMEM_REDUCE_SYNC_SIZE];
static char *remote, *local;
static long *word, *source, *dest, *work, *calls_agreed;
static int me, n, peer;
static shmem_ctx_t ctx;
static volatile long sink;

static double now_ns(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

static void put(size_t b) { shmem_putmem(remote, local, b, peer); }
static void put_quiet(size_t b) {
  shmem_putmem(remote, local, b, peer);
  shmem_quiet();
}
static void get(size_t b) { shmem_getmem(local, remote, b, peer); }
static void p_burst(size_t b) {
  (void)b;
  for (int i = 0; i < kBurst; ++i) shmem_long_p(&word[i], i, peer);
  shmem_quiet();
}
static void put_nbi_burst(size_t b) {
  for (int i = 0; i < kBurst; ++i)
    shmem_putmem_nbi(remote + (size_t)i * b, local + (size_t)i * b, b, peer);
  shmem_quiet();
}
static void ctx_p_burst(size_t b) {
  (void)b;
  for (int i = 0; i < kBurst; ++i) shmem_ctx_long_p(ctx, &word[i], i, peer);
  shmem_ctx_quiet(ctx);
}
static void g(size_t b) {
  (void)b;
  sink = shmem_long_g(word, peer);
}
static void fetch_add(size_t b) {
  (void)b;
  sink = shmem_long_atomic_fetch_add(word, 1, peer);
}
static void add_quiet(size_t b) {
  (void)b;
  shmem_long_atomic_add(word, 1, peer);
  shmem_quiet();
}
static void compare_swap(size_t b) {
  (void)b;
  sink = shmem_long_atomic_compare_swap(word, 0, 0, peer);
}
static void fetch(size_t b) {
  (void)b;
  sink = shmem_long_atomic_fetch(word, peer);
}
static void barrier(size_t b) {
  (void)b;
  shmem_barrier_all();
}
static void broadcast(size_t b) {
  shmem_broadcast64(dest, source, b / 8, 0, 0, 0, n, sync_a);
  shmem_barrier_all();
}
static void reduce(size_t b) {
  shmem_long_sum_to_all(dest, source, (int)(b / 8), 0, 0, n, work, sync_a);
  shmem_barrier_all();
}
static void fcollect(size_t b) {
  shmem_fcollect64(dest, source, b / 8, 0, 0, n, sync_a);
  shmem_barrier_all();
}
static void collect(size_t b) {
  shmem_collect64(dest, source, b / 8, 0, 0, n, sync_a);
  shmem_barrier_all();
}
static void alltoall(size_t b) {
  shmem_alltoall64(dest, source, b / 8, 0, 0, n, sync_a);
  shmem_barrier_all();
}

static int by_value(const void* a, const void* b) {
  const double x = *(const double*)a, y = *(const double*)b;
  return (x > y) - (x < y);
}

static double time_calls(void (*operation)(size_t), size_t bytes, long calls) {
  const double begin = now_ns();
  for (long i = 0; i < calls; ++i) operation(bytes);
  return (now_ns() - begin) / (double)calls;
}

/* `per` calls of an operation are in one call of the function. */
static void measure(const char* name, void (*operation)(size_t), size_t bytes, int per,
                    int is_collective, double seconds) {
  shmem_barrier_all();
  if (is_collective || me == 0) {
    double times[kRounds];
    double once = time_calls(operation, bytes, 20);
    if (!is_collective && once < 1e4) once = time_calls(operation, bytes, 200);
    long calls = (long)(seconds * 1e9 / kRounds / once) + 1;
    if (is_collective) { /* everybody the same number: PE 0's */
      *calls_agreed = calls;
      shmem_barrier_all();
      calls = shmem_long_g(calls_agreed, 0);
      shmem_barrier_all();
    }
    for (int r = 0; r < kRounds; ++r) times[r] = time_calls(operation, bytes, calls);
    qsort(times, kRounds, sizeof *times, by_value);
    if (me == 0) printf("%s %zu %.2f\n", name, bytes, times[kRounds / 2] / per);
    if (me == 0) fflush(stdout);
  }
  shmem_barrier_all();
}

int main(int argc, char** argv) {
  const double seconds = argc > 1 ? atof(argv[1]) : 0.05;
  shmem_init();
  me = shmem_my_pe(), n = shmem_n_pes(), peer = n - 1;
  for (size_t i = 0; i < sizeof sync_a / sizeof *sync_a; ++i) sync_a[i] = SHMEM_SYNC_VALUE;
  remote = shmem_malloc(kMaxBytes), local = malloc(kMaxBytes);
  word = shmem_malloc(kBurst * sizeof *word), calls_agreed = shmem_malloc(sizeof *calls_agreed);
  source = shmem_malloc((size_t)n * 65536), dest = shmem_malloc((size_t)n * 65536);
  work = shmem_malloc(65536 + SHMEM_REDUCE_MIN_WRKDATA_SIZE * 8);
  if (!remote || !local || !word || !calls_agreed || !source || !dest || !work ||
      shmem_ctx_create(SHMEM_CTX_PRIVATE, &ctx))
    shmem_global_exit(1);
  memset(local, 1, kMaxBytes);
  memset(remote, 0, kMaxBytes);
  memset(source, 0, (size_t)n * 65536);
  memset(word, 0, kBurst * sizeof *word);
  for (size_t bytes = 8; bytes <= kMaxBytes; bytes *= bytes < 4096 ? 8 : 16) {
    measure("put", put, bytes, 1, 0, seconds);
    measure("put+quiet", put_quiet, bytes, 1, 0, seconds);
    measure("get", get, bytes, 1, 0, seconds);
  }
  measure("p-rate", p_burst, 8, kBurst, 0, seconds);
  measure("ctx-p-rate", ctx_p_burst, 8, kBurst, 0, seconds);
  measure("put_nbi-rate", put_nbi_burst, 8, kBurst, 0, seconds);
  measure("put_nbi-rate", put_nbi_burst, 4096, kBurst, 0, seconds);
  measure("g", g, 8, 1, 0, seconds);
  measure("fetch_add", fetch_add, 8, 1, 0, seconds);
  measure("add+quiet", add_quiet, 8, 1, 0, seconds);
  measure("compare_swap", compare_swap, 8, 1, 0, seconds);
  measure("fetch", fetch, 8, 1, 0, seconds);
  measure("barrier_all", barrier, 0, 1, 1, seconds);
  for (size_t bytes = 8; bytes <= 65536; bytes *= bytes < 1024 ? 128 : 64) {
    measure("broadcast", broadcast, bytes, 1, 1, seconds);
    measure("sum_reduce", reduce, bytes, 1, 1, seconds);
    measure("fcollect", fcollect, bytes, 1, 1, seconds);
    measure("collect", collect, bytes, 1, 1, seconds);
    measure("alltoall", alltoall, bytes, 1, 1, seconds);
  }
  shmem_ctx_destroy(ctx);
  shmem_finalize();
  return 0;
}
