// SPDX-License-Identifier: BSD-3-Clause
/* Every typed put and get: on globals and heap, to every PE (self and last included), without
 * context, on a context of the world, and on one that numbers the PEs backwards. */
#include "common.h"

enum { kCount = 13, kRoom = 64 };

static uint64_t arrived;

/* After a barrier all copies of `sym` are zero. */
#define CLEAR(sym)                              \
  do {                                          \
    shmem_barrier_all();                        \
    memset((sym), 0, kRoom * sizeof((sym)[0])); \
    shmem_barrier_all();                        \
  } while (0)

/* `to` is the target in the context's numbering; `writer` is the PE whose target we are. */
#define DEFINE_TEST(FORM, NAME, TYPE)                                                             \
  static void FORM##NAME##_moves(CTX_PARAMETER_##FORM TYPE* sym, int to, int writer) {            \
    TYPE mine[kCount], theirs[kCount], back[kRoom];                                               \
    const TYPE zero = 0;                                                                          \
    FILL(mine, kCount, shmem_my_pe());                                                            \
    FILL(theirs, kCount, writer);                                                                 \
                                                                                                  \
    CLEAR(sym);                                                                                   \
    shmem_##FORM##NAME##_put(CTX_ARGUMENT_##FORM sym, mine, kCount - 2, to);                      \
    shmem_##FORM##NAME##_put(CTX_ARGUMENT_##FORM sym + kCount - 2, mine + kCount - 2, 1, to);     \
    shmem_##FORM##NAME##_p(CTX_ARGUMENT_##FORM sym + kCount - 1, mine[kCount - 1], to);           \
    shmem_##FORM##NAME##_put(CTX_ARGUMENT_##FORM sym, NULL, 0, to);                               \
    QUIET_##FORM;                                                                                 \
    shmem_barrier_all();                                                                          \
    for (int i = 0; i < kCount; ++i) CHECK(SAME(TYPE, &sym[i], &theirs[i]));                      \
    CHECK(SAME(TYPE, &sym[kCount], &zero));                                                       \
    memset(back, 0, sizeof back);                                                                 \
    shmem_##FORM##NAME##_get(CTX_ARGUMENT_##FORM back, sym, kCount, to);                          \
    for (int i = 0; i < kCount; ++i) {                                                            \
      const TYPE got = shmem_##FORM##NAME##_g(CTX_ARGUMENT_##FORM sym + i, to);                   \
      TYPE one;                                                                                   \
      shmem_##FORM##NAME##_get(CTX_ARGUMENT_##FORM& one, sym + i, 1, to);                         \
      CHECK(SAME(TYPE, &back[i], &mine[i]) && SAME(TYPE, &got, &mine[i]));                        \
      CHECK(SAME(TYPE, &one, &mine[i]));                                                          \
    }                                                                                             \
                                                                                                  \
    CLEAR(sym);                                                                                   \
    shmem_##FORM##NAME##_put_nbi(CTX_ARGUMENT_##FORM sym, mine, kCount, to);                      \
    QUIET_##FORM;                                                                                 \
    shmem_barrier_all();                                                                          \
    for (int i = 0; i < kCount; ++i) CHECK(SAME(TYPE, &sym[i], &theirs[i]));                      \
    memset(back, 0, sizeof back);                                                                 \
    shmem_##FORM##NAME##_get_nbi(CTX_ARGUMENT_##FORM back, sym, kCount, to);                      \
    QUIET_##FORM;                                                                                 \
    for (int i = 0; i < kCount; ++i) CHECK(SAME(TYPE, &back[i], &mine[i]));                       \
                                                                                                  \
    CLEAR(sym); /* mine[0], mine[3], ... to sym[0], sym[2], ... */                                \
    shmem_##FORM##NAME##_iput(CTX_ARGUMENT_##FORM sym, mine, 2, 3, 4, to);                        \
    QUIET_##FORM;                                                                                 \
    shmem_barrier_all();                                                                          \
    for (int i = 0; i < 10; ++i)                                                                  \
      CHECK(SAME(TYPE, &sym[i], i < 8 && i % 2 == 0 ? &theirs[i / 2 * 3] : &zero));               \
    memset(back, 0, sizeof back);                                                                 \
    shmem_##FORM##NAME##_iget(CTX_ARGUMENT_##FORM back, sym, 3, 2, 4, to);                        \
    for (int i = 0; i < 12; ++i) CHECK(SAME(TYPE, &back[i], i % 3 == 0 ? &mine[i] : &zero));      \
                                                                                                  \
    CLEAR(sym); /* blocks of 2 from every 5 to every 3 elements */                                \
    shmem_##FORM##NAME##_ibput(CTX_ARGUMENT_##FORM sym, mine, 3, 5, 2, 3, to);                    \
    QUIET_##FORM;                                                                                 \
    shmem_barrier_all();                                                                          \
    for (int i = 0; i < 11; ++i)                                                                  \
      CHECK(SAME(TYPE, &sym[i], i < 9 && i % 3 < 2 ? &theirs[i / 3 * 5 + i % 3] : &zero));        \
    memset(back, 0, sizeof back);                                                                 \
    shmem_##FORM##NAME##_ibget(CTX_ARGUMENT_##FORM back, sym, 5, 3, 2, 3, to);                    \
    for (int i = 0; i < kCount; ++i) CHECK(SAME(TYPE, &back[i], i % 5 < 2 ? &mine[i] : &zero));   \
                                                                                                  \
    CLEAR(sym);                                                                                   \
    arrived = 0;                                                                                  \
    shmem_barrier_all();                                                                          \
    shmem_##FORM##NAME##_put_signal(CTX_ARGUMENT_##FORM sym, mine, kCount, &arrived, 5,           \
                                    SHMEM_SIGNAL_SET, to);                                        \
    CHECK(shmem_signal_wait_until(&arrived, SHMEM_CMP_GE, 5) == 5);                               \
    for (int i = 0; i < kCount; ++i) CHECK(SAME(TYPE, &sym[i], &theirs[i]));                      \
    shmem_barrier_all();                                                                          \
    shmem_##FORM##NAME##_put_signal_nbi(CTX_ARGUMENT_##FORM sym + kCount, mine, kCount, &arrived, \
                                        2, SHMEM_SIGNAL_ADD, to);                                 \
    shmem_signal_wait_until(&arrived, SHMEM_CMP_EQ, 7);                                           \
    for (int i = 0; i < kCount; ++i) CHECK(SAME(TYPE, &sym[kCount + i], &theirs[i]));             \
    shmem_barrier_all();                                                                          \
    shmem_##FORM##NAME##_put_signal(CTX_ARGUMENT_##FORM NULL, NULL, 0, &arrived, 9,               \
                                    SHMEM_SIGNAL_SET, to);                                        \
    shmem_signal_wait_until(&arrived, SHMEM_CMP_EQ, 9);                                           \
    QUIET_##FORM;                                                                                 \
    shmem_barrier_all();                                                                          \
  }

#define UCCS_RMA_TYPE(NAME, TYPE)   \
  static TYPE global_##NAME[kRoom]; \
  DEFINE_TEST(, NAME, TYPE)         \
  DEFINE_TEST(ctx_, NAME, TYPE)
#include "gen/types.def"

int main(void) {
  shmem_init();
  const int me = shmem_my_pe(), n = shmem_n_pes();
  shmem_ctx_t world, backward;
  shmem_team_t team;
  CHECK(shmem_ctx_create(SHMEM_CTX_PRIVATE, &world) == 0);
  CHECK(shmem_team_split_strided(SHMEM_TEAM_WORLD, n - 1, -1, n, NULL, 0, &team) == 0);
  CHECK(shmem_team_create_ctx(team, 0, &backward) == 0);
  void* heap = shmem_malloc(kRoom * 16);
  CHECK(heap);
  /* Neighbour, self, and a PE far away. */
  for (int shift = 0; shift<n; shift += n> 3 ? n / 2 : 1) {
    const int to = (me + shift) % n, writer = (me + n - shift) % n;
#define UCCS_RMA_TYPE(NAME, TYPE)                                          \
  if (is_turn(7)) NAME##_moves(global_##NAME, to, writer);                 \
  if (is_turn(7)) NAME##_moves(heap, to, writer);                          \
  if (is_turn(7)) ctx_##NAME##_moves(world, global_##NAME, to, writer);    \
  if (is_turn(7)) ctx_##NAME##_moves(SHMEM_CTX_DEFAULT, heap, to, writer); \
  if (is_turn(7)) ctx_##NAME##_moves(backward, heap, n - 1 - to, writer);
#include "gen/types.def"
  }
  shmem_ctx_destroy(world);
  shmem_ctx_destroy(backward);
  shmem_team_destroy(team);
  shmem_free(heap);
  shmem_finalize();
  return 0;
}
