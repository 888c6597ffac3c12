// SPDX-License-Identifier: BSD-3-Clause
/* Every typed collective on the world, the shared team and a team of the odd PEs backwards: lengths
 * from nothing on, in place, back to back, edge values. */
#include <stdlib.h>

#include "common.h"

enum { kCount = 300, kMaxPes = 8, kRoom = kCount * kMaxPes * 2 };

static long double source_room[kRoom], dest_room[kRoom];
static shmem_team_t team;
static int rank, size;
static const int lengths[] = {0, 1, 2, 7, kCount};
#define FOR_LENGTHS for (size_t l_ = 0, count; l_ < 5 && (count = (size_t)lengths[l_], 1); ++l_)

/* A member's data does not depend on the others, so everybody knows everybody's. */
#define DEFINE_MOVES(NAME, TYPE)                                                                \
  static void moves_##NAME(void) {                                                              \
    TYPE *const source = (TYPE*)source_room, *const dest = (TYPE*)dest_room;                    \
    TYPE theirs[kCount * kMaxPes];                                                              \
    FOR_LENGTHS {                                                                               \
      for (int root = 0; root<size; root += size> 2 ? size - 1 : 1) {                           \
        FILL(source, count, rank);                                                              \
        memset(dest, 0, sizeof(TYPE) * (count + 1));                                            \
        shmem_team_sync(team);                                                                  \
        CHECK(shmem_##NAME##_broadcast(team, dest, source, count, root) == 0);                  \
        FILL(theirs, count, root);                                                              \
        for (size_t i = 0; i < count; ++i) CHECK(SAME(TYPE, &dest[i], &theirs[i]));             \
        CHECK(dest[count] == 0);                                                                \
      }                                                                                         \
      FILL(source, count*(size_t)size, rank);                                                   \
      memset(dest, 0, sizeof(TYPE) * (count * (size_t)size + 1));                               \
      shmem_team_sync(team);                                                                    \
      CHECK(shmem_##NAME##_fcollect(team, dest, source, count) == 0);                           \
      for (int pe = 0; pe < size; ++pe) {                                                       \
        FILL(theirs, count, pe);                                                                \
        for (size_t i = 0; i < count; ++i)                                                      \
          CHECK(SAME(TYPE, &dest[(size_t)pe * count + i], &theirs[i]));                         \
      }                                                                                         \
      /* member i gives i elements less than it could */                                        \
      shmem_team_sync(team);                                                                    \
      const size_t mine = count > (size_t)rank ? count - (size_t)rank : 0;                      \
      CHECK(shmem_##NAME##_collect(team, dest, source, mine) == 0);                             \
      for (size_t pe = 0, at = 0; pe < (size_t)size; ++pe) {                                    \
        FILL(theirs, count, (int)pe);                                                           \
        for (size_t i = 0; i + pe < count; ++i, ++at) CHECK(SAME(TYPE, &dest[at], &theirs[i])); \
      }                                                                                         \
      shmem_team_sync(team);                                                                    \
      CHECK(shmem_##NAME##_alltoall(team, dest, source, count) == 0);                           \
      for (int pe = 0; pe < size; ++pe) {                                                       \
        FILL(theirs, count*(size_t)size, pe);                                                   \
        for (size_t i = 0; i < count; ++i)                                                      \
          CHECK(SAME(TYPE, &dest[(size_t)pe * count + i], &theirs[(size_t)rank * count + i]));  \
      }                                                                                         \
      const size_t few = count < 100 ? count : 100;                                             \
      memset(dest, 0, sizeof(TYPE) * few * (size_t)size * 3);                                   \
      FILL(source, few*(size_t)size * 2, rank);                                                 \
      shmem_team_sync(team);                                                                    \
      CHECK(shmem_##NAME##_alltoalls(team, dest, source, 3, 2, few) == 0);                      \
      for (size_t pe = 0; pe < (size_t)size; ++pe) {                                            \
        FILL(theirs, few*(size_t)size * 2, (int)pe);                                            \
        for (size_t i = 0; i < few; ++i) {                                                      \
          CHECK(SAME(TYPE, &dest[(pe * few + i) * 3], &theirs[((size_t)rank * few + i) * 2]));  \
          CHECK(dest[(pe * few + i) * 3 + 1] == 0);                                             \
        }                                                                                       \
      }                                                                                         \
    }                                                                                           \
  }

/* Operands for reductions: small ones, so that sums and products are exact in every type; VALUES
 * for those that pick or mask, where any bits will do. */
#define SMALL(TYPE, pe, i) ((TYPE)(((pe) + (i)) % 3 == 0 ? 2 : 1))
#define DEFINE_REDUCE(NAME, TYPE, ROUTINE, VALUE, COMBINE)                      \
  static void ROUTINE##_##NAME(void) {                                          \
    TYPE *const source = (TYPE*)source_room, *const dest = (TYPE*)dest_room;    \
    FOR_LENGTHS {                                                               \
      for (int in_place = 0; in_place < 2; ++in_place) {                        \
        TYPE* const from = in_place ? dest : source;                            \
        shmem_team_sync(team); /* dest is read no more */                       \
        for (size_t i = 0; i < count; ++i) from[i] = VALUE(TYPE, rank, (int)i); \
        dest[count] = 42;                                                       \
        shmem_team_sync(team);                                                  \
        CHECK(shmem_##NAME##_##ROUTINE(team, dest, from, count) == 0);          \
        for (size_t i = 0; i < count; ++i) {                                    \
          TYPE a = VALUE(TYPE, 0, (int)i);                                      \
          for (int pe = 1; pe < size; ++pe) {                                   \
            const TYPE b = VALUE(TYPE, pe, (int)i);                             \
            a = (TYPE)(COMBINE);                                                \
          }                                                                     \
          CHECK(dest[i] == a);                                                  \
        }                                                                       \
        CHECK(dest[count] == 42);                                               \
      }                                                                         \
    }                                                                           \
  }
/* For integers: -1 or all ones, the top bit, 0, and ordinary numbers, differently on each PE. */
#define ANY_BITS(TYPE, pe, i)                                                                      \
  ((TYPE)(((pe) + (i)) % 4 == 0   ? (TYPE)-1                                                       \
          : ((pe) + (i)) % 4 == 1 ? (TYPE)((unsigned long long)1 << ((8 * sizeof(TYPE) - 1) & 63)) \
          : ((pe) + (i)) % 4 == 2 ? (TYPE)0                                                        \
                                  : (TYPE)((pe)*37 + (i))))
#define ORDERED(TYPE, pe, i) ((TYPE)0.5 != 0 ? (TYPE)((pe)*1.25 - (i)*0.75) : ANY_BITS(TYPE, pe, i))

#define DEFINE_SCAN(NAME, TYPE, ROUTINE, MEMBERS)                                             \
  static void ROUTINE##_##NAME(void) {                                                        \
    TYPE *const source = (TYPE*)source_room, *const dest = (TYPE*)dest_room;                  \
    FOR_LENGTHS {                                                                             \
      for (int in_place = 0; in_place < 2; ++in_place) {                                      \
        TYPE* const from = in_place ? dest : source;                                          \
        shmem_team_sync(team);                                                                \
        memset(dest, 0xff, sizeof(TYPE) * count);                                             \
        for (size_t i = 0; i < count; ++i) from[i] = SMALL(TYPE, rank, (int)i);               \
        shmem_team_sync(team);                                                                \
        CHECK(shmem_##NAME##_##ROUTINE(team, dest, from, count) == 0);                        \
        for (size_t i = 0; i < count; ++i) {                                                  \
          TYPE sum = 0;                                                                       \
          for (int pe = 0; pe < (MEMBERS); ++pe) sum = (TYPE)(sum + SMALL(TYPE, pe, (int)i)); \
          CHECK(dest[i] == sum);                                                              \
        }                                                                                     \
      }                                                                                       \
    }                                                                                         \
  }

#define UCCS_RMA_TYPE(NAME, TYPE)                               \
  DEFINE_MOVES(NAME, TYPE)                                      \
  DEFINE_REDUCE(NAME, TYPE, max_reduce, ORDERED, a > b ? a : b) \
  DEFINE_REDUCE(NAME, TYPE, min_reduce, ORDERED, a < b ? a : b)
#define UCCS_BITS_TYPE(NAME, TYPE)                      \
  DEFINE_REDUCE(NAME, TYPE, and_reduce, ANY_BITS, a& b) \
  DEFINE_REDUCE(NAME, TYPE, or_reduce, ANY_BITS, a | b) \
  DEFINE_REDUCE(NAME, TYPE, xor_reduce, ANY_BITS, a ^ b)
#define UCCS_SUM_TYPE(NAME, TYPE)                     \
  DEFINE_REDUCE(NAME, TYPE, sum_reduce, SMALL, a + b) \
  DEFINE_REDUCE(NAME, TYPE, prod_reduce, SMALL, a* b) \
  DEFINE_SCAN(NAME, TYPE, sum_inscan, rank + 1)       \
  DEFINE_SCAN(NAME, TYPE, sum_exscan, rank)
#include "gen/types.def"

static void all_on(shmem_team_t members) {
  team = members;
  rank = shmem_team_my_pe(team);
  size = shmem_team_n_pes(team);
#define UCCS_RMA_TYPE(NAME, TYPE)      \
  if (is_turn(7)) moves_##NAME();      \
  if (is_turn(7)) max_reduce_##NAME(); \
  if (is_turn(7)) min_reduce_##NAME();
#define UCCS_BITS_TYPE(NAME, TYPE)     \
  if (is_turn(7)) and_reduce_##NAME(); \
  if (is_turn(7)) or_reduce_##NAME();  \
  if (is_turn(7)) xor_reduce_##NAME();
#define UCCS_SUM_TYPE(NAME, TYPE)       \
  if (is_turn(7)) sum_reduce_##NAME();  \
  if (is_turn(7)) prod_reduce_##NAME(); \
  if (is_turn(7)) sum_inscan_##NAME();  \
  if (is_turn(7)) sum_exscan_##NAME();
#include "gen/types.def"
}

/* Integers wrap around; NaN wins; the bits are the same on all PEs. */
static void special_values(void) {
  static int wide[2], wide_out[2];
  static short narrow[2], narrow_out[2];
  static double real[4], real_out[4], all_real[4 * kMaxPes];
  const int me = shmem_my_pe(), n = shmem_n_pes();
  wide[0] = 2147483647;
  wide[1] = 65537;
  narrow[0] = 32767;
  narrow[1] = 181;
  unsigned sum = 0, product = 1;
  unsigned short small_sum = 0, small_product = 1;
  for (int pe = 0; pe < n; ++pe) {
    sum += 2147483647u;
    product *= 65537u;
    small_sum = (unsigned short)(small_sum + 32767);
    small_product = (unsigned short)(small_product * 181u);
  }
  CHECK(shmem_int_sum_reduce(SHMEM_TEAM_WORLD, wide_out, wide, 2) == 0);
  CHECK((unsigned)wide_out[0] == sum);
  CHECK(shmem_int_prod_reduce(SHMEM_TEAM_WORLD, wide_out, wide, 2) == 0);
  CHECK((unsigned)wide_out[1] == product);
  CHECK(shmem_short_sum_reduce(SHMEM_TEAM_WORLD, narrow_out, narrow, 2) == 0);
  CHECK((unsigned short)narrow_out[0] == small_sum);
  CHECK(shmem_short_prod_reduce(SHMEM_TEAM_WORLD, narrow_out, narrow, 2) == 0);
  CHECK((unsigned short)narrow_out[1] == small_product);

  real[0] = me == n - 1 ? __builtin_nan("") : me;
  real[1] = me == 0 ? -__builtin_inf() : 1e300 * me;
  real[2] = 0.1 * (me + 1); /* the sum depends on the order: everybody must take one order */
  real[3] = me % 2 == 0 ? 1e16 : 1;
  CHECK(shmem_double_max_reduce(SHMEM_TEAM_WORLD, real_out, real, 2) == 0);
  CHECK(real_out[0] != real_out[0] && real_out[1] == (n > 1 ? 1e300 * (n - 1) : -__builtin_inf()));
  CHECK(shmem_double_min_reduce(SHMEM_TEAM_WORLD, real_out, real, 2) == 0);
  CHECK(real_out[0] != real_out[0] && real_out[1] == -__builtin_inf());
  CHECK(shmem_double_sum_reduce(SHMEM_TEAM_WORLD, real_out, real, 4) == 0);
  CHECK(shmem_double_fcollect(SHMEM_TEAM_WORLD, all_real, real_out, 4) == 0);
  for (int pe = 0; pe < n; ++pe) CHECK(!memcmp(all_real + 4 * pe + 2, all_real + 2, 16));
}

/* Collectives follow each other without anything in between; fast PEs must not spoil slow ones'. */
static void back_to_back(void) {
  static long value[2], result[2], list[kMaxPes], one[kMaxPes * kMaxPes];
  const int me = shmem_my_pe(), n = shmem_n_pes();
  for (long round = 0; round < rounds(500); ++round) {
    /* Two buffers, because a dest must be ready on all PEs before any of them calls. */
    const int turn = (int)(round & 1);
    value[turn] = round + me;
    CHECK(shmem_long_max_reduce(SHMEM_TEAM_WORLD, &result[turn], &value[turn], 1) == 0);
    CHECK(result[turn] == round + n - 1);
    CHECK(shmem_long_broadcast(SHMEM_TEAM_WORLD, &result[1 - turn], &value[turn], 1,
                               (int)(round % n)) == 0);
    CHECK(result[1 - turn] == round + round % n);
    CHECK(shmem_long_fcollect(SHMEM_TEAM_WORLD, list, &value[turn], 1) == 0);
    for (int pe = 0; pe < n; ++pe) CHECK(list[pe] == round + pe);
    if (round % 3 == 0)
      shmem_sync_all();
    else
      shmem_barrier_all();
    CHECK(shmem_long_alltoall(SHMEM_TEAM_SHARED, one, list, 1) == 0);
    const int mine = shmem_team_my_pe(SHMEM_TEAM_SHARED);
    for (int pe = 0; pe < shmem_team_n_pes(SHMEM_TEAM_SHARED); ++pe) CHECK(one[pe] == round + mine);
    shmem_sync_all();
  }
}

static void bytes(void) {
  static unsigned char in[999 * kMaxPes], out[999 * kMaxPes];
  const int me = shmem_my_pe(), n = shmem_n_pes();
  memset(in, me + 1, sizeof in);
  CHECK(shmem_broadcastmem(SHMEM_TEAM_WORLD, out, in, 999, n - 1) == 0 && out[998] == n);
  shmem_sync_all();
  CHECK(shmem_fcollectmem(SHMEM_TEAM_WORLD, out, in, 333) == 0);
  for (int i = 0; i < 333 * n; ++i) CHECK(out[i] == i / 333 + 1);
  shmem_sync_all();
  CHECK(shmem_collectmem(SHMEM_TEAM_WORLD, out, in, (size_t)me + 1) == 0);
  for (int pe = 0, at = 0; pe < n; ++pe)
    for (int i = 0; i <= pe; ++i, ++at) CHECK(out[at] == pe + 1);
  shmem_sync_all();
  CHECK(shmem_alltoallmem(SHMEM_TEAM_WORLD, out, in, 101) == 0);
  for (int i = 0; i < 101 * n; ++i) CHECK(out[i] == i / 101 + 1);
  shmem_sync_all();
  memset(out, 0, sizeof out);
  shmem_sync_all();
  CHECK(shmem_alltoallsmem(SHMEM_TEAM_WORLD, out, in, 2, 3, 50) == 0);
  for (int i = 0; i < 50 * n; ++i) CHECK(out[2 * i] == i / 50 + 1 && out[2 * i + 1] == 0);
}

int main(void) {
  shmem_init();
  const int n = shmem_n_pes();
  CHECK(n <= kMaxPes);
  all_on(SHMEM_TEAM_WORLD);
  all_on(SHMEM_TEAM_SHARED);
  shmem_team_t odd;
  const int odd_ones = n / 2;
  if (odd_ones > 0) {
    CHECK(shmem_team_split_strided(SHMEM_TEAM_WORLD, 2 * odd_ones - 1, -2, odd_ones, NULL, 0,
                                   &odd) == 0);
    if (odd != SHMEM_TEAM_INVALID) all_on(odd);
    shmem_team_destroy(odd);
  }
  special_values();
  back_to_back();
  bytes();
  static long value;
  if (!getenv("UCCS_CHECK")) { /* which takes it for an error */
    CHECK(shmem_long_sum_reduce(SHMEM_TEAM_INVALID, &value, &value, 1) != 0);
    CHECK(shmem_long_broadcast(SHMEM_TEAM_INVALID, &value, &value, 1, 0) != 0);
    CHECK(shmem_team_sync(SHMEM_TEAM_INVALID) != 0);
  }
  shmem_finalize();
  return 0;
}
