// SPDX-License-Identifier: BSD-3-Clause
/* PEs of different thread levels. Threads of the odd ones, which alone ask for
 * SHMEM_THREAD_MULTIPLE, and the main thread of the others do everything at once to all PEs; what a
 * thread has put by a context another one completes. */
#include <pthread.h>

#include "common.h"

enum { kThreads = 5, kWords = 40, kSlots = 64 };
static long words[kSlots][kWords], marks[kSlots], last[kSlots], counts[2], sums[2], done[2];
static uint64_t signals[kSlots];
static int me, pes, threads, rounds_of_all;
static pthread_barrier_t is_put, is_seen;
static shmem_ctx_t shared; /* of all threads of a PE */

static int target(int thread, long round) {
  return (int)(me + 1 + (thread + round) % (pes - 1)) % pes; /* not this one */
}

/* A window of short puts, which leave together. */
static void put_window(shmem_ctx_t ctx, int thread, long round, long factor) {
  for (int i = 0; i < kWords; ++i)
    shmem_ctx_long_p(ctx, &words[me * kThreads + thread][i], round * factor + i,
                     target(thread, round));
}

static void check_window(int thread, long round, long factor) {
  for (int i = 0; i < kWords; i += 13)
    CHECK(shmem_long_g(&words[me * kThreads + thread][i], target(thread, round)) ==
          round * factor + i);
}

static void* work(void* number) {
  const int thread = (int)(intptr_t)number, slot = me * kThreads + thread;
  shmem_ctx_t own;
  CHECK(shmem_ctx_create(threads > 1 ? SHMEM_CTX_PRIVATE : 0, &own) == 0);
  for (long round = 1; round <= rounds_of_all; ++round) {
    const int pe = target(thread, round);
    put_window(own, thread, round, 10);
    shmem_ctx_quiet(own);
    check_window(thread, round, 10);
    put_window(SHMEM_CTX_DEFAULT, thread, round, 100);
    shmem_quiet();
    check_window(thread, round, 100);
    (void)shmem_long_atomic_fetch_add(&counts[0], 1, pe);
    shmem_ctx_long_atomic_inc(own, &counts[1], pe);
    CHECK(shmem_long_atomic_swap(&marks[slot], round, pe) < round);
    shmem_long_put_signal(&last[slot], &round, 1, &signals[slot], (uint64_t)round, SHMEM_SIGNAL_SET,
                          pe);
    put_window(shared, thread, round, 1000);
    if (threads > 1) pthread_barrier_wait(&is_put);
    if (thread == 0) shmem_ctx_quiet(shared); /* completes what the others have put as well */
    for (int other = 0; thread == 0 && other < threads; ++other) check_window(other, round, 1000);
    if (threads > 1) pthread_barrier_wait(&is_seen);
  }
  shmem_ctx_destroy(own);
  return NULL;
}

int main(void) {
  shmem_init(); /* for the number, which decides what is asked for below */
  me = shmem_my_pe();
  shmem_finalize();
  int provided;
  const int level = me % 2 ? SHMEM_THREAD_MULTIPLE : SHMEM_THREAD_SINGLE;
  CHECK(shmem_init_thread(level, &provided) == 0 && provided >= level);
  pes = shmem_n_pes();
  CHECK(pes > 1 && pes * kThreads <= kSlots);
  threads = me % 2 ? kThreads : 1;
  rounds_of_all = rounds(60);
  pthread_barrier_init(&is_put, NULL, (unsigned)threads);
  pthread_barrier_init(&is_seen, NULL, (unsigned)threads);
  CHECK(shmem_ctx_create(0, &shared) == 0);
  shmem_barrier_all();
  pthread_t others[kThreads];
  for (int t = 1; t < threads; ++t)
    CHECK(pthread_create(&others[t], NULL, work, (void*)(intptr_t)t) == 0);
  work(NULL);
  for (int t = 1; t < threads; ++t) CHECK(pthread_join(others[t], NULL) == 0);
  shmem_ctx_destroy(shared);
  done[0] = done[1] = (long)threads * rounds_of_all;
  shmem_barrier_all();
  for (int slot = 0; slot < kSlots; ++slot) CHECK(last[slot] == (long)signals[slot]);
  CHECK(shmem_long_sum_reduce(SHMEM_TEAM_WORLD, sums, done, 2) == 0);
  const long expected = sums[0];
  CHECK(shmem_long_sum_reduce(SHMEM_TEAM_WORLD, sums, counts, 2) == 0);
  CHECK(sums[0] == expected && sums[1] == expected);
  shmem_finalize();
  return 0;
}
