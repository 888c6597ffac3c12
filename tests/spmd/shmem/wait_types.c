// SPDX-License-Identifier: BSD-3-Clause
/* Every typed wait and test: comparisons in the type's own signedness, one variable and arrays, one
 * value and one each, excluded entries, nothing to wait for, fairness. */
#include "common.h"

enum { kCount = 8 };

/* Neighbours change each other's variables: `next` is ours to change, we wait for our own. */
static int me, next;

#define IS_SIGNED(TYPE) ((TYPE)-1 < (TYPE)1)
#define COMPARES(NAME, TYPE, value, cmp, to, result)                          \
  do {                                                                        \
    variable_##NAME = (TYPE)(value);                                          \
    CHECK(shmem_##NAME##_test(&variable_##NAME, cmp, (TYPE)(to)) == result);  \
    if (result) shmem_##NAME##_wait_until(&variable_##NAME, cmp, (TYPE)(to)); \
  } while (0)

#define UCCS_WAIT_TYPE(NAME, TYPE)                                                   \
  static TYPE variable_##NAME;                                                       \
  static void scalar_##NAME(void) {                                                  \
    const TYPE top_bit = (TYPE)(1ull << (8 * sizeof(TYPE) - 1));                     \
    const TYPE greatest = IS_SIGNED(TYPE) ? (TYPE)~top_bit : (TYPE)-1;               \
    const TYPE least = IS_SIGNED(TYPE) ? top_bit : 0;                                \
    COMPARES(NAME, TYPE, 5, SHMEM_CMP_EQ, 5, 1);                                     \
    COMPARES(NAME, TYPE, 5, SHMEM_CMP_EQ, 6, 0);                                     \
    COMPARES(NAME, TYPE, 5, SHMEM_CMP_NE, 6, 1);                                     \
    COMPARES(NAME, TYPE, 5, SHMEM_CMP_NE, 5, 0);                                     \
    COMPARES(NAME, TYPE, 5, SHMEM_CMP_LT, 6, 1);                                     \
    COMPARES(NAME, TYPE, 5, SHMEM_CMP_LT, 5, 0);                                     \
    COMPARES(NAME, TYPE, 5, SHMEM_CMP_LE, 5, 1);                                     \
    COMPARES(NAME, TYPE, 6, SHMEM_CMP_LE, 5, 0);                                     \
    COMPARES(NAME, TYPE, 6, SHMEM_CMP_GT, 5, 1);                                     \
    COMPARES(NAME, TYPE, 5, SHMEM_CMP_GT, 5, 0);                                     \
    COMPARES(NAME, TYPE, 5, SHMEM_CMP_GE, 5, 1);                                     \
    COMPARES(NAME, TYPE, 4, SHMEM_CMP_GE, 5, 0);                                     \
    COMPARES(NAME, TYPE, greatest, SHMEM_CMP_GT, least, 1);                          \
    COMPARES(NAME, TYPE, least, SHMEM_CMP_GE, greatest, 0);                          \
    COMPARES(NAME, TYPE, (TYPE)-1, SHMEM_CMP_GT, 0, !IS_SIGNED(TYPE));               \
    COMPARES(NAME, TYPE, (TYPE)-1, SHMEM_CMP_LE, 0, IS_SIGNED(TYPE));                \
    variable_##NAME = 0;                                                             \
    shmem_barrier_all();                                                             \
    shmem_##NAME##_p(&variable_##NAME, greatest, next);                              \
    shmem_##NAME##_wait_until(&variable_##NAME, SHMEM_CMP_GE, (TYPE)(greatest - 1)); \
    shmem_barrier_all();                                                             \
    shmem_##NAME##_p(&variable_##NAME, 3, next);                                     \
    while (!shmem_##NAME##_test(&variable_##NAME, SHMEM_CMP_EQ, 3)) continue;        \
    shmem_barrier_all();                                                             \
  }

#define UCCS_WAITS_TYPE(NAME, TYPE)                                                                \
  static TYPE array_##NAME[kCount];                                                                \
  static void arrays_##NAME(void) {                                                                \
    TYPE* const a = array_##NAME;                                                                  \
    const TYPE wanted[kCount] = {1, 2, 3, 4, 5, 6, 7, 8};                                          \
    const int odd_excluded[kCount] = {0, 1, 0, -1, 0, 2, 0, 1};                                    \
    const int all_excluded[kCount] = {1, 1, 1, 1, 1, 1, 1, 1};                                     \
    size_t indices[kCount];                                                                        \
    memset(a, 0, sizeof array_##NAME);                                                             \
    /* nothing to wait for */                                                                      \
    shmem_##NAME##_wait_until_all(a, 0, NULL, SHMEM_CMP_EQ, 1);                                    \
    shmem_##NAME##_wait_until_all(a, kCount, all_excluded, SHMEM_CMP_EQ, 1);                       \
    CHECK(shmem_##NAME##_wait_until_any(a, 0, NULL, SHMEM_CMP_EQ, 1) == SIZE_MAX);                 \
    CHECK(shmem_##NAME##_wait_until_any(a, kCount, all_excluded, SHMEM_CMP_EQ, 1) == SIZE_MAX);    \
    CHECK(shmem_##NAME##_wait_until_some(a, kCount, indices, all_excluded, SHMEM_CMP_EQ, 1) == 0); \
    CHECK(shmem_##NAME##_wait_until_some_vector(NULL, 0, NULL, NULL, SHMEM_CMP_EQ, NULL) == 0);    \
    CHECK(shmem_##NAME##_test_all(a, kCount, all_excluded, SHMEM_CMP_EQ, 1) == 1);                 \
    CHECK(shmem_##NAME##_test_all_vector(a, 0, NULL, SHMEM_CMP_EQ, wanted) == 1);                  \
    CHECK(shmem_##NAME##_test_any(a, kCount, all_excluded, SHMEM_CMP_EQ, 0) == SIZE_MAX);          \
    CHECK(shmem_##NAME##_test_some(a, 0, indices, NULL, SHMEM_CMP_EQ, 0) == 0);                    \
    /* nothing satisfied, one, some, all */                                                        \
    CHECK(shmem_##NAME##_test_all(a, kCount, NULL, SHMEM_CMP_NE, 0) == 0);                         \
    CHECK(shmem_##NAME##_test_any(a, kCount, NULL, SHMEM_CMP_NE, 0) == SIZE_MAX);                  \
    CHECK(shmem_##NAME##_test_some(a, kCount, indices, NULL, SHMEM_CMP_NE, 0) == 0);               \
    a[5] = 6;                                                                                      \
    CHECK(shmem_##NAME##_test_any(a, kCount, NULL, SHMEM_CMP_NE, 0) == 5);                         \
    CHECK(shmem_##NAME##_test_any(a, kCount, odd_excluded, SHMEM_CMP_NE, 0) == SIZE_MAX);          \
    CHECK(shmem_##NAME##_test_any_vector(a, kCount, NULL, SHMEM_CMP_EQ, wanted) == 5);             \
    CHECK(shmem_##NAME##_wait_until_any_vector(a, kCount, NULL, SHMEM_CMP_EQ, wanted) == 5);       \
    a[2] = 3;                                                                                      \
    CHECK(shmem_##NAME##_test_some_vector(a, kCount, indices, NULL, SHMEM_CMP_EQ, wanted) == 2);   \
    CHECK(indices[0] + indices[1] == 7 && (indices[0] == 2 || indices[0] == 5));                   \
    indices[1] = 99;                                                                               \
    CHECK(shmem_##NAME##_wait_until_some(a, kCount, indices, odd_excluded, SHMEM_CMP_GT, 0) == 1); \
    CHECK(indices[0] == 2 && indices[1] == 99);                                                    \
    CHECK(odd_excluded[5] == 2);                                                                   \
    memset(a, 0, sizeof array_##NAME);                                                             \
    shmem_barrier_all();                                                                           \
    /* from the neighbour, last entry first */                                                     \
    for (int i = kCount - 1; i >= 0; --i) shmem_##NAME##_atomic_or_put(&a[i], wanted[i]);          \
    shmem_##NAME##_wait_until_all_vector(a, kCount, NULL, SHMEM_CMP_EQ, wanted);                   \
    CHECK(shmem_##NAME##_test_all_vector(a, kCount, NULL, SHMEM_CMP_EQ, wanted) == 1);             \
    shmem_##NAME##_wait_until_all(a, kCount, NULL, SHMEM_CMP_NE, 0);                               \
    shmem_barrier_all();                                                                           \
    /* every satisfied entry is reported at some time */                                           \
    int reported[kCount] = {0};                                                                    \
    for (int i = 0; i < 400; ++i) {                                                                \
      ++reported[shmem_##NAME##_wait_until_any(a, kCount, odd_excluded, SHMEM_CMP_GE, 1)];         \
      ++reported[shmem_##NAME##_test_any(a, kCount, odd_excluded, SHMEM_CMP_GE, 1)];               \
    }                                                                                              \
    for (int i = 0; i < kCount; ++i) CHECK((reported[i] > 0) == (i % 2 == 0));                     \
    /* consume entries as they come: each exactly once */                                          \
    int status[kCount] = {0};                                                                      \
    memset(a, 0, sizeof array_##NAME);                                                             \
    shmem_barrier_all();                                                                           \
    for (int i = 0; i < kCount; ++i) shmem_##NAME##_atomic_or_put(&a[i], 1);                       \
    for (int i = 0; i < kCount; ++i) {                                                             \
      const size_t at = shmem_##NAME##_wait_until_any(a, kCount, status, SHMEM_CMP_EQ, 1);         \
      CHECK(at < kCount && status[at] == 0);                                                       \
      status[at] = 1;                                                                              \
    }                                                                                              \
    CHECK(shmem_##NAME##_wait_until_any(a, kCount, status, SHMEM_CMP_EQ, 1) == SIZE_MAX);          \
    shmem_barrier_all();                                                                           \
  }
/* Types without atomics are changed by puts. */
#define shmem_short_atomic_or_put(at, value) shmem_short_p(at, value, next)
#define shmem_ushort_atomic_or_put(at, value) shmem_ushort_p(at, value, next)
#define shmem_int_atomic_or_put(at, value) shmem_int_atomic_set(at, value, next)
#define shmem_long_atomic_or_put(at, value) shmem_long_atomic_set(at, value, next)
#define shmem_longlong_atomic_or_put(at, value) shmem_longlong_atomic_swap(at, value, next)
#define shmem_uint_atomic_or_put(at, value) shmem_uint_atomic_set(at, value, next)
#define shmem_ulong_atomic_or_put(at, value) shmem_ulong_atomic_set(at, value, next)
#define shmem_ulonglong_atomic_or_put(at, value) shmem_ulonglong_atomic_add(at, value, next)
#define shmem_int32_atomic_or_put(at, value) shmem_int32_atomic_or(at, value, next)
#define shmem_int64_atomic_or_put(at, value) shmem_int64_atomic_xor(at, value, next)
#define shmem_uint32_atomic_or_put(at, value) shmem_uint32_p(at, value, next)
#define shmem_uint64_atomic_or_put(at, value) shmem_signal_add(at, value, next)
#define shmem_size_atomic_or_put(at, value) shmem_size_atomic_fetch_add(at, value, next)
#define shmem_ptrdiff_atomic_or_put(at, value) shmem_ptrdiff_atomic_compare_swap(at, 0, value, next)

#define UCCS_OLD_WAIT_TYPE(NAME, TYPE)           \
  static void old_##NAME(void) {                 \
    variable_##NAME = 4;                         \
    shmem_barrier_all();                         \
    shmem_##NAME##_p(&variable_##NAME, 5, next); \
    shmem_##NAME##_wait(&variable_##NAME, 4);    \
    CHECK(variable_##NAME == 5);                 \
    shmem_barrier_all();                         \
  }
#include "gen/types.def"

int main(void) {
  shmem_init();
  me = shmem_my_pe();
  next = (me + 1) % shmem_n_pes();
#define UCCS_WAIT_TYPE(NAME, TYPE) scalar_##NAME();
#define UCCS_WAITS_TYPE(NAME, TYPE) arrays_##NAME();
#define UCCS_OLD_WAIT_TYPE(NAME, TYPE) old_##NAME();
#include "gen/types.def"
  variable_long = 0;
  shmem_barrier_all();
  shmem_long_p(&variable_long, -2, next);
  shmem_wait(&variable_long, 0);
  (shmem_wait_until)(&variable_long, SHMEM_CMP_LT, -1);
  shmem_finalize();
  return 0;
}
