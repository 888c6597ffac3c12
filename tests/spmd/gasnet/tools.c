// SPDX-License-Identifier: BSD-3-Clause
/* gasnet_tools.h: time, atomics in threads, facts about the machine. */
#include <gasnet_tools.h>
#include <pthread.h>

#include "common.h"

enum { kThreads = 4, kTimes = 10000 };
static gasnett_atomic_t small = gasnett_atomic_init(0);
static gasnett_atomic64_t large = gasnett_atomic64_init(0);
static gasnett_atomic32_t zeros = gasnett_atomic32_init(kThreads);
static gasnett_atomic_t last;

static void* count(void* unused) {
  for (int i = 0; i < kTimes; ++i) {
    gasnett_atomic_increment(&small, GASNETT_ATOMIC_NONE);
    uint64_t seen;
    do seen = gasnett_atomic64_read(&large, 0);
    while (!gasnett_atomic64_compare_and_swap(&large, seen, seen + ((uint64_t)1 << 32),
                                              GASNETT_ATOMIC_REL));
  }
  if (gasnett_atomic32_decrement_and_test(&zeros, GASNETT_ATOMIC_REL | GASNETT_ATOMIC_ACQ_IF_TRUE))
    gasnett_atomic_increment(&last, 0);
  return unused;
}

static void test_atomics(void) {
  pthread_t threads[kThreads];
  for (int i = 0; i < kThreads; ++i) CHECK(pthread_create(&threads[i], NULL, count, NULL) == 0);
  for (int i = 0; i < kThreads; ++i) CHECK(pthread_join(threads[i], NULL) == 0);
  CHECK(gasnett_atomic_read(&small, GASNETT_ATOMIC_MB_POST) == kThreads * kTimes);
  CHECK(gasnett_atomic64_read(&large, 0) == (uint64_t)kThreads * kTimes << 32);
  CHECK(gasnett_atomic_read(&last, 0) == 1);
  gasnett_atomic_set(&small, 5, GASNETT_ATOMIC_REL);
  CHECK(gasnett_atomic_add(&small, 3, 0) == 8);
  CHECK(gasnett_atomic_subtract(&small, 9, GASNETT_ATOMIC_ACQ) == GASNETT_ATOMIC_MAX);
  CHECK(gasnett_atomic_signed(gasnett_atomic_read(&small, 0)) == -1);
  CHECK(gasnett_atomic_swap(&small, 1, 0) == GASNETT_ATOMIC_MAX);
  gasnett_atomic_decrement(&small, 0);
  CHECK(!gasnett_atomic_compare_and_swap(&small, 1, 2, 0));
  CHECK(gasnett_atomic_read(&small, 0) == 0);
}

static void test_machine(void) {
  const gasnett_tick_t start = gasnett_ticks_now();
  gasnett_nsleep(2000000);
  const gasnett_tick_t ticks = gasnett_ticks_now() - start;
  CHECK(gasnett_ticks_to_ns(ticks) >= 2000000 && gasnett_ticks_to_us(ticks) >= 2000);
  CHECK(gasnett_tick_granularity() > 0 && gasnett_tick_overhead() > 0);
  CHECK(gasnett_cpu_count() >= 1);
  CHECK(gasnett_getPhysMemSz(1) >= (uint64_t)1 << 28);
  CHECK(strlen(gasnett_gethostname()) > 0);
  gasnett_local_wmb();
  gasnett_local_rmb();
  gasnett_local_mb();
  gasnett_compiler_fence();
  gasnett_sched_yield();
  gasnett_flush_streams();
}

int main(int argc, char** argv) {
  start(&argc, &argv, NULL, 0);
  test_atomics();
  test_machine();
  stop();
}
