// SPDX-License-Identifier: BSD-3-Clause
/* Every type, from several threads of each PE at once, each on a context of another kind: the
 * default one, a private one, one that the threads share, one of a team that numbers the PEs
 * backwards and one of every other PE. Then collectives of every type, each thread on a team of its
 * own. */
#include <pthread.h>

#include "common.h"

enum { kThreads = 5, kWidth = 16, kCount = 5, kMaxPes = 8 };

static int me, n, adds;
static uint64_t arrived[kThreads], acknowledged[kThreads];
static long double heap_size_unit;
static long double *heap_rows, source_rows[kThreads][kCount * kMaxPes],
    dest_rows[kThreads][kCount * kMaxPes];

/* What a thread works with. Its PEs form a ring: `to` is the next one in the context's numbering,
 * `writer` the one before in the world's. */
struct Lane {
  int index;
  shmem_ctx_t ctx;
  int to, writer;
  uint64_t turn;
  shmem_team_t team;
};

/* The writer's data has come; what is at `to` is ours. Nobody goes on before its data was checked.
 */
#define DEFINE_MOVES(NAME, TYPE)                                                                  \
  static TYPE global_##NAME[kThreads][kWidth];                                                    \
  static void moves_##NAME(struct Lane* lane, TYPE* sym) {                                        \
    TYPE mine[kWidth], theirs[kWidth], back[kWidth];                                              \
    const shmem_ctx_t ctx = lane->ctx;                                                            \
    const int to = lane->to, t = lane->index;                                                     \
    FILL(mine, kWidth, me * 10 + t);                                                              \
    FILL(theirs, kWidth, lane->writer * 10 + t);                                                  \
    shmem_ctx_##NAME##_put(ctx, sym, mine, 3, to);                                                \
    shmem_ctx_##NAME##_put_nbi(ctx, sym + 3, mine + 3, 2, to);                                    \
    shmem_ctx_##NAME##_p(ctx, sym + 5, mine[5], to);                                              \
    shmem_ctx_##NAME##_iput(ctx, sym + 6, mine + 6, 2, 2, 2, to);                                 \
    shmem_ctx_##NAME##_ibput(ctx, sym + 9, mine + 9, 3, 3, 2, 2, to);                             \
    shmem_ctx_fence(ctx);                                                                         \
    shmem_ctx_##NAME##_put_signal(ctx, sym + 14, mine + 14, 2, &arrived[t], 1, SHMEM_SIGNAL_ADD,  \
                                  to);                                                            \
    ++lane->turn;                                                                                 \
    shmem_signal_wait_until(&arrived[t], SHMEM_CMP_EQ, lane->turn);                               \
    for (int i = 0; i < kWidth; ++i) CHECK(i == 7 || i == 11 || SAME(TYPE, &sym[i], &theirs[i])); \
    shmem_ctx_quiet(ctx);                                                                         \
    shmem_ctx_##NAME##_get(ctx, back, sym, kWidth, to);                                           \
    shmem_ctx_##NAME##_get_nbi(ctx, back + 1, sym + 1, 2, to);                                    \
    back[14] = shmem_ctx_##NAME##_g(ctx, sym + 14, to);                                           \
    shmem_ctx_##NAME##_iget(ctx, back + 6, sym + 6, 2, 2, 2, to);                                 \
    shmem_ctx_##NAME##_ibget(ctx, back + 9, sym + 9, 3, 3, 2, 2, to);                             \
    shmem_ctx_quiet(ctx);                                                                         \
    for (int i = 0; i < kWidth; ++i) CHECK(i == 7 || i == 11 || SAME(TYPE, &back[i], &mine[i]));  \
    shmem_signal_add(&acknowledged[t], 1, lane->writer);                                          \
    shmem_signal_wait_until(&acknowledged[t], SHMEM_CMP_EQ, lane->turn);                          \
  }                                                                                               \
  static void collects_##NAME(struct Lane* lane) {                                                \
    TYPE* const source = (TYPE*)source_rows[lane->index];                                         \
    TYPE* const dest = (TYPE*)dest_rows[lane->index];                                             \
    TYPE theirs[kCount * kMaxPes];                                                                \
    const int rank = shmem_team_my_pe(lane->team), size = shmem_team_n_pes(lane->team);           \
    FILL(source, kCount* size, rank);                                                             \
    CHECK(shmem_team_sync(lane->team) == 0);                                                      \
    CHECK(shmem_##NAME##_alltoall(lane->team, dest, source, kCount) == 0);                        \
    for (int pe = 0; pe < size; ++pe) {                                                           \
      FILL(theirs, kCount* size, pe);                                                             \
      for (int i = 0; i < kCount; ++i)                                                            \
        CHECK(SAME(TYPE, &dest[pe * kCount + i], &theirs[rank * kCount + i]));                    \
    }                                                                                             \
    CHECK(shmem_team_sync(lane->team) == 0);                                                      \
    CHECK(shmem_##NAME##_fcollect(lane->team, dest, source, kCount) == 0);                        \
    for (int pe = 0; pe < size; ++pe) {                                                           \
      FILL(theirs, kCount, pe);                                                                   \
      for (int i = 0; i < kCount; ++i) CHECK(SAME(TYPE, &dest[pe * kCount + i], &theirs[i]));     \
    }                                                                                             \
    CHECK(shmem_team_sync(lane->team) == 0);                                                      \
    CHECK(shmem_##NAME##_broadcast(lane->team, dest, source, kCount, size - 1) == 0);             \
    FILL(theirs, kCount, size - 1);                                                               \
    for (int i = 0; i < kCount; ++i) CHECK(SAME(TYPE, &dest[i], &theirs[i]));                     \
    CHECK(shmem_team_sync(lane->team) == 0);                                                      \
  }

#define DEFINE_SUMS(NAME, TYPE)                                                         \
  static void sums_##NAME(struct Lane* lane) {                                          \
    TYPE* const source = (TYPE*)source_rows[lane->index];                               \
    TYPE* const dest = (TYPE*)dest_rows[lane->index];                                   \
    const int rank = shmem_team_my_pe(lane->team), size = shmem_team_n_pes(lane->team); \
    for (int i = 0; i < kCount; ++i) source[i] = (TYPE)(rank + 1);                      \
    CHECK(shmem_team_sync(lane->team) == 0);                                            \
    CHECK(shmem_##NAME##_sum_reduce(lane->team, dest, source, kCount) == 0);            \
    for (int i = 0; i < kCount; ++i) CHECK(dest[i] == (TYPE)(size * (size + 1) / 2));   \
    CHECK(shmem_team_sync(lane->team) == 0);                                            \
    CHECK(shmem_##NAME##_sum_inscan(lane->team, dest, source, kCount) == 0);            \
    CHECK(dest[kCount - 1] == (TYPE)((rank + 1) * (rank + 2) / 2));                     \
    CHECK(shmem_team_sync(lane->team) == 0);                                            \
    CHECK(shmem_##NAME##_sum_exscan(lane->team, dest, source, kCount) == 0);            \
    CHECK(dest[0] == (TYPE)(rank * (rank + 1) / 2));                                    \
    CHECK(shmem_team_sync(lane->team) == 0);                                            \
  }

/* Every ring leads to every PE once, so all threads of all PEs together change each counter. */
#define DEFINE_ADDS(NAME, TYPE)                                                                 \
  static TYPE count_##NAME, guessed_##NAME;                                                     \
  static void adds_##NAME(struct Lane* lane) {                                                  \
    TYPE fetched;                                                                               \
    for (int i = 0; i < adds; ++i) {                                                            \
      shmem_ctx_##NAME##_atomic_inc(lane->ctx, &count_##NAME, lane->to);                        \
      shmem_ctx_##NAME##_atomic_add(lane->ctx, &count_##NAME, 2, lane->to);                     \
      (void)shmem_ctx_##NAME##_atomic_fetch_inc(lane->ctx, &count_##NAME, lane->to);            \
      shmem_ctx_##NAME##_atomic_fetch_add_nbi(lane->ctx, &fetched, &count_##NAME, 3, lane->to); \
      TYPE seen = shmem_ctx_##NAME##_atomic_fetch(lane->ctx, &guessed_##NAME, lane->to);        \
      for (TYPE was; (was = shmem_ctx_##NAME##_atomic_compare_swap(                             \
                          lane->ctx, &guessed_##NAME, seen, seen + 1, lane->to)) != seen;)      \
        seen = was;                                                                             \
    }                                                                                           \
    shmem_ctx_quiet(lane->ctx);                                                                 \
  }
#define DEFINE_LOGIC(NAME, TYPE)                                                                  \
  static TYPE bits_##NAME;                                                                        \
  static void logic_##NAME(struct Lane* lane) {                                                   \
    const TYPE mine = (TYPE)(1ull << (8 * sizeof(TYPE) - 1 - (size_t)lane->index));               \
    shmem_ctx_##NAME##_atomic_or(lane->ctx, &bits_##NAME, mine, lane->to);                        \
    shmem_ctx_quiet(lane->ctx);                                                                   \
    for (int i = 0; i < adds; ++i) {                                                              \
      CHECK(shmem_ctx_##NAME##_atomic_fetch_xor(lane->ctx, &bits_##NAME, mine, lane->to) & mine); \
      CHECK(                                                                                      \
          !(shmem_ctx_##NAME##_atomic_fetch_or(lane->ctx, &bits_##NAME, mine, lane->to) & mine)); \
      CHECK(shmem_ctx_##NAME##_atomic_fetch_and(lane->ctx, &bits_##NAME, (TYPE)~mine, lane->to) & \
            mine);                                                                                \
      shmem_ctx_##NAME##_atomic_xor(lane->ctx, &bits_##NAME, mine, lane->to);                     \
      shmem_ctx_quiet(lane->ctx);                                                                 \
    }                                                                                             \
  }
#define UCCS_RMA_TYPE(NAME, TYPE) DEFINE_MOVES(NAME, TYPE)
#define UCCS_SUM_TYPE(NAME, TYPE) DEFINE_SUMS(NAME, TYPE)
#define UCCS_AMO_TYPE(NAME, TYPE) DEFINE_ADDS(NAME, TYPE)
#define UCCS_LOGIC_TYPE(NAME, TYPE) DEFINE_LOGIC(NAME, TYPE)
#include "gen/types.def"

static void* work(void* argument) {
  struct Lane* const lane = argument;
  void* const heap = heap_rows + lane->index * kWidth;
#define UCCS_RMA_TYPE(NAME, TYPE)                 \
  moves_##NAME(lane, global_##NAME[lane->index]); \
  moves_##NAME(lane, heap);
#define UCCS_AMO_TYPE(NAME, TYPE) adds_##NAME(lane);
#define UCCS_LOGIC_TYPE(NAME, TYPE) logic_##NAME(lane);
#include "gen/types.def"
  return NULL;
}

static void* work_together(void* argument) {
  struct Lane* const lane = argument;
#define UCCS_RMA_TYPE(NAME, TYPE) collects_##NAME(lane);
#define UCCS_SUM_TYPE(NAME, TYPE) sums_##NAME(lane);
#include "gen/types.def"
  return NULL;
}

static void on_threads(void* (*body)(void*), struct Lane* lanes) {
  pthread_t threads[kThreads];
  for (int t = 0; t < kThreads; ++t) CHECK(pthread_create(&threads[t], NULL, body, &lanes[t]) == 0);
  for (int t = 0; t < kThreads; ++t) CHECK(pthread_join(threads[t], NULL) == 0);
}

int main(void) {
  adds = rounds(20);
  int provided;
  CHECK(shmem_init_thread(SHMEM_THREAD_MULTIPLE, &provided) == 0);
  me = shmem_my_pe(), n = shmem_n_pes();
  CHECK(n <= kMaxPes);
  heap_rows = shmem_calloc(kThreads * kWidth, sizeof heap_size_unit);
  CHECK(heap_rows);
  const int next = (me + 1) % n, before = (me + n - 1) % n, parity = me % 2;
  struct Lane lanes[kThreads];
  shmem_team_t backward, halves[2];
  shmem_ctx_t own, shared, of_backward, of_half;
  CHECK(shmem_team_split_strided(SHMEM_TEAM_WORLD, n - 1, -1, n, NULL, 0, &backward) == 0);
  for (int odd = 0; odd < 2 && odd < n; ++odd)
    CHECK(shmem_team_split_strided(SHMEM_TEAM_WORLD, odd, 2, (n - odd + 1) / 2, NULL, 0,
                                   &halves[odd]) == 0);
  CHECK(shmem_ctx_create(SHMEM_CTX_SERIALIZED, &own) == 0 && shmem_ctx_create(0, &shared) == 0);
  CHECK(shmem_team_create_ctx(backward, 0, &of_backward) == 0);
  CHECK(shmem_team_create_ctx(halves[parity], SHMEM_CTX_NOSTORE, &of_half) == 0);
  const int half = shmem_team_n_pes(halves[parity]), rank = me / 2;
  lanes[0] = (struct Lane){0, SHMEM_CTX_DEFAULT, next, before, 0, NULL};
  lanes[1] = (struct Lane){1, own, next, before, 0, NULL};
  lanes[2] = (struct Lane){2, of_backward, n - 1 - next, before, 0, NULL};
  lanes[3] = (struct Lane){3, of_half, (rank + 1) % half, parity + 2 * ((rank + half - 1) % half),
                           0, NULL};
  lanes[4] = (struct Lane){4, shared, before, next, 0, NULL};
  for (int t = 0; t < kThreads; ++t)
    CHECK(shmem_team_split_strided(t % 2 != 0 ? backward : SHMEM_TEAM_WORLD, 0, 1, n, NULL, 0,
                                   &lanes[t].team) == 0);
  on_threads(work, lanes);
  shmem_barrier_all();
#define UCCS_AMO_TYPE(NAME, TYPE)                     \
  CHECK(count_##NAME == (TYPE)(7 * kThreads * adds)); \
  CHECK(guessed_##NAME == (TYPE)(kThreads * adds));
#define UCCS_LOGIC_TYPE(NAME, TYPE) CHECK(bits_##NAME == (TYPE)(31ull << (8 * sizeof(TYPE) - 5)));
#include "gen/types.def"
  shmem_ctx_destroy(own);
  shmem_ctx_destroy(shared);
  on_threads(work_together, lanes);
  shmem_team_destroy(halves[0]);
  if (n > 1) shmem_team_destroy(halves[1]);
  shmem_free(heap_rows);
  shmem_finalize();
  return 0;
}
