// SPDX-License-Identifier: BSD-3-Clause
/* Strided puts and gets of every type at their edges: nothing to move, strides of many pages,
 * negative ones, one element read again and again, blocks that touch, blocks of one; to self and to
 * the last PE. */
#include "common.h"

enum { kFar = 3001, kSpan = 8 * kFar, kElements = 7 };

static int me, n;
static long double* heap;

#define DEFINE_TEST(FORM, NAME, TYPE)                                                          \
  static void FORM##NAME##_strides(CTX_PARAMETER_##FORM TYPE* sym, int to, int is_alone) {     \
    static TYPE global_##FORM##NAME[kSpan];                                                    \
    TYPE mine[kElements * 2], back[kElements * 2];                                             \
    TYPE* const wide = global_##FORM##NAME; /* local memory with the same strides */           \
    const TYPE zero = 0;                                                                       \
    FILL(mine, kElements * 2, me);                                                             \
    /* nothing: the addresses do not count */                                                  \
    shmem_##FORM##NAME##_iput(CTX_ARGUMENT_##FORM NULL, NULL, 1, 1, 0, to);                    \
    shmem_##FORM##NAME##_iget(CTX_ARGUMENT_##FORM NULL, NULL, 5, 7, 0, to);                    \
    shmem_##FORM##NAME##_ibput(CTX_ARGUMENT_##FORM NULL, NULL, 2, 2, 2, 0, to);                \
    shmem_##FORM##NAME##_ibget(CTX_ARGUMENT_##FORM NULL, NULL, 2, 2, 0, 3, to);                \
    shmem_##FORM##NAME##_put_nbi(CTX_ARGUMENT_##FORM NULL, NULL, 0, to);                       \
    shmem_##FORM##NAME##_get_nbi(CTX_ARGUMENT_##FORM NULL, NULL, 0, to);                       \
    if (!is_alone) return; /* the rest would disturb others at the same place */               \
    /* far apart, both ways */                                                                 \
    shmem_##FORM##NAME##_iput(CTX_ARGUMENT_##FORM sym, mine, kFar, 1, kElements, to);          \
    QUIET_##FORM;                                                                              \
    memset(wide, 0, sizeof global_##FORM##NAME);                                               \
    shmem_##FORM##NAME##_iget(CTX_ARGUMENT_##FORM wide, sym, kFar, kFar, kElements, to);       \
    for (int i = 0; i < kElements; ++i) CHECK(SAME(TYPE, &wide[i * kFar], &mine[i]));          \
    CHECK(SAME(TYPE, &wide[1], &zero) && SAME(TYPE, &wide[kFar - 1], &zero));                  \
    /* backwards */                                                                            \
    shmem_##FORM##NAME##_iput(CTX_ARGUMENT_##FORM sym + kElements - 1, mine, -1, 1, kElements, \
                              to);                                                             \
    QUIET_##FORM;                                                                              \
    shmem_##FORM##NAME##_get(CTX_ARGUMENT_##FORM back, sym, kElements, to);                    \
    for (int i = 0; i < kElements; ++i) CHECK(SAME(TYPE, &back[i], &mine[kElements - 1 - i])); \
    shmem_##FORM##NAME##_iget(CTX_ARGUMENT_##FORM back, sym + kElements - 1, 1, -1, kElements, \
                              to);                                                             \
    for (int i = 0; i < kElements; ++i) CHECK(SAME(TYPE, &back[i], &mine[i]));                 \
    /* one element for all */                                                                  \
    shmem_##FORM##NAME##_iput(CTX_ARGUMENT_##FORM sym, mine + 5, 1, 0, kElements, to);         \
    QUIET_##FORM;                                                                              \
    shmem_##FORM##NAME##_iget(CTX_ARGUMENT_##FORM back, sym, 2, 1, kElements, to);             \
    for (int i = 0; i < kElements; ++i) CHECK(SAME(TYPE, &back[2 * i], &mine[5]));             \
    /* blocks that touch make one; blocks of one are elements; one block */                    \
    shmem_##FORM##NAME##_ibput(CTX_ARGUMENT_##FORM sym, mine, 2, 2, 2, kElements, to);         \
    shmem_##FORM##NAME##_ibput(CTX_ARGUMENT_##FORM sym + 20, mine, 2, 1, 1, kElements, to);    \
    shmem_##FORM##NAME##_ibput(CTX_ARGUMENT_##FORM sym + 40, mine, 99, 99, kElements, 1, to);  \
    shmem_##FORM##NAME##_ibput(CTX_ARGUMENT_##FORM sym + 100, mine, kFar, 3, 3, 4, to);        \
    QUIET_##FORM;                                                                              \
    shmem_##FORM##NAME##_ibget(CTX_ARGUMENT_##FORM back, sym, 7, 7, 7, 2, to);                 \
    for (int i = 0; i < kElements * 2; ++i) CHECK(SAME(TYPE, &back[i], &mine[i]));             \
    shmem_##FORM##NAME##_ibget(CTX_ARGUMENT_##FORM back, sym + 20, 1, 2, 1, kElements, to);    \
    for (int i = 0; i < kElements; ++i) CHECK(SAME(TYPE, &back[i], &mine[i]));                 \
    shmem_##FORM##NAME##_get(CTX_ARGUMENT_##FORM back, sym + 40, kElements, to);               \
    for (int i = 0; i < kElements; ++i) CHECK(SAME(TYPE, &back[i], &mine[i]));                 \
    shmem_##FORM##NAME##_ibget(CTX_ARGUMENT_##FORM back, sym + 100, 3, kFar, 3, 4, to);        \
    for (int i = 0; i < 12; ++i) CHECK(SAME(TYPE, &back[i], &mine[i]));                        \
  }
#define UCCS_RMA_TYPE(NAME, TYPE)      \
  static TYPE symmetric_##NAME[kSpan]; \
  DEFINE_TEST(, NAME, TYPE)            \
  DEFINE_TEST(ctx_, NAME, TYPE)
#include "gen/types.def"

int main(void) {
  shmem_init();
  me = shmem_my_pe(), n = shmem_n_pes();
  shmem_ctx_t ctx;
  CHECK(shmem_ctx_create(SHMEM_CTX_NOSTORE, &ctx) == 0);
  heap = shmem_malloc(kSpan * sizeof *heap);
  CHECK(heap);
  const int next = (me + 1) % n;
#define UCCS_RMA_TYPE(NAME, TYPE)                         \
  NAME##_strides(symmetric_##NAME, next, 1);              \
  NAME##_strides((TYPE*)heap, next, 1);                   \
  ctx_##NAME##_strides(ctx, symmetric_##NAME, next, 1);   \
  shmem_barrier_all();                                    \
  ctx_##NAME##_strides(ctx, (TYPE*)heap, n - 1, me == 0); \
  shmem_barrier_all();                                    \
  NAME##_strides((TYPE*)heap, me, 1);                     \
  shmem_barrier_all();
#include "gen/types.def"
  shmem_free(heap);
  shmem_finalize();
  return 0;
}
