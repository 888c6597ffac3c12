// SPDX-License-Identifier: BSD-3-Clause
/* The deprecated collectives on active sets: every set of the PEs, members only, pSync kept as it
 * was. */
#include "common.h"

enum { kMaxPes = 8, kCount = 50 };

static long pSync[SHMEM_SYNC_SIZE];
static union {
  short as_short[kCount];
  long as_long[kCount];
  long double as_longdouble[kCount];
} pWrk;
static int32_t in32[kCount * kMaxPes * 2], out32[kCount * kMaxPes * 3];
static int64_t in64[kCount * kMaxPes * 2], out64[kCount * kMaxPes * 3];
static long double reduce_in[kCount], reduce_out[kCount];

static int start, log_stride, size, rank;
#define SET start, log_stride, size

#define DEFINE_MOVES(BITS)                                                                       \
  static void moves_##BITS(void) {                                                               \
    int##BITS##_t *const in = in##BITS, *const out = out##BITS;                                  \
    const int total = size * kCount;                                                             \
    for (int i = 0; i < 2 * total; ++i) in[i] = rank * 100000 + i;                               \
    for (int root = 0; root < size; ++root) {                                                    \
      memset(out, 0xff, sizeof out##BITS);                                                       \
      shmem_barrier(SET, pSync);                                                                 \
      shmem_broadcast##BITS(out, in, kCount, root, SET, pSync);                                  \
      for (int i = 0; i < kCount; ++i) CHECK(out[i] == (rank == root ? -1 : root * 100000 + i)); \
      shmem_sync(SET, pSync);                                                                    \
    }                                                                                            \
    shmem_fcollect##BITS(out, in, kCount, SET, pSync);                                           \
    for (int i = 0; i < total; ++i) CHECK(out[i] == i / kCount * 100000 + i % kCount);           \
    shmem_barrier(SET, pSync);                                                                   \
    shmem_collect##BITS(out, in, (size_t)rank, SET, pSync);                                      \
    for (int pe = 0, at = 0; pe < size; ++pe)                                                    \
      for (int i = 0; i < pe; ++i, ++at) CHECK(out[at] == pe * 100000 + i);                      \
    shmem_barrier(SET, pSync);                                                                   \
    shmem_alltoall##BITS(out, in, kCount, SET, pSync);                                           \
    for (int i = 0; i < total; ++i)                                                              \
      CHECK(out[i] == i / kCount * 100000 + rank * kCount + i % kCount);                         \
    memset(out, 0xff, sizeof out##BITS);                                                         \
    shmem_barrier(SET, pSync);                                                                   \
    shmem_alltoalls##BITS(out, in, 3, 2, kCount, SET, pSync);                                    \
    for (int i = 0; i < total; ++i) {                                                            \
      CHECK(out[3 * i] == i / kCount * 100000 + 2 * (rank * kCount + i % kCount));               \
      CHECK(out[3 * i + 1] == -1);                                                               \
    }                                                                                            \
    shmem_barrier(SET, pSync);                                                                   \
  }
DEFINE_MOVES(32)
DEFINE_MOVES(64)

#define DEFINE_REDUCE(NAME, TYPE, ROUTINE, COMBINE)                        \
  static void ROUTINE##_##NAME(void) {                                     \
    TYPE *const in = (TYPE*)reduce_in, *const out = (TYPE*)reduce_out;     \
    for (int i = 0; i < kCount; ++i) in[i] = (TYPE)(rank % 2 + i % 3 + 1); \
    shmem_barrier(SET, pSync);                                             \
    shmem_##NAME##_##ROUTINE(out, in, kCount, SET, (TYPE*)&pWrk, pSync);   \
    for (int i = 0; i < kCount; ++i) {                                     \
      TYPE a = (TYPE)(i % 3 + 1);                                          \
      for (int pe = 1; pe < size; ++pe) {                                  \
        const TYPE b = (TYPE)(pe % 2 + i % 3 + 1);                         \
        a = (TYPE)(COMBINE);                                               \
      }                                                                    \
      CHECK(out[i] == a);                                                  \
    }                                                                      \
    shmem_##NAME##_##ROUTINE(out, in, 0, SET, (TYPE*)&pWrk, pSync);        \
    shmem_barrier(SET, pSync);                                             \
    shmem_##NAME##_##ROUTINE(in, in, 1, SET, (TYPE*)&pWrk, pSync);         \
    CHECK(in[0] == out[0]);                                                \
    shmem_barrier(SET, pSync);                                             \
  }
#define UCCS_OLD_BITS_TYPE(NAME, TYPE)        \
  DEFINE_REDUCE(NAME, TYPE, and_to_all, a& b) \
  DEFINE_REDUCE(NAME, TYPE, or_to_all, a | b) \
  DEFINE_REDUCE(NAME, TYPE, xor_to_all, a ^ b)
#define UCCS_OLD_MAX_TYPE(NAME, TYPE)                  \
  DEFINE_REDUCE(NAME, TYPE, max_to_all, a > b ? a : b) \
  DEFINE_REDUCE(NAME, TYPE, min_to_all, a < b ? a : b)
#define UCCS_OLD_SUM_TYPE(NAME, TYPE)          \
  DEFINE_REDUCE(NAME, TYPE, sum_to_all, a + b) \
  DEFINE_REDUCE(NAME, TYPE, prod_to_all, a* b)
#include "gen/types.def"

int main(void) {
  start_pes(0);
  start_pes(7); /* does nothing */
  const int me = shmem_my_pe(), n = shmem_n_pes();
  for (int i = 0; i < SHMEM_SYNC_SIZE; ++i) pSync[i] = SHMEM_SYNC_VALUE;
  shmem_barrier_all();
  for (start = 0; start < n; ++start) {
    for (log_stride = 0; 1 << log_stride < n || log_stride == 0; ++log_stride) {
      for (size = 1; start + ((size - 1) << log_stride) < n; ++size) {
        if (!is_turn(3)) continue;
        const int stride = 1 << log_stride, distance = me - start;
        rank = distance / stride;
        if (distance < 0 || distance % stride != 0 || rank >= size) continue;
        moves_32();
        moves_64();
#define UCCS_OLD_BITS_TYPE(NAME, TYPE) \
  and_to_all_##NAME();                 \
  or_to_all_##NAME();                  \
  xor_to_all_##NAME();
#define UCCS_OLD_MAX_TYPE(NAME, TYPE) \
  max_to_all_##NAME();                \
  min_to_all_##NAME();
#define UCCS_OLD_SUM_TYPE(NAME, TYPE) \
  sum_to_all_##NAME();                \
  prod_to_all_##NAME();
#include "gen/types.def"
      }
    }
  }
  for (int i = 0; i < SHMEM_SYNC_SIZE; ++i) CHECK(pSync[i] == SHMEM_SYNC_VALUE);
  return 0; /* finalized at exit */
}
