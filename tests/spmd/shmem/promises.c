// SPDX-License-Identifier: BSD-3-Clause
/* What the standard promises beside single operations: progress without the target's help, sessions
 * that change nothing, starting and ending many times with threads, contexts and teams in between,
 * and the spellings that are deprecated. */
#include <pthread.h>

#include "common.h"

static long word, words[100], done, lock;
static uint64_t signal_word;
static int me, n;

/* The last PE computes and calls nothing until everybody has finished everything with it. */
static void progress_without_the_target(void) {
  const int target = n - 1;
  long mine[100];
  word = 40;
  done = 0;
  signal_word = 0;
  shmem_barrier_all();
  if (me == target) {
    volatile long* const finished = &done;
    while (*finished != n - 1) __asm__ volatile("pause" ::: "memory");
  } else {
    for (int i = 0; i < 100; ++i) mine[i] = me;
    CHECK(shmem_long_g(&word, target) >= 40);
    (void)shmem_long_atomic_fetch_add(&word, 1, target);
    shmem_long_put_signal(words, mine, 100, &signal_word, 1, SHMEM_SIGNAL_ADD, target);
    shmem_long_put_nbi(words, mine, 100, target);
    shmem_quiet();
    shmem_long_get(mine, words, 100, target);
    shmem_set_lock(&lock);
    shmem_clear_lock(&lock);
    long was = shmem_long_atomic_fetch(&word, target);
    while (shmem_long_atomic_compare_swap(&word, was, was + 1, target) != was)
      was = shmem_long_atomic_fetch(&word, target);
    shmem_long_atomic_inc(&done, target);
    shmem_quiet();
  }
  shmem_barrier_all();
  CHECK(me != target || (word == 40 + 2 * (n - 1) && signal_word == (uint64_t)(n - 1)));
}

/* A flag is seen though it was put in a session that may delay it, if its sender waits afterwards.
 */
static void sessions(void) {
  const long options[] = {0, SHMEM_CTX_SESSION_BATCH};
  const size_t operations[] = {0, 1, 1000000, SIZE_MAX};
  const int next = (me + 1) % n;
  shmem_ctx_t contexts[3] = {SHMEM_CTX_DEFAULT, SHMEM_CTX_INVALID, SHMEM_CTX_INVALID};
  CHECK(shmem_ctx_create(SHMEM_CTX_PRIVATE, &contexts[1]) == 0);
  CHECK(shmem_team_create_ctx(SHMEM_TEAM_SHARED, SHMEM_CTX_SERIALIZED, &contexts[2]) == 0);
  long turn = 0;
  word = words[0] = words[1] = 0;
  shmem_barrier_all();
  for (int c = 0; c < (shmem_team_n_pes(SHMEM_TEAM_SHARED) == n ? 3 : 2); ++c) {
    const shmem_ctx_t ctx = contexts[c];
    for (int o = 0; o < 2; ++o) {
      for (int s = 0; s < 4; ++s) {
        const shmem_ctx_session_config_t config = {operations[s]};
        shmem_ctx_session_start(ctx, options[o], s == 0 ? NULL : &config,
                                s == 0 ? 0 : SHMEM_CTX_SESSION_TOTAL_OPS);
        shmem_ctx_session_start(ctx, options[1 - o], &config, SHMEM_CTX_SESSION_TOTAL_OPS);
        ++turn;
        shmem_ctx_long_atomic_inc(ctx, &words[1], next);
        shmem_ctx_long_p(ctx, &words[0], turn, next);
        shmem_ctx_fence(ctx);
        shmem_ctx_long_p(ctx, &word, turn, next);
        shmem_long_wait_until(&word, SHMEM_CMP_EQ, turn); /* everybody waits in its session */
        CHECK(words[0] == turn && words[1] == turn);
        shmem_ctx_quiet(ctx);
        CHECK(shmem_ctx_long_g(ctx, &words[1], next) == turn);
        shmem_ctx_session_stop(ctx);
        shmem_ctx_session_stop(ctx);
        shmem_sync_all();
      }
    }
  }
  shmem_ctx_destroy(contexts[1]);
  shmem_ctx_destroy(contexts[2]);
}

/* Quiet of some PEs: none, all, some twice, in a team's numbering. */
static void quiet_of_some(void) {
  int pes[16];
  for (int i = 0; i < 2 * n; ++i) pes[i] = i % n;
  word = 0;
  shmem_barrier_all();
  shmem_long_atomic_add(&word, 1, (me + 1) % n);
  shmem_pe_quiet(pes, (size_t)(2 * n));
  shmem_pe_quiet(&me, 1);
  shmem_pe_quiet(NULL, 0);
  shmem_team_t backward;
  shmem_ctx_t ctx;
  CHECK(shmem_team_split_strided(SHMEM_TEAM_WORLD, n - 1, -1, n, NULL, 0, &backward) == 0);
  CHECK(shmem_team_create_ctx(backward, 0, &ctx) == 0);
  shmem_ctx_long_atomic_add(ctx, &word, 1, n - 1 - (me + 1) % n);
  shmem_ctx_pe_quiet(ctx, pes, (size_t)n);
  shmem_ctx_pe_quiet(ctx, NULL, 0);
  shmem_ctx_destroy(ctx);
  shmem_team_destroy(backward);
  shmem_sync_all(); /* orders, but completes nothing: pe_quiet did */
  CHECK(word == 2);
}

static void* use_everything(void* unused) {
  int answer = 0;
  shmem_query_initialized(&answer);
  CHECK(answer != 0);
  shmem_ctx_t ctx;
  CHECK(shmem_ctx_create(SHMEM_CTX_PRIVATE, &ctx) == 0);
  for (int i = 0; i < 50; ++i) shmem_ctx_long_atomic_inc(ctx, &word, (me + 1) % n);
  shmem_ctx_destroy(ctx);
  return unused;
}

static void start_and_end_often(void) {
  for (int phase = 0; phase < 12; ++phase) {
    int provided = -1, answer = -1;
    shmem_query_initialized(&answer);
    CHECK(answer == 0);
    CHECK(shmem_init_thread(SHMEM_THREAD_MULTIPLE, &provided) == 0);
    CHECK(provided == SHMEM_THREAD_MULTIPLE);
    shmem_init(); /* nested */
    me = shmem_my_pe(), n = shmem_n_pes();
    word = 0;
    shmem_team_t kept;
    shmem_ctx_t of_team;
    CHECK(shmem_team_split_strided(SHMEM_TEAM_WORLD, 0, 1, n, NULL, 0, &kept) == 0);
    CHECK(shmem_team_create_ctx(kept, 0, &of_team) == 0);
    long* const block = shmem_calloc(5000, sizeof *block);
    CHECK(block && block[4998] == 0); /* the last one may be written by now */
    pthread_t threads[2];
    for (int t = 0; t < 2; ++t) CHECK(pthread_create(&threads[t], NULL, use_everything, NULL) == 0);
    for (int t = 0; t < 2; ++t) CHECK(pthread_join(threads[t], NULL) == 0);
    shmem_ctx_long_p(of_team, &block[4999], phase + 1, (me + 1) % n);
    shmem_ctx_quiet(of_team);
    shmem_finalize();
    CHECK(word == 100 && block[4999] == phase + 1);
    shmem_finalize(); /* takes the block, the team and its context */
  }
}

#if !defined(_SHMEM_CMP_EQ) || _SHMEM_CMP_EQ != SHMEM_CMP_EQ || _SHMEM_CMP_NE != SHMEM_CMP_NE || \
    _SHMEM_CMP_GT != SHMEM_CMP_GT || _SHMEM_CMP_GE != SHMEM_CMP_GE ||                            \
    _SHMEM_CMP_LT != SHMEM_CMP_LT || _SHMEM_CMP_LE != SHMEM_CMP_LE
#error "the deprecated names of comparisons"
#endif
_Static_assert(_SHMEM_SYNC_VALUE == SHMEM_SYNC_VALUE &&
                   _SHMEM_BARRIER_SYNC_SIZE == SHMEM_BARRIER_SYNC_SIZE &&
                   _SHMEM_BCAST_SYNC_SIZE == SHMEM_BCAST_SYNC_SIZE &&
                   _SHMEM_COLLECT_SYNC_SIZE == SHMEM_COLLECT_SYNC_SIZE &&
                   _SHMEM_REDUCE_SYNC_SIZE == SHMEM_REDUCE_SYNC_SIZE &&
                   _SHMEM_REDUCE_MIN_WRKDATA_SIZE == SHMEM_REDUCE_MIN_WRKDATA_SIZE &&
                   _SHMEM_MAJOR_VERSION == 1 && _SHMEM_MAX_NAME_LEN == SHMEM_MAX_NAME_LEN,
               "the deprecated names of constants");
_Static_assert(SHMEM_THREAD_SINGLE < SHMEM_THREAD_FUNNELED &&
                   SHMEM_THREAD_FUNNELED < SHMEM_THREAD_SERIALIZED &&
                   SHMEM_THREAD_SERIALIZED < SHMEM_THREAD_MULTIPLE,
               "levels increase");
_Static_assert(sizeof _SHMEM_VENDOR_STRING <= SHMEM_MAX_NAME_LEN, "the name with its NUL fits");

int main(void) {
  start_and_end_often();
  shmem_init();
  me = shmem_my_pe(), n = shmem_n_pes();
  progress_without_the_target();
  sessions();
  quiet_of_some();
  shmem_finalize();
  return 0;
}
