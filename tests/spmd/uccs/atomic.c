// SPDX-License-Identifier: BSD-3-Clause
/* Every atomic of every type against plain C, in mapped and in private memory; then all ECs at
 * once. */
#include <unistd.h>

#include "common.h"

static uint64_t words[2];
static uint64_t* private_words;
static uccs_region_t own_region, imported[64];
static uint64_t* private_at[64];

static void start_words(void) {
  start();
  CHECK(n <= 64);
  private_words = calloc(2, sizeof *private_words);
  CHECK_OK(uccs_region_register(context, private_words, 16, &own_region));
  unsigned char blob[UCCS_REGION_BLOB_MAX] = {0}, blobs[64 * UCCS_REGION_BLOB_MAX];
  size_t bytes;
  CHECK_OK(uccs_region_export(own_region, blob, sizeof blob, &bytes));
  CHECK_OK(uccs_allgather(uccs_group_world(), blobs, blob, sizeof blob));
  for (int ec = 0; ec < n; ++ec) {
    CHECK_OK(uccs_region_import(context, blobs + (size_t)ec * sizeof blob, bytes, &imported[ec]));
    uccs_region_info_t info;
    CHECK_OK(uccs_region_query(imported[ec], &info));
    private_at[ec] = info.base;
  }
  barrier();
}
static void stop_words(void) {
  barrier();
  stop(); /* frees the regions */
  free(private_words);
}

/* One operation each on a word that holds `old`: what is there afterwards, and what came back. */
#define EXPECT(type, after)                                                         \
  do {                                                                              \
    type now_;                                                                      \
    DO(uccs_get_contiguous_nb(peer, region, &now_, target, sizeof now_, &request)); \
    CHECK(now_ == (type)(after));                                                   \
  } while (0)
#define PREPARE(type, value)                                                            \
  do {                                                                                  \
    const type value_ = (value);                                                        \
    DO(uccs_put_contiguous_nb(peer, region, target, &value_, sizeof value_, &request)); \
  } while (0)

#define TEST_UPDATE(op, name, type)                                            \
  PREPARE(type, old);                                                          \
  DO(uccs_atomic_##op##_##name##_nb(peer, region, target, operand, &request)); \
  EXPECT(type, after_##op(type, old, operand));
#define TEST_COUNT(op, name, type)                                    \
  PREPARE(type, old);                                                 \
  DO(uccs_atomic_##op##_##name##_nb(peer, region, target, &request)); \
  EXPECT(type, after_add(type, old, 1));
#define TEST_FETCH(op, name, type)                                                      \
  PREPARE(type, old);                                                                   \
  result = (type)99;                                                                    \
  DO(uccs_atomic_##op##_##name##_nb(peer, region, target, operand, &result, &request)); \
  CHECK(result == old);                                                                 \
  EXPECT(type, after_##op(type, old, operand));
#define TEST_READ(op, name, type)                                              \
  PREPARE(type, old);                                                          \
  result = (type)99;                                                           \
  DO(uccs_atomic_##op##_##name##_nb(peer, region, target, &result, &request)); \
  CHECK(result == old);                                                        \
  EXPECT(type, after_##op(type, old, operand));
#define TEST_SWAP_IF(op, name, type)                                                         \
  PREPARE(type, old);                                                                        \
  DO(uccs_atomic_##op##_##name##_nb(peer, region, target, (type)(old + 1), operand, &result, \
                                    &request));                                              \
  CHECK(result == old);                                                                      \
  EXPECT(type, old);                                                                         \
  DO(uccs_atomic_##op##_##name##_nb(peer, region, target, old, operand, &result, &request)); \
  CHECK(result == old);                                                                      \
  EXPECT(type, operand);

/* Sums in 64 unsigned bits wrap as every integer type does when they are cut to its size. */
#define INTEGER_SUM(type, a, b) (type)((uint64_t)(a) + (uint64_t)(b))
#define FLOAT_SUM(type, a, b) ((a) + (b))
#define after_set(type, a, b) (b)
#define after_swap(type, a, b) (b)
#define after_add(type, a, b) SUM(type, a, b)
#define after_fadd(type, a, b) SUM(type, a, b)
#define after_fetch(type, a, b) (a)
#define after_finc(type, a, b) SUM(type, a, 1)
#define after_and(type, a, b) ((a) & (b))
#define after_or(type, a, b) ((a) | (b))
#define after_xor(type, a, b) ((a) ^ (b))
#define after_fand(type, a, b) ((a) & (b))
#define after_for(type, a, b) ((a) | (b))
#define after_fxor(type, a, b) ((a) ^ (b))

/* Of the pairs of values all, or every seventh: of each column and row one. */
static size_t stride = 1;

#define DEFINE_INTEGER(name, type)                                                              \
  static void try_##name(uccs_endpoint_t peer, uccs_region_t region, void* at) {                \
    static const type values[6] = {0,                                                           \
                                   1,                                                           \
                                   (type)-1,                                                    \
                                   0x55,                                                        \
                                   (type)((type)1 << (sizeof(type) * 8 - 1)),                   \
                                   (type)0x123456789abcdef0u};                                  \
    type *target = at, result;                                                                  \
    for (size_t k = 0; k < 36; k += stride) {                                                   \
      const type old = values[k / 6], operand = values[k % 6];                                  \
      UCCS_ATOMIC_INTEGER_OPERATIONS(TEST_UPDATE, TEST_COUNT, TEST_FETCH, TEST_READ, TEST_READ, \
                                     TEST_SWAP_IF, name, type)                                  \
    }                                                                                           \
  }
#define DEFINE_FLOAT(name, type)                                                   \
  static void try_##name(uccs_endpoint_t peer, uccs_region_t region, void* at) {   \
    static const type values[6] = {0, 1, -1, (type)0.5, (type)1e30, (type)-3.25};  \
    type *target = at, result;                                                     \
    for (size_t k = 0; k < 36; k += stride) {                                      \
      const type old = values[k / 6], operand = values[k % 6];                     \
      UCCS_ATOMIC_FLOAT_OPERATIONS(TEST_UPDATE, TEST_FETCH, TEST_READ, name, type) \
    }                                                                              \
  }
#define SUM INTEGER_SUM
UCCS_ATOMIC_INTEGER_TYPES(DEFINE_INTEGER)
#undef SUM
#define SUM FLOAT_SUM
UCCS_ATOMIC_FLOAT_TYPES(DEFINE_FLOAT)

static void try_all(uccs_endpoint_t peer, uccs_region_t region, void* at) {
#define TRY(name, type) try_##name(peer, region, at);
  UCCS_ATOMIC_INTEGER_TYPES(TRY)
  UCCS_ATOMIC_FLOAT_TYPES(TRY)
}

/* EC k works on the words of EC k + 1, so nobody is in anybody's way. */
static void test_types(void) {
  start_words();
  if (rounds(36) < 36) stride = 7;
  const int to = (me + 1) % n;
  try_all(peers[to], UCCS_REGION_SYMMETRIC, &words[0]);
  try_all(peers[to], UCCS_REGION_STATIC, (char*)&words[0] + 4 * (n > 1 ? 0 : 2));
  try_all(peers[to], imported[to], private_at[to]);
  stop_words();
}

/* All ECs add, set bits and compare-and-swap on words of one EC, by both paths. */
static void test_concurrent(void) {
  const int kEach = rounds(500);
  start_words();
  for (int home = 0; home < n; ++home)
    for (int is_private = 0; is_private < 2; ++is_private) {
      const uccs_region_t region = is_private ? imported[home] : UCCS_REGION_SYMMETRIC;
      uint64_t* at = is_private ? private_at[home] : words;
      uint64_t* mine = is_private ? private_words : words;
      memset(mine, 0, 16);
      barrier();
      uint64_t bits = 0;
      for (int i = 0; i < kEach; ++i) {
        uint64_t old;
        DO(uccs_atomic_inc_uint64_nb(peers[home], region, &at[0], &request));
        DO(uccs_atomic_fadd_uint64_nb(peers[home], region, &at[0], 2, &old, &request));
        CHECK(old >= (uint64_t)i * 3 + 1);
        /* A lock-free sum in the other word. */
        uint64_t seen = 0, expected;
        do {
          expected = seen;
          DO(uccs_atomic_cswap_uint64_nb(peers[home], region, &at[1], expected,
                                         expected + (uint64_t)me + 1, &seen, &request));
        } while (seen != expected);
        bits |= old;
      }
      barrier();
      if (me == home) {
        CHECK(mine[0] == (uint64_t)3 * (uint64_t)kEach * (uint64_t)n);
        CHECK(mine[1] == (uint64_t)kEach * (uint64_t)n * (uint64_t)(n + 1) / 2);
      }
      barrier();
    }
  stop_words();
}

static void test_floats(void) {
  const int kEach = rounds(300);
  start_words();
  double* sum = (double*)&words[0];
  float* small = (float*)&words[1];
  barrier();
  for (int i = 0; i < kEach; ++i) {
    DO(uccs_atomic_add_double_nb(peers[0], UCCS_REGION_SYMMETRIC, sum, 0.25, &request));
    DO(uccs_atomic_add_float_nb(peers[0], UCCS_REGION_SYMMETRIC, small, 0.5f, &request));
  }
  barrier();
  if (me == 0) CHECK(*sum == 0.25 * kEach * n && *small == 0.5f * (float)kEach * (float)n);
  stop_words();
}

/* Targets that call nothing hold up nobody, even where no thread of theirs makes progress. */
static void test_passive(void) {
  const int kEach = rounds(100);
  start_words();
  if (me == 0) {
    for (int ec = 1; ec < n; ++ec) {
      uint64_t old, seen;
      for (int i = 0; i < kEach; ++i) {
        DO(uccs_atomic_fadd_uint64_nb(peers[ec], UCCS_REGION_SYMMETRIC, &words[0], 1, &old,
                                      &request));
        CHECK(old == (uint64_t)i);
        DO(uccs_get_contiguous_nb(peers[ec], UCCS_REGION_SYMMETRIC, &seen, &words[0], 8, &request));
        CHECK(seen == old + 1);
      }
      DO(uccs_put_contiguous_nb(peers[ec], UCCS_REGION_SYMMETRIC, &words[1], &old, 8, &request));
    }
  } else {
    const volatile uint64_t* told = &words[1];
    while (*told == 0) usleep(1000);
    CHECK(words[0] == (uint64_t)kEach && words[1] == (uint64_t)kEach - 1);
  }
  stop_words();
}

int main(int argc, char** argv) {
  static const test_case_t cases[] = {{"types", test_types},
                                      {"concurrent", test_concurrent},
                                      {"floats", test_floats},
                                      {"passive", test_passive},
                                      {NULL, NULL}};
  return run_case(argc, argv, cases);
}
