// SPDX-License-Identifier: BSD-3-Clause
/* Contexts that count, and contexts that may hold operations back: results are those of any
 * context, counters are exact. With SHMEMX_INLINE too, as operations on counting contexts are not
 * inlined. */
#include <shmemx.h>

#include "common.h"

enum { kCount = 100 };
static long words[kCount], word;
static uint64_t signal;
static int me, n, next;

static void check_counts(shmem_ctx_t ctx, int partner) {
  long local[kCount], fetched;
  shmemx_pcntr_t before, after;
  uint64_t value, arrived;
  shmemx_pcntr_get_completed_target(&arrived);
  shmem_barrier_all();
  shmemx_pcntr_get_all(ctx, &before);
  for (int i = 0; i < kCount; ++i) shmem_ctx_long_p(ctx, &words[i], i, partner);
  for (int i = 0; i < kCount; ++i) local[i] = i;
  shmem_ctx_long_put(ctx, words, local, kCount, partner);
  shmem_ctx_putmem_nbi(ctx, words, local, 3, partner);
  shmem_ctx_long_put(ctx, words, local, 1, partner);
  shmem_ctx_long_iput(ctx, words, local, 2, 2, 10, partner);
  shmem_ctx_long_get(ctx, local, words, kCount, partner);
  fetched = shmem_ctx_long_g(ctx, words, partner);
  shmem_ctx_long_atomic_add(ctx, &word, 1, partner);
  shmem_ctx_long_atomic_inc(ctx, &word, partner);
  shmem_ctx_uint64_atomic_or(ctx, &signal, 0, partner);
  fetched = shmem_ctx_long_atomic_fetch_add(ctx, &word, 0, partner);
  fetched = shmem_ctx_long_atomic_swap(ctx, &words[0], 0, partner);
  (void)fetched;
  shmem_ctx_quiet(ctx);
  shmemx_pcntr_get_all(ctx, &after);
  const uint64_t puts = kCount + 4;
  CHECK(after.completed_put - before.completed_put == puts + 3);
  CHECK(after.completed_get - before.completed_get == 2 + 2);
  CHECK(after.atomics - before.atomics == 5);
  CHECK(after.pending_put == 0 && after.pending_get == 0);
  shmemx_pcntr_get_issued_write(ctx, &value);
  CHECK(value == after.completed_put);
  shmemx_pcntr_get_completed_write(ctx, &value);
  CHECK(value == after.completed_put);
  shmemx_pcntr_get_issued_read(ctx, &value);
  CHECK(value == after.completed_get);
  shmemx_pcntr_get_completed_read(ctx, &value);
  CHECK(value == after.completed_get);
  shmem_barrier_all();
  shmemx_pcntr_get_completed_target(&value);
  CHECK(value - arrived == puts + 3 + 2 + 2); /* one neighbour did the same */
  for (int i = 1; i < kCount; ++i) CHECK(words[i] == i);
  shmem_barrier_all();
}

/* A mixture of small operations, closed by quiet and by fence. */
static void check_aggregation(long options) {
  shmem_ctx_t ctx;
  CHECK(shmem_ctx_create(options, &ctx) == 0);
  word = 0;
  shmem_barrier_all();
  long got[4];
  for (int round = 1; round <= rounds(50); ++round) {
    for (int i = 0; i < kCount; ++i) {
      shmem_ctx_long_p(ctx, &words[i], 1000 * round + i, next);
      shmem_ctx_long_atomic_add(ctx, &word, 1, i % n);
    }
    shmem_ctx_fence(ctx); /* what precedes is there before the signal */
    shmem_ctx_signal_set(ctx, &signal, (uint64_t)round, next);
    shmem_ctx_quiet(ctx);
    CHECK(shmem_signal_wait_until(&signal, SHMEM_CMP_GE, (uint64_t)round) >= (uint64_t)round);
    for (int i = 0; i < kCount; ++i) CHECK(words[i] >= 1000 * round + i);
    shmem_ctx_long_get_nbi(ctx, got, words, 4, next);
    shmem_ctx_quiet(ctx);
    CHECK(got[3] == 1000 * round + 3);
    shmem_barrier_all();
  }
  shmem_ctx_destroy(ctx);
  shmem_barrier_all();
  long expected = 0;
  for (int i = 0; i < kCount; ++i) expected += i % n == me ? rounds(50) * n : 0;
  CHECK(word == expected);
  signal = 0;
  shmem_barrier_all();
}

int main(void) {
  shmem_init();
  me = shmem_my_pe();
  n = shmem_n_pes();
  next = (me + 1) % n;
  shmem_ctx_t counting, team_counting, plain;
  shmem_team_t reversed, team;
  CHECK(shmem_ctx_create(SHMEMX_CTX_COUNT | SHMEM_CTX_PRIVATE, &counting) == 0);
  CHECK(shmem_ctx_get_team(counting, &team) == 0 && team == SHMEM_TEAM_WORLD);
  CHECK(shmem_team_split_strided(SHMEM_TEAM_WORLD, n - 1, -1, n, NULL, 0, &reversed) == 0);
  CHECK(shmem_team_create_ctx(reversed, SHMEMX_CTX_COUNT, &team_counting) == 0);
  CHECK(shmem_ctx_create(0, &plain) == 0);
  check_counts(counting, next);
  check_counts(team_counting, (n - 1 - me + 1) % n);
  check_counts(counting, me);
  shmem_ctx_long_p(plain, &word, 1, me);
  shmemx_pcntr_t none;
  shmemx_pcntr_get_all(plain, &none);
  CHECK(none.completed_put == 0 && none.completed_get == 0 && none.atomics == 0);
  uint64_t value = 5;
  shmemx_pcntr_get_issued_write(SHMEM_CTX_DEFAULT, &value);
  CHECK(value == 0);
  shmemx_pcntr_get_issued_read(SHMEM_CTX_INVALID, &value);
  CHECK(value == 0);
  shmem_ctx_destroy(plain);
  shmem_ctx_destroy(counting);
  shmem_team_destroy(reversed);

  check_aggregation(0);
  check_aggregation(SHMEMX_CTX_AGGREGATE);
  check_aggregation(SHMEMX_CTX_AGGREGATE | SHMEMX_CTX_BOUNCE_BUFFER | SHMEMX_CTX_COUNT);
  shmem_finalize();
  return 0;
}
