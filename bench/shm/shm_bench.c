// SPDX-License-Identifier: BSD-3-Clause
/* What OpenSHMEM operations cost beside the bare machine: 2 PEs, each figure measured together with
 * its limit, interleaved, medians over rounds. The distance between two cores changes from run to
 * run, so only the ratios mean something. Start it with `oshrun -n 2 --bind core shm_bench
 * [rounds]`. */
#define _GNU_SOURCE
#include <shmem.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { kMaxRounds = 101, kLine = 64 / sizeof(long) };

static long flag[kLine * 40] __attribute__((aligned(64)));
static long word[kLine] __attribute__((aligned(64)));
static int me, peer, rounds = 15;
static char *big, *local;
static volatile long sink;

static double now_ns(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

static int by_value(const void* a, const void* b) {
  const double x = *(const double*)a, y = *(const double*)b;
  return (x > y) - (x < y);
}

static double median(double* v, int n) {
  qsort(v, (size_t)n, sizeof *v, by_value);
  return v[n / 2];
}

/* --- the limits: plain loads, stores and CPU atomics on the peer's memory --- */

static long* theirs(long* mine) { return shmem_ptr(mine, peer); }

static double bare_ping_pong(int n) {
  _Atomic long *in = (_Atomic long*)&flag[0], *out = (_Atomic long*)theirs(&flag[0]);
  atomic_store(in, 0);
  shmem_barrier_all();
  const double start = now_ns();
  for (int i = 1; i <= n; ++i) {
    if (me == 0) atomic_store_explicit(out, i, memory_order_release);
    while (atomic_load_explicit(in, memory_order_acquire) != i) __builtin_ia32_pause();
    if (me == 1) atomic_store_explicit(out, i, memory_order_release);
  }
  const double half = (now_ns() - start) / n / 2;
  shmem_barrier_all();
  return half;
}

static double bare_barrier(int n) {
  _Atomic long *in = (_Atomic long*)&flag[kLine], *out = (_Atomic long*)theirs(&flag[kLine]);
  static long epoch;
  shmem_barrier_all();
  const double start = now_ns();
  for (int i = 0; i < n; ++i) {
    ++epoch;
    atomic_store_explicit(out, epoch, memory_order_release);
    while (atomic_load_explicit(in, memory_order_acquire) < epoch) __builtin_ia32_pause();
  }
  return (now_ns() - start) / n;
}

static double bare_fetch_add(int n, int contended) {
  _Atomic long* target = (_Atomic long*)(contended ? shmem_ptr(word, 0) : theirs(word));
  shmem_barrier_all();
  const double start = now_ns();
  if (contended || me == 0)
    for (int i = 0; i < n; ++i) sink = atomic_fetch_add_explicit(target, 1, memory_order_seq_cst);
  const double each = (now_ns() - start) / n;
  shmem_barrier_all();
  return each;
}

static double bare_store(int n, int unused) {
  (void)unused;
  volatile long* target = theirs(word);
  const double start = now_ns();
  for (int i = 0; i < n; ++i) *target = i;
  const double each = (now_ns() - start) / n;
  shmem_barrier_all();
  return each;
}

/* --- the same with OpenSHMEM --- */

static double p_ping_pong(int n) {
  flag[kLine * 2] = 0;
  shmem_barrier_all();
  const double start = now_ns();
  for (int i = 1; i <= n; ++i) {
    if (me == 0) shmem_long_p(&flag[kLine * 2], i, peer);
    shmem_long_wait_until(&flag[kLine * 2], SHMEM_CMP_EQ, i);
    if (me == 1) shmem_long_p(&flag[kLine * 2], i, peer);
  }
  const double half = (now_ns() - start) / n / 2;
  shmem_barrier_all();
  return half;
}

static double put_ping_pong(int n) {
  flag[kLine * 3] = 0;
  shmem_barrier_all();
  const double start = now_ns();
  for (long i = 1; i <= n; ++i) {
    if (me == 0) shmem_long_put(&flag[kLine * 3], &i, 1, peer);
    shmem_long_wait_until(&flag[kLine * 3], SHMEM_CMP_EQ, i);
    if (me == 1) shmem_long_put(&flag[kLine * 3], &i, 1, peer);
  }
  const double half = (now_ns() - start) / n / 2;
  shmem_barrier_all();
  return half;
}

static double barrier(int n) {
  shmem_barrier_all();
  const double start = now_ns();
  for (int i = 0; i < n; ++i) shmem_barrier_all();
  return (now_ns() - start) / n;
}

static double fetch_add(int n, int contended) {
  const int target = contended ? 0 : peer;
  shmem_barrier_all();
  const double start = now_ns();
  if (contended || me == 0)
    for (int i = 0; i < n; ++i) sink = shmem_long_atomic_fetch_add(word, 1, target);
  const double each = (now_ns() - start) / n;
  shmem_barrier_all();
  return each;
}

enum { kP, kPut, kPutQuiet, kG, kGet };

static double one_sided(int n, int which) {
  long value = 7;
  shmem_barrier_all();
  const double start = now_ns();
  if (me == 0) {
    for (int i = 0; i < n; ++i) {
      switch (which) {
        case kP:
          shmem_long_p(word, i, peer);
          break;
        case kPut:
          shmem_long_put(word, &value, 1, peer);
          break;
        case kPutQuiet:
          shmem_long_put(word, &value, 1, peer);
          shmem_quiet();
          break;
        case kG:
          sink = shmem_long_g(word, peer);
          break;
        default:
          shmem_long_get(&value, word, 1, peer);
      }
    }
  }
  const double each = (now_ns() - start) / n;
  shmem_barrier_all();
  return each;
}

static double copy_gbs(size_t bytes, int with_put) {
  const int n = (int)(bytes >= (4u << 20) ? 6 : (24u << 20) / bytes);
  char* target = shmem_ptr(big, peer);
  shmem_barrier_all();
  const double start = now_ns();
  if (me == 0)
    for (int i = 0; i < n; ++i) {
      if (with_put)
        shmem_putmem(big, local, bytes, peer);
      else
        memcpy(target, local, bytes);
      __asm__ volatile("" ::: "memory");
    }
  const double each = (now_ns() - start) / n;
  shmem_barrier_all();
  return (double)bytes / each;
}

/* `target` is for the ratio; where nothing bare compares (target kNanoseconds + x) for the figure.
 */
enum { kNanoseconds = 1000 };

static void row(const char* name, double* ours, double* limit, double target, const char* unit) {
  const double a = median(ours, rounds), b = median(limit, rounds);
  if (me != 0) return;
  const int is_rate = unit[0] == 'G', is_plain = target >= kNanoseconds;
  const double goal = is_plain ? target - kNanoseconds : target, figure = is_plain ? a : a / b;
  printf("%-28s %9.2f %-5s  limit %9.2f  ratio %5.2f  target %s %.2f%s  %s\n", name, a, unit, b,
         a / b, is_rate ? ">=" : "<=", goal, is_plain ? " ns" : "",
         (is_rate ? figure >= goal : figure <= goal) ? "ok" : "FALLS SHORT");
}

#define COMPARE(name, ours_call, limit_call, target, unit) \
  do {                                                     \
    double ours[kMaxRounds], limit[kMaxRounds];            \
    for (int r = 0; r < rounds; ++r) {                     \
      limit[r] = (limit_call);                             \
      ours[r] = (ours_call);                               \
    }                                                      \
    row(name, ours, limit, target, unit);                  \
  } while (0)

int main(int argc, char** argv) {
  shmem_init();
  me = shmem_my_pe();
  if (shmem_n_pes() != 2) {
    if (me == 0)
      fprintf(stderr, "shm_bench: needs exactly 2 PEs: oshrun -n 2 --bind core shm_bench\n");
    shmem_global_exit(2);
  }
  peer = 1 - me;
  if (argc > 1) rounds = atoi(argv[1]);
  if (rounds < 1 || rounds > kMaxRounds) rounds = 15;
  const size_t largest = 64u << 20;
  big = shmem_malloc(largest);
  local = malloc(largest);
  if (!big || !local) shmem_global_exit(1);
  memset(big, 1, largest);
  memset(local, 2, largest);

  COMPARE("p ping-pong, half", p_ping_pong(20000), bare_ping_pong(20000), 1.2, "ns");
  COMPARE("put 8 B ping-pong, half", put_ping_pong(20000), bare_ping_pong(20000), 1.2, "ns");
  COMPARE("barrier_all", barrier(20000), bare_barrier(20000), 1.2, "ns");
  COMPARE("p (limit: store)", one_sided(1000000, kP), bare_store(1000000, 0), kNanoseconds + 3,
          "ns");
  COMPARE("put 8 B", one_sided(1000000, kPut), bare_store(1000000, 0), kNanoseconds + 3, "ns");
  COMPARE("put 8 B + quiet", one_sided(1000000, kPutQuiet), bare_store(1000000, 0),
          kNanoseconds + 5, "ns");
  COMPARE("g", one_sided(1000000, kG), bare_store(1000000, 0), kNanoseconds + 3, "ns");
  COMPARE("get 8 B", one_sided(1000000, kGet), bare_store(1000000, 0), kNanoseconds + 3, "ns");
  COMPARE("fetch_add", fetch_add(200000, 0), bare_fetch_add(200000, 0), 1.3, "ns");
  COMPARE("fetch_add, contended", fetch_add(200000, 1), bare_fetch_add(200000, 1), 1.3, "ns");
  for (size_t bytes = 65536; bytes <= largest; bytes *= 4) {
    char name[40];
    snprintf(name, sizeof name, "putmem %zu KiB (memcpy)", bytes >> 10);
    COMPARE(name, copy_gbs(bytes, 1), copy_gbs(bytes, 0), 0.97, "GB/s");
  }
  shmem_free(big);
  free(local);
  shmem_finalize();
  return 0;
}
