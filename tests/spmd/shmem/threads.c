// SPDX-License-Identifier: BSD-3-Clause
/* SHMEM_THREAD_MULTIPLE: threads of each PE use everything at once, and one that waits stops
 * nobody. */
#include <pthread.h>

#include "common.h"

enum { kThreads = 4 };
static int repeats, few;

static long sum, tickets, slots[kThreads], flags[kThreads], released;
static long lock, guarded;
static uint64_t signals[kThreads];
static int me, n, next, before;

static void* work(void* argument) {
  const int t = (int)(intptr_t)argument;
  shmem_ctx_t ctx;
  CHECK(shmem_ctx_create(t % 2 != 0 ? SHMEM_CTX_PRIVATE : 0, &ctx) == 0);
  for (long round = 1; round <= repeats; ++round) {
    shmem_long_atomic_inc(&sum, next);
    shmem_ctx_long_atomic_add(ctx, &sum, 2, next);
    (void)shmem_long_atomic_fetch_inc(&tickets, 0);
    shmem_long_p(&slots[t], round, next);
    shmem_ctx_long_p(ctx, &slots[t], round, next);
    CHECK(shmem_long_g(&slots[t], next) == round);
    shmem_fence();
    shmem_ctx_signal_add(ctx, &signals[t], 1, next);
    shmem_signal_wait_until(&signals[t], SHMEM_CMP_GE, (uint64_t)round);
    CHECK(slots[t] >= round);
    if (round % 64 == 0) {
      shmem_quiet();
      shmem_ctx_t more;
      CHECK(shmem_ctx_create(0, &more) == 0);
      shmem_ctx_destroy(more);
    }
    shmem_long_p(&flags[t], round, before); /* so that slots are not overrun */
    shmem_long_wait_until(&flags[t], SHMEM_CMP_GE, round);
  }
  shmem_ctx_destroy(ctx);
  return NULL;
}

/* Blocked until main lets it go. */
static void* wait_for_release(void* unused) {
  shmem_long_wait_until(&released, SHMEM_CMP_EQ, 1);
  return unused;
}

/* Teams are independent: each thread has its own and uses collectives on it. */
static void* use_team(void* argument) {
  const shmem_team_t team = *(shmem_team_t*)argument;
  long* const mine = (long*)shmem_ptr(&slots[0], me);
  CHECK(mine);
  for (int round = 0; round < few; ++round) CHECK(shmem_team_sync(team) == 0);
  return NULL;
}

int main(void) {
  int provided;
  CHECK(shmem_init_thread(SHMEM_THREAD_MULTIPLE, &provided) == 0);
  CHECK(provided == SHMEM_THREAD_MULTIPLE);
  me = shmem_my_pe(), n = shmem_n_pes(), next = (me + 1) % n, before = (me + n - 1) % n;
  repeats = rounds(2000);
  few = rounds(300);
  pthread_t waiter, threads[kThreads];
  CHECK(pthread_create(&waiter, NULL, wait_for_release, NULL) == 0);
  for (int t = 0; t < kThreads; ++t)
    CHECK(pthread_create(&threads[t], NULL, work, (void*)(intptr_t)t) == 0);
  for (int t = 0; t < kThreads; ++t) CHECK(pthread_join(threads[t], NULL) == 0);
  shmem_barrier_all();
  CHECK(sum == 3L * kThreads * repeats);
  CHECK(shmem_long_g(&tickets, 0) == (long)n * kThreads * repeats);

  shmem_team_t teams[kThreads];
  for (int t = 0; t < kThreads; ++t)
    CHECK(shmem_team_split_strided(SHMEM_TEAM_WORLD, 0, 1, n, NULL, 0, &teams[t]) == 0);
  for (int t = 0; t < kThreads; ++t)
    CHECK(pthread_create(&threads[t], NULL, use_team, &teams[t]) == 0);
  for (int i = 0; i < few; ++i) {
    shmem_set_lock(&lock);
    shmem_long_p(&guarded, shmem_long_g(&guarded, 0) + 1, 0);
    shmem_clear_lock(&lock);
  }
  for (int t = 0; t < kThreads; ++t) CHECK(pthread_join(threads[t], NULL) == 0);
  shmem_barrier_all();
  CHECK(shmem_long_g(&guarded, 0) == (long)few * n);
  shmem_long_p(&released, 1, next);
  CHECK(pthread_join(waiter, NULL) == 0);
  shmem_finalize();
  return 0;
}
