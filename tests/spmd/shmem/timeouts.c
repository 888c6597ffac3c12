// SPDX-License-Identifier: BSD-3-Clause
/* Waits of limited time, for every type: satisfied before, during and after; every form. */
#include <shmemx.h>

#include "common.h"

enum { kCount = 5 };
static const uint64_t kShort = 2000000, kLong = 60000000000u; /* 2 ms, a minute */
static int me, n;

#define DEFINE_CHECK(NAME, TYPE)                                                                   \
  static TYPE NAME##_one, NAME##_many[kCount];                                                     \
  static void check_##NAME(void) {                                                                 \
    const TYPE top = (TYPE)((TYPE)1 << (sizeof(TYPE) * 8 - 2)), big = (TYPE)(top + top / 2);       \
    TYPE each[kCount];                                                                             \
    size_t index = 77, found = 77, indices[kCount];                                                \
    const int status[kCount] = {1, 0, 0, 1, 0}, none[kCount] = {1, 1, 1, 1, 1};                    \
    /* Nobody writes: the time runs out, and the results stay. */                                  \
    CHECK(shmemx_##NAME##_wait_until_timeout(&NAME##_one, SHMEM_CMP_NE, 0, 0) ==                   \
          SHMEMX_TIMED_OUT);                                                                       \
    CHECK(shmemx_##NAME##_wait_until_timeout(&NAME##_one, SHMEM_CMP_GT, top, 1000) ==              \
          SHMEMX_TIMED_OUT);                                                                       \
    CHECK(shmemx_##NAME##_wait_until_any_timeout(NAME##_many, kCount, NULL, SHMEM_CMP_GT, 0, 1000, \
                                                 &index) == SHMEMX_TIMED_OUT);                     \
    CHECK(shmemx_##NAME##_wait_until_some_timeout(NAME##_many, kCount, indices, status,            \
                                                  SHMEM_CMP_GT, 0, 0,                              \
                                                  &found) == SHMEMX_TIMED_OUT);                    \
    CHECK(shmemx_##NAME##_wait_until_all_timeout(NAME##_many, kCount, NULL, SHMEM_CMP_GT, 0,       \
                                                 1000) == SHMEMX_TIMED_OUT);                       \
    CHECK(index == 77 && found == 77);                                                             \
    /* There already, or nothing to wait for. */                                                   \
    CHECK(shmemx_##NAME##_wait_until_timeout(&NAME##_one, SHMEM_CMP_EQ, 0, 0) ==                   \
          SHMEMX_SATISFIED);                                                                       \
    CHECK(shmemx_##NAME##_wait_until_all_timeout(NAME##_many, 0, NULL, SHMEM_CMP_GT, 0, 0) ==      \
          SHMEMX_SATISFIED);                                                                       \
    CHECK(shmemx_##NAME##_wait_until_any_timeout(NAME##_many, kCount, none, SHMEM_CMP_GT, 0,       \
                                                 SHMEMX_FOREVER, &index) == SHMEMX_SATISFIED);     \
    CHECK(index == SIZE_MAX);                                                                      \
    CHECK(shmemx_##NAME##_wait_until_some_timeout(NAME##_many, kCount, indices, none,              \
                                                  SHMEM_CMP_GT, 0, kLong,                          \
                                                  &found) == SHMEMX_SATISFIED);                    \
    CHECK(found == 0);                                                                             \
    shmem_barrier_all();                                                                           \
    /* A neighbour writes. */                                                                      \
    for (int i = 0; i < kCount; ++i) {                                                             \
      each[i] = (TYPE)(big + i);                                                                   \
      shmem_##NAME##_p(&NAME##_many[i], each[i], (me + 1) % n);                                    \
    }                                                                                              \
    CHECK(shmemx_##NAME##_wait_until_any_timeout(NAME##_many, kCount, status, SHMEM_CMP_EQ,        \
                                                 (TYPE)(big + 2), kLong, &index) == 0);            \
    CHECK(index == 2);                                                                             \
    CHECK(shmemx_##NAME##_wait_until_some_timeout(NAME##_many, kCount, indices, status,            \
                                                  SHMEM_CMP_GE, (TYPE)(big + 4), kLong,            \
                                                  &found) == 0);                                   \
    CHECK(found == 1 && indices[0] == 4);                                                          \
    CHECK(shmemx_##NAME##_wait_until_all_timeout(NAME##_many, kCount, NULL, SHMEM_CMP_GE, big,     \
                                                 SHMEMX_FOREVER) == 0);                            \
    CHECK(shmemx_##NAME##_wait_until_all_vector_timeout(NAME##_many, kCount, NULL, SHMEM_CMP_EQ,   \
                                                        each, kLong) == 0);                        \
    CHECK(shmemx_##NAME##_wait_until_any_vector_timeout(NAME##_many, kCount, status, SHMEM_CMP_EQ, \
                                                        each, kLong, &index) == 0);                \
    CHECK(status[index] == 0);                                                                     \
    CHECK(shmemx_##NAME##_wait_until_some_vector_timeout(NAME##_many, kCount, indices, status,     \
                                                         SHMEM_CMP_EQ, each, 0, &found) == 0);     \
    CHECK(found == 3 && indices[0] == 1 && indices[2] == 4);                                       \
    each[3] = 0;                                                                                   \
    CHECK(shmemx_##NAME##_wait_until_all_vector_timeout(NAME##_many, kCount, NULL, SHMEM_CMP_EQ,   \
                                                        each, 1000) == SHMEMX_TIMED_OUT);          \
    CHECK(shmemx_##NAME##_wait_until_any_vector_timeout(NAME##_many, kCount, none, SHMEM_CMP_EQ,   \
                                                        each, 0, &index) == 0);                    \
    CHECK(shmemx_##NAME##_wait_until_timeout(&NAME##_many[0], SHMEM_CMP_GT, top, 0) == 0);         \
  }
#define UCCS_WAITS_TYPE(NAME, TYPE) DEFINE_CHECK(NAME, TYPE)
#include "gen/types.def"

static uint64_t signal;

int main(void) {
  shmem_init();
  me = shmem_my_pe();
  n = shmem_n_pes();
#define UCCS_WAITS_TYPE(NAME, TYPE) check_##NAME();
#include "gen/types.def"

  uint64_t value = 5;
  const double before = shmemx_wtime();
  CHECK(shmemx_signal_wait_until_timeout(&signal, SHMEM_CMP_NE, 0, kShort, &value) ==
        SHMEMX_TIMED_OUT);
  CHECK(shmemx_wtime() - before >= 1e-9 * (double)kShort && value == 5);
  shmem_barrier_all();
  shmem_signal_add(&signal, 9, (me + 1) % n);
  CHECK(shmemx_signal_wait_until_timeout(&signal, SHMEM_CMP_GE, 9, kLong, &value) == 0);
  CHECK(value == 9);
  CHECK(shmemx_signal_wait_until_timeout(&signal, SHMEM_CMP_EQ, 9, 0, NULL) == 0);

  /* The generics. */
  size_t index, indices[2];
  CHECK(shmemx_wait_until_timeout(&int_one, SHMEM_CMP_EQ, 0, 0) == 0);
  CHECK(shmemx_wait_until_any_timeout(long_many, 2, NULL, SHMEM_CMP_NE, 0, 0, &index) == 0);
  CHECK(shmemx_wait_until_some_timeout(short_many, 2, indices, NULL, SHMEM_CMP_NE, 0, 0, &index) ==
        0);
  CHECK(index == 2);
  shmem_finalize();
  return 0;
}
