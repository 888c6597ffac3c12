// SPDX-License-Identifier: BSD-3-Clause
/* What collectives cost beside a barrier of bare flags between the same processes: both are timed
 * in turn, round after round, and medians are printed with the median of the ratios. Each
 * collective is followed by a barrier, so that all members are done. In "used" lines the source is
 * rewritten and the dest read in every call, as programs do; then the data really travels.
 *
 *     oshrun -n 2 --bind core coll_bench [rounds]
 *
 * OpenSHMEM 1.4 only, so that the same source runs on other libraries; compare.py does that. */
#define _GNU_SOURCE
#include <sched.h>
#include <shmem.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { kMaxRounds = 101, kLine = 64 / sizeof(long), kFlagRounds = 16 };
enum { kMaxBytes = 1 << 20 };

static long* flags; /* on the heap: some libraries share only that */
static long sync_a[SHMEM_ALLTOALL_SYNC_SIZE + SHMEM_COLLECT_SYNC_SIZE + SHMEM_BCAST_SYNC_SIZE +
                   SHMEM_REDUCE_SYNC_SIZE];
static long* work;
static uint64_t *source, *dest;
static volatile uint64_t sink;
static int me, n, rounds = 15, is_oversubscribed;

static double now_ns(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

static int by_value(const void* a, const void* b) {
  const double x = *(const double*)a, y = *(const double*)b;
  return (x > y) - (x < y);
}

static double median(double* v, int count) {
  qsort(v, (size_t)count, sizeof *v, by_value);
  return v[count / 2];
}

/* --- the limit: dissemination with one flag per round --- */

static void bare_barrier(void) {
  static long epoch;
  ++epoch;
  for (int r = 0; 1 << r < n; ++r) {
    _Atomic long* out = (_Atomic long*)shmem_ptr(&flags[kLine * r], (me + (1 << r)) % n);
    _Atomic long* in = (_Atomic long*)&flags[kLine * r];
    atomic_store_explicit(out, epoch, memory_order_release);
    while (atomic_load_explicit(in, memory_order_acquire) < epoch) {
      if (is_oversubscribed)
        sched_yield();
      else
        __builtin_ia32_pause();
    }
  }
}

/* --- the collectives; `bytes` is the size of a source, of a block in alltoall --- */

static void barrier(size_t bytes) { (void)bytes; }
static void broadcast(size_t bytes) {
  shmem_broadcast64(dest, source, bytes / 8, 0, 0, 0, n, sync_a);
}
static void allreduce(size_t bytes) {
  shmem_long_sum_to_all((long*)dest, (long*)source, (int)(bytes / 8), 0, 0, n, work, sync_a);
}
static void fcollect(size_t bytes) { shmem_fcollect64(dest, source, bytes / 8, 0, 0, n, sync_a); }
static void collect(size_t bytes) { shmem_collect64(dest, source, bytes / 8, 0, 0, n, sync_a); }
static void alltoall(size_t bytes) { shmem_alltoall64(dest, source, bytes / 8, 0, 0, n, sync_a); }

static void write_source(size_t bytes) {
  for (size_t i = 0; i < bytes / 8; i += kLine) ++source[i];
}

static void read_dest(size_t bytes) {
  uint64_t sum = 0;
  for (size_t i = 0; i < bytes / 8; i += kLine) sum += dest[i];
  sink = sum;
}

static void measure(const char* name, void (*collective)(size_t), size_t bytes, int is_used) {
  static double ours[kMaxRounds], bare[kMaxRounds], ratio[kMaxRounds];
  const int calls = (bytes > 300000  ? 10
                     : bytes > 10000 ? 100
                                     : 2000) /
                    (is_oversubscribed ? 10 : 1);
  for (int r = 0; r < rounds; ++r) {
    shmem_barrier_all();
    for (int i = 0; i < 20; ++i) bare_barrier();
    double start = now_ns();
    for (int i = 0; i < calls; ++i) bare_barrier();
    const double before = (now_ns() - start) / calls;
    collective(bytes);
    shmem_barrier_all();
    start = now_ns();
    for (int i = 0; i < calls; ++i) {
      if (is_used) write_source(bytes);
      collective(bytes);
      if (is_used) read_dest(bytes);
      shmem_barrier_all();
    }
    ours[r] = (now_ns() - start) / calls;
    start = now_ns();
    for (int i = 0; i < calls; ++i) bare_barrier();
    bare[r] = (before + (now_ns() - start) / calls) / 2;
    ratio[r] = ours[r] / bare[r];
  }
  if (me == 0)
    printf("%-9s %-5s %8zu bytes %10.0f ns   bare barrier %7.0f ns   ratio %8.2f\n", name,
           is_used ? "used" : "", bytes, median(ours, rounds), median(bare, rounds),
           median(ratio, rounds));
}

int main(int argc, char** argv) {
  if (argc > 1) rounds = atoi(argv[1]);
  if (rounds < 1 || rounds > kMaxRounds) rounds = 15;
  shmem_init();
  me = shmem_my_pe();
  n = shmem_n_pes();
  is_oversubscribed = n > sysconf(_SC_NPROCESSORS_ONLN);
  for (size_t i = 0; i < sizeof sync_a / sizeof *sync_a; ++i) sync_a[i] = SHMEM_SYNC_VALUE;
  flags = shmem_align(64, kLine * kFlagRounds * sizeof *flags);
  source = shmem_align(64, kMaxBytes);
  dest = shmem_align(64, (size_t)kMaxBytes * (size_t)n);
  work = shmem_align(64, kMaxBytes);
  if (flags == NULL || source == NULL || dest == NULL || work == NULL) {
    if (me == 0) fprintf(stderr, "coll_bench: no room in the symmetric heap\n");
    return 1;
  }
  memset(flags, 0, kLine * kFlagRounds * sizeof *flags);
  memset(source, 1, kMaxBytes);
  memset(dest, 1, (size_t)kMaxBytes * (size_t)n);
  memset(work, 1, kMaxBytes);
  shmem_barrier_all();
  if (shmem_ptr(&flags[0], (me + 1) % n) == NULL) {
    if (me == 0) fprintf(stderr, "coll_bench: PEs do not share memory: nothing to compare with\n");
    return 1;
  }
  static const size_t sizes[] = {8, 512, 4096, 65536, kMaxBytes};
  measure("barrier", barrier, 0, 0);
  for (size_t i = 0; i < sizeof sizes / sizeof *sizes; ++i)
    for (int is_used = 0; is_used < 2; ++is_used) {
      measure("broadcast", broadcast, sizes[i], is_used);
      measure("allreduce", allreduce, sizes[i], is_used);
      measure("fcollect", fcollect, sizes[i], is_used);
      measure("collect", collect, sizes[i], is_used);
      measure("alltoall", alltoall, (sizes[i] / (size_t)n + 7) / 8 * 8, is_used);
    }
  shmem_finalize();
  return 0;
}
