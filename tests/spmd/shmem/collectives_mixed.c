// SPDX-License-Identifier: BSD-3-Clause
/* Collectives in the ways that programs use them beside the plain one: heap and static buffers in
 * one call, unaligned ones, a source that becomes ready late, teams that overlap, nothing to
 * contribute, NaN, infinities and complex numbers, leaving early. */
#include "common.h"

enum { kCount = 40, kMaxPes = 8 };

static int me, n;
static long double static_source[kCount * kMaxPes], static_dest[kCount * kMaxPes + 1];
static long double *heap_source, *heap_dest;

/* Where the source is and where the dest is, each way. */
#define DEFINE_PLACES(NAME, TYPE)                                                             \
  static void places_##NAME(TYPE* source, TYPE* dest, shmem_team_t team) {                    \
    const int rank = shmem_team_my_pe(team), size = shmem_team_n_pes(team);                   \
    TYPE theirs[kCount * kMaxPes];                                                            \
    FILL(source, kCount* size, rank);                                                         \
    CHECK(shmem_team_sync(team) == 0);                                                        \
    CHECK(shmem_##NAME##_fcollect(team, dest, source, kCount) == 0);                          \
    for (int pe = 0; pe < size; ++pe) {                                                       \
      FILL(theirs, kCount, pe);                                                               \
      for (int i = 0; i < kCount; ++i) CHECK(SAME(TYPE, &dest[pe * kCount + i], &theirs[i])); \
    }                                                                                         \
    CHECK(shmem_team_sync(team) == 0);                                                        \
    CHECK(shmem_##NAME##_alltoall(team, dest, source, kCount) == 0);                          \
    for (int pe = 0; pe < size; ++pe) {                                                       \
      FILL(theirs, kCount* size, pe);                                                         \
      for (int i = 0; i < kCount; ++i)                                                        \
        CHECK(SAME(TYPE, &dest[pe * kCount + i], &theirs[rank * kCount + i]));                \
    }                                                                                         \
    CHECK(shmem_team_sync(team) == 0);                                                        \
    CHECK(shmem_##NAME##_broadcast(team, dest, source, kCount, size / 2) == 0);               \
    FILL(theirs, kCount, size / 2);                                                           \
    for (int i = 0; i < kCount; ++i) CHECK(SAME(TYPE, &dest[i], &theirs[i]));                 \
    CHECK(shmem_team_sync(team) == 0);                                                        \
    /* only the last member has something, or nobody */                                       \
    CHECK(shmem_##NAME##_collect(team, dest, source, rank == size - 1 ? kCount : 0) == 0);    \
    FILL(theirs, kCount, size - 1);                                                           \
    for (int i = 0; i < kCount; ++i) CHECK(SAME(TYPE, &dest[i], &theirs[i]));                 \
    CHECK(shmem_##NAME##_collect(team, NULL, NULL, 0) == 0);                                  \
    CHECK(shmem_##NAME##_fcollect(team, NULL, NULL, 0) == 0);                                 \
    CHECK(shmem_##NAME##_alltoalls(team, NULL, NULL, 1, 1, 0) == 0);                          \
    CHECK(shmem_##NAME##_max_reduce(team, NULL, NULL, 0) == 0);                               \
    CHECK(shmem_team_sync(team) == 0);                                                        \
  }
#define UCCS_RMA_TYPE(NAME, TYPE) DEFINE_PLACES(NAME, TYPE)
#include "gen/types.def"

/* NaN on one PE, infinities of both signs, signed zeros: in each floating type. */
#define DEFINE_SPECIAL(NAME, TYPE)                                                   \
  static void special_##NAME(void) {                                                 \
    TYPE *const source = (TYPE*)heap_source, *const dest = (TYPE*)static_dest;       \
    source[0] = me == n / 2 ? (TYPE)__builtin_nan("") : (TYPE)me;                    \
    source[1] = me == 0 ? (TYPE)__builtin_inf() : (TYPE)1;                           \
    source[2] = me == n - 1 ? -(TYPE)__builtin_inf() : (TYPE)1;                      \
    source[3] = (TYPE)(-1 - me);                                                     \
    shmem_sync_all();                                                                \
    CHECK(shmem_##NAME##_max_reduce(SHMEM_TEAM_WORLD, dest, source, 4) == 0);        \
    CHECK(dest[0] != dest[0] && dest[1] == (TYPE)__builtin_inf() && dest[3] == -1);  \
    shmem_sync_all();                                                                \
    CHECK(shmem_##NAME##_min_reduce(SHMEM_TEAM_WORLD, dest, source, 4) == 0);        \
    CHECK(dest[0] != dest[0] && dest[2] == -(TYPE)__builtin_inf() && dest[3] == -n); \
    shmem_sync_all();                                                                \
    CHECK(shmem_##NAME##_sum_reduce(SHMEM_TEAM_WORLD, dest, source, 4) == 0);        \
    CHECK(dest[0] != dest[0] && dest[1] == (TYPE)__builtin_inf());                   \
    CHECK(dest[2] == -(TYPE)__builtin_inf() && dest[3] == (TYPE)(-n * (n + 1) / 2)); \
    shmem_sync_all();                                                                \
    CHECK(shmem_##NAME##_sum_inscan(SHMEM_TEAM_WORLD, dest, source, 2) == 0);        \
    CHECK((dest[0] != dest[0]) == (me >= n / 2));                                    \
    CHECK(dest[1] == (TYPE)__builtin_inf());                                         \
    shmem_sync_all();                                                                \
    CHECK(shmem_##NAME##_sum_exscan(SHMEM_TEAM_WORLD, dest, source, 2) == 0);        \
    CHECK((dest[0] != dest[0]) == (me > n / 2));                                     \
    CHECK(dest[1] == (me == 0 ? 0 : (TYPE)__builtin_inf()));                         \
    shmem_sync_all();                                                                \
  }
DEFINE_SPECIAL(float, float)
DEFINE_SPECIAL(double, double)
DEFINE_SPECIAL(longdouble, long double)

/* Unsigned types with the top bit set are the greatest, signed ones the least. */
#define TOP_BIT(NAME, TYPE)                                                            \
  do {                                                                                 \
    TYPE *const source = (TYPE*)heap_source, *const dest = (TYPE*)heap_dest;           \
    const TYPE top = (TYPE)((unsigned long long)1 << (8 * sizeof(TYPE) - 1)), one = 1; \
    source[0] = me == n - 1 ? top : one;                                               \
    shmem_sync_all();                                                                  \
    CHECK(shmem_##NAME##_max_reduce(SHMEM_TEAM_WORLD, dest, source, 1) == 0);          \
    CHECK(dest[0] == (n == 1 || top > one ? top : one));                               \
    shmem_sync_all();                                                                  \
    CHECK(shmem_##NAME##_min_reduce(SHMEM_TEAM_WORLD, dest, source, 1) == 0);          \
    CHECK(dest[0] == (n == 1 || top < one ? top : one));                               \
    shmem_sync_all();                                                                  \
    CHECK(shmem_##NAME##_xor_reduce(SHMEM_TEAM_WORLD, dest, source, 1) == 0);          \
    CHECK(dest[0] == (TYPE)(top ^ ((n - 1) % 2 != 0 ? one : 0)));                      \
    shmem_sync_all();                                                                  \
  } while (0);

static void complex_numbers(void) {
  uccs_complexd_t* const source = (uccs_complexd_t*)heap_source;
  uccs_complexd_t* const dest = (uccs_complexd_t*)static_dest;
  __real__ source[0] = 1;
  __imag__ source[0] = me;
  shmem_sync_all();
  CHECK(shmem_complexd_sum_inscan(SHMEM_TEAM_WORLD, dest, source, 1) == 0);
  CHECK(__real__ dest[0] == me + 1 && __imag__ dest[0] == me * (me + 1) / 2);
  shmem_sync_all();
  CHECK(shmem_complexd_sum_exscan(SHMEM_TEAM_WORLD, dest, source, 1) == 0);
  CHECK(__real__ dest[0] == me && __imag__ dest[0] == me * (me - 1) / 2);
  __real__ source[0] = 0;
  __imag__ source[0] = 1; /* i to the n-th */
  shmem_sync_all();
  CHECK(shmem_complexd_prod_reduce(SHMEM_TEAM_WORLD, dest, source, 1) == 0);
  CHECK(__real__ dest[0] == (n % 4 == 0) - (n % 4 == 2));
  CHECK(__imag__ dest[0] == (n % 4 == 1) - (n % 4 == 3));
  shmem_sync_all();
}

/* The source is ready on the PE itself only, when that PE comes; the others are in the call since
 * long. PE_root of a broadcast is the last to come. */
static void late_sources(void) {
  static long source, dest[kMaxPes], sum;
  for (int round = 0; round < 30; ++round) {
    const int late = round % n;
    source = -1;
    shmem_sync_all();
    if (me == late)
      for (volatile int i = 0; i < 20000; ++i) continue;
    source = round * 10 + me;
    CHECK(shmem_long_broadcast(SHMEM_TEAM_WORLD, &dest[0], &source, 1, late) == 0);
    CHECK(dest[0] == round * 10 + late);
    shmem_sync_all();
    if (me == late)
      for (volatile int i = 0; i < 20000; ++i) continue;
    source = 5000 + me;
    CHECK(shmem_long_fcollect(SHMEM_TEAM_WORLD, dest, &source, 1) == 0);
    source = -2; /* reusable now, whatever the others are doing */
    for (int pe = 0; pe < n; ++pe) CHECK(dest[pe] == 5000 + pe);
    source = 1;
    CHECK(shmem_long_sum_reduce(SHMEM_TEAM_WORLD, &sum, &source, 1) == 0);
    source = -3;
    CHECK(sum == n);
  }
}

/* Neighbouring pairs overlap in one PE each; every PE first works with its left one, then its
 * right. */
static void overlapping_teams(void) {
  static long one[2] = {1, 1}, sum[2];
  shmem_team_t pairs[kMaxPes];
  for (int p = 0; p + 1 < n; ++p)
    CHECK(shmem_team_split_strided(SHMEM_TEAM_WORLD, p, 1, 2, NULL, 0, &pairs[p]) == 0);
  for (int round = 0; round < 50; ++round) {
    for (int side = 0; side < 2; ++side) {
      const int p = me - 1 + side;
      if (p < 0 || p + 1 >= n) continue;
      one[side] = round + p;
      CHECK(shmem_long_sum_reduce(pairs[p], &sum[side], &one[side], 1) == 0);
      CHECK(sum[side] == 2 * (round + p));
    }
  }
  for (int p = 0; p + 1 < n; ++p) shmem_team_destroy(pairs[p]);
}

/* Bytes at any address. */
static void unaligned(void) {
  for (int shift = 1; shift < 8; shift += 3) {
    char *const source = (char*)static_source + shift, *const dest = (char*)heap_dest + 8 - shift;
    const size_t bytes = 53;
    memset(source, me + 1, bytes * (size_t)n);
    shmem_sync_all();
    CHECK(shmem_fcollectmem(SHMEM_TEAM_WORLD, dest, source, bytes) == 0);
    for (size_t i = 0; i < bytes * (size_t)n; ++i) CHECK(dest[i] == (char)(i / bytes + 1));
    shmem_sync_all();
    CHECK(shmem_alltoallmem(SHMEM_TEAM_WORLD, dest, source, bytes) == 0);
    for (size_t i = 0; i < bytes * (size_t)n; ++i) CHECK(dest[i] == (char)(i / bytes + 1));
    shmem_sync_all();
    CHECK(shmem_broadcastmem(SHMEM_TEAM_WORLD, dest, source, bytes, n - 1) == 0);
    CHECK(dest[0] == (char)n && dest[bytes - 1] == (char)n);
    shmem_sync_all();
  }
}

int main(void) {
  shmem_init();
  me = shmem_my_pe(), n = shmem_n_pes();
  CHECK(n <= kMaxPes);
  heap_source = shmem_malloc(sizeof static_source);
  heap_dest = shmem_malloc(sizeof static_dest);
  CHECK(heap_source && heap_dest);
  shmem_team_t backward;
  CHECK(shmem_team_split_strided(SHMEM_TEAM_WORLD, n - 1, -1, n, NULL, 0, &backward) == 0);
#define UCCS_RMA_TYPE(NAME, TYPE)                                                          \
  if (is_turn(4)) places_##NAME((TYPE*)static_source, (TYPE*)heap_dest, SHMEM_TEAM_WORLD); \
  if (is_turn(4)) places_##NAME((TYPE*)heap_source, (TYPE*)static_dest, backward);         \
  if (is_turn(4)) places_##NAME((TYPE*)heap_source, (TYPE*)heap_dest, SHMEM_TEAM_SHARED);
#define UCCS_BITS_TYPE(NAME, TYPE) TOP_BIT(NAME, TYPE)
#include "gen/types.def"
  special_float();
  special_double();
  special_longdouble();
  complex_numbers();
  late_sources();
  overlapping_teams();
  unaligned();
  shmem_team_destroy(backward);
  shmem_free(heap_source);
  shmem_free(heap_dest);
  shmem_finalize();
  return 0;
}
