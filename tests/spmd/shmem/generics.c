// SPDX-License-Identifier: BSD-3-Clause
/* The C11 generics: every type, with and without a context, under every name; and that they are
 * macros that leave the plain names alone. */
#include <shmemx.h>

#include "common.h"

/* The generics' own types: each distinct type once. */
#define DEFINE_RMA(NAME, TYPE)                                                            \
  static TYPE rma_##NAME[16];                                                             \
  static uint64_t signal_##NAME;                                                          \
  static void check_##NAME(int me, shmem_ctx_t ctx) {                                     \
    TYPE* const x = rma_##NAME;                                                           \
    const TYPE in[4] = {1, 2, 3, 4};                                                      \
    TYPE out[4];                                                                          \
    const TYPE* const constant = x;                                                       \
    shmem_put(x, in, 4, me);                                                              \
    shmem_put(ctx, x + 4, in, 4, me);                                                     \
    shmem_put_nbi(x + 8, in, 2, me);                                                      \
    shmem_put_nbi(ctx, x + 10, in, 2, me);                                                \
    shmem_p(x + 12, 7, me);                                                               \
    shmem_p(ctx, x + 13, (TYPE)8, me);                                                    \
    shmem_quiet();                                                                        \
    CHECK(shmem_g(x + 12, me) == 7 && shmem_g(ctx, x + 13, me) == 8);                     \
    CHECK(shmem_g(constant, me) == 1 && shmem_g(ctx, constant + 4, me) == 1);             \
    _Static_assert(_Generic(shmem_g(x, 0), TYPE : 1, default : 0), "g returns the type"); \
    shmem_get(out, x + 1, 2, me);                                                         \
    CHECK(out[0] == 2 && out[1] == 3);                                                    \
    shmem_get(ctx, out, constant, 4, me);                                                 \
    shmem_get_nbi(out, x, 4, me);                                                         \
    shmem_get_nbi(ctx, out, x, 4, me);                                                    \
    CHECK(out[3] == 4);                                                                   \
    shmem_iput(x, in, 2, 1, 2, me);                                                       \
    shmem_iput(ctx, x, in, 2, 1, 2, me);                                                  \
    CHECK(x[2] == 2);                                                                     \
    shmem_iget(out, x, 1, 2, 2, me);                                                      \
    shmem_iget(ctx, out, x, 1, 2, 2, me);                                                 \
    CHECK(out[1] == 2);                                                                   \
    shmem_ibput(x, in, 2, 2, 2, 2, me);                                                   \
    shmem_ibput(ctx, x, in, 2, 2, 2, 2, me);                                              \
    shmem_ibget(out, x, 2, 2, 2, 2, me);                                                  \
    shmem_ibget(ctx, out, x, 2, 2, 2, 2, me);                                             \
    CHECK(out[3] == 4);                                                                   \
    shmem_put_signal(x, in, 1, &signal_##NAME, 1, SHMEM_SIGNAL_ADD, me);                  \
    shmem_put_signal(ctx, x, in, 1, &signal_##NAME, 1, SHMEM_SIGNAL_ADD, me);             \
    shmem_put_signal_nbi(x, in, 1, &signal_##NAME, 1, SHMEM_SIGNAL_ADD, me);              \
    shmem_put_signal_nbi(ctx, x, in, 1, &signal_##NAME, 1, SHMEM_SIGNAL_ADD, me);         \
    CHECK(shmem_signal_wait_until(&signal_##NAME, SHMEM_CMP_GE, 4) == 4);                 \
    shmem_barrier_all();                                                                  \
    TYPE* const all = shmem_malloc(64 * sizeof *all);                                     \
    const shmem_team_t team = SHMEM_TEAM_WORLD;                                           \
    CHECK(shmem_broadcast(team, all, x, 2, 0) == 0 && all[1] == 2);                       \
    CHECK(shmem_sync(team) == 0);                                                         \
    CHECK(shmem_fcollect(team, all, constant, 1) == 0 && all[0] == 1);                    \
    CHECK(shmem_sync(team) == 0);                                                         \
    CHECK(shmem_collect(team, all, x, 1) == 0);                                           \
    CHECK(shmem_sync(team) == 0);                                                         \
    CHECK(shmem_alltoall(team, all, x, 1) == 0);                                          \
    CHECK(shmem_sync(team) == 0);                                                         \
    CHECK(shmem_alltoalls(team, all, x, 1, 1, 1) == 0);                                   \
    CHECK(shmem_sync(team) == 0);                                                         \
    CHECK(shmem_max_reduce(team, all, x, 1) == 0 && all[0] == 1);                         \
    CHECK(shmem_sync(team) == 0);                                                         \
    CHECK(shmem_min_reduce(team, all, x, 1) == 0 && all[0] == 1);                         \
    shmem_free(all);                                                                      \
  }
#define DEFINE_SUM(NAME, TYPE)                                                      \
  static TYPE sum_##NAME[3] = {1, 5, 5};                                            \
  static void check_sum_##NAME(int me) {                                            \
    TYPE* const x = sum_##NAME;                                                     \
    const shmem_team_t team = SHMEM_TEAM_WORLD;                                     \
    CHECK(shmem_sum_reduce(team, x + 1, x, 1) == 0 && x[1] == (TYPE)shmem_n_pes()); \
    CHECK(shmem_prod_reduce(team, x + 2, x, 1) == 0 && x[2] == 1);                  \
    shmem_sync_all();                                                               \
    CHECK(shmem_sum_inscan(team, x + 1, x, 1) == 0 && x[1] == (TYPE)(me + 1));      \
    CHECK(shmem_sum_exscan(team, x + 2, x, 1) == 0 && x[2] == (TYPE)me);            \
  }
#define DEFINE_BITS(NAME, TYPE)                                                             \
  static TYPE bits_##NAME[4] = {6, 0, 0, 0};                                                \
  static void check_bits_##NAME(void) {                                                     \
    TYPE* const x = bits_##NAME;                                                            \
    const shmem_team_t team = SHMEM_TEAM_WORLD;                                             \
    CHECK(shmem_and_reduce(team, x + 1, x, 1) == 0 && x[1] == 6);                           \
    CHECK(shmem_or_reduce(team, x + 2, x, 1) == 0 && x[2] == 6);                            \
    CHECK(shmem_xor_reduce(team, x + 3, x, 1) == 0 && x[3] == (shmem_n_pes() % 2 ? 6 : 0)); \
  }
#define DEFINE_SWAP(NAME, TYPE)                                                          \
  static TYPE swap_##NAME;                                                               \
  static void check_swap_##NAME(int me, shmem_ctx_t ctx) {                               \
    TYPE *const x = &swap_##NAME, fetched;                                               \
    const TYPE* const constant = x;                                                      \
    shmem_atomic_set(x, 3, me);                                                          \
    shmem_atomic_set(ctx, x, 4, me);                                                     \
    CHECK(shmem_atomic_fetch(x, me) == 4 && shmem_atomic_fetch(ctx, constant, me) == 4); \
    CHECK(shmem_atomic_swap(x, 5, me) == 4 && shmem_atomic_swap(ctx, x, 6, me) == 5);    \
    shmem_atomic_fetch_nbi(&fetched, constant, me);                                      \
    shmem_atomic_fetch_nbi(ctx, &fetched, x, me);                                        \
    shmem_atomic_swap_nbi(&fetched, x, 7, me);                                           \
    shmem_atomic_swap_nbi(ctx, &fetched, x, 8, me);                                      \
    shmem_ctx_quiet(ctx);                                                                \
    CHECK(fetched == 7 && *x == 8);                                                      \
    shmem_set(x, 2, me);                                                                 \
    CHECK(shmem_swap(x, 1, me) == 2 && shmem_fetch(constant, me) == 1);                  \
  }
#define DEFINE_AMO(NAME, TYPE)                                                              \
  static TYPE amo_##NAME;                                                                   \
  static void check_amo_##NAME(int me, shmem_ctx_t ctx) {                                   \
    TYPE *const x = &amo_##NAME, fetched;                                                   \
    shmem_atomic_inc(x, me);                                                                \
    shmem_atomic_inc(ctx, x, me);                                                           \
    shmem_atomic_add(x, 3, me);                                                             \
    shmem_atomic_add(ctx, x, 5, me);                                                        \
    CHECK(shmem_atomic_fetch_inc(x, me) == 10 && shmem_atomic_fetch_inc(ctx, x, me) == 11); \
    CHECK(shmem_atomic_fetch_add(x, 8, me) == 12);                                          \
    CHECK(shmem_atomic_fetch_add(ctx, x, 1, me) == 20);                                     \
    CHECK(shmem_atomic_compare_swap(x, 21, 30, me) == 21);                                  \
    CHECK(shmem_atomic_compare_swap(ctx, x, 0, 1, me) == 30);                               \
    shmem_atomic_fetch_inc_nbi(&fetched, x, me);                                            \
    shmem_atomic_fetch_inc_nbi(ctx, &fetched, x, me);                                       \
    shmem_atomic_fetch_add_nbi(&fetched, x, 1, me);                                         \
    shmem_atomic_fetch_add_nbi(ctx, &fetched, x, 1, me);                                    \
    shmem_atomic_compare_swap_nbi(&fetched, x, 34, 50, me);                                 \
    shmem_atomic_compare_swap_nbi(ctx, &fetched, x, 50, 60, me);                            \
    shmem_quiet();                                                                          \
    CHECK(fetched == 50 && *x == 60);                                                       \
    shmem_add(x, 1, me);                                                                    \
    shmem_inc(x, me);                                                                       \
    CHECK(shmem_fadd(x, 2, me) == 62 && shmem_finc(x, me) == 64);                           \
    CHECK(shmem_cswap(x, 65, 0, me) == 65 && *x == 0);                                      \
  }
#define DEFINE_LOGIC(NAME, TYPE)                                                                  \
  static TYPE logic_##NAME;                                                                       \
  static void check_logic_##NAME(int me, shmem_ctx_t ctx) {                                       \
    TYPE *const x = &logic_##NAME, fetched;                                                       \
    shmem_atomic_or(x, 1, me);                                                                    \
    shmem_atomic_or(ctx, x, 2, me);                                                               \
    shmem_atomic_and(x, 7, me);                                                                   \
    shmem_atomic_and(ctx, x, 6, me);                                                              \
    shmem_atomic_xor(x, 5, me);                                                                   \
    shmem_atomic_xor(ctx, x, 8, me);                                                              \
    CHECK(shmem_atomic_fetch_or(x, 16, me) == 15 && shmem_atomic_fetch_or(ctx, x, 0, me) == 31);  \
    CHECK(shmem_atomic_fetch_and(x, 30, me) == 31 &&                                              \
          shmem_atomic_fetch_and(ctx, x, 28, me) == 30);                                          \
    CHECK(shmem_atomic_fetch_xor(x, 4, me) == 28 && shmem_atomic_fetch_xor(ctx, x, 8, me) == 24); \
    shmem_atomic_fetch_or_nbi(&fetched, x, 1, me);                                                \
    shmem_atomic_fetch_or_nbi(ctx, &fetched, x, 2, me);                                           \
    shmem_atomic_fetch_and_nbi(&fetched, x, 3, me);                                               \
    shmem_atomic_fetch_and_nbi(ctx, &fetched, x, 3, me);                                          \
    shmem_atomic_fetch_xor_nbi(&fetched, x, 1, me);                                               \
    shmem_atomic_fetch_xor_nbi(ctx, &fetched, x, 0, me);                                          \
    shmem_quiet();                                                                                \
    CHECK(fetched == 2 && *x == 2);                                                               \
  }
#define DEFINE_WAIT(NAME, TYPE)                 \
  static TYPE wait_##NAME[3] = {1, 2, 3};       \
  static void check_wait_##NAME(void) {         \
    TYPE* const x = wait_##NAME;                \
    shmem_wait_until(x, SHMEM_CMP_EQ, 1);       \
    CHECK(shmem_test(x, SHMEM_CMP_GT, 1) == 0); \
  }
#define DEFINE_WAITS(NAME, TYPE)                                                       \
  static void check_waits_##NAME(void) {                                               \
    TYPE* const x = wait_##NAME;                                                       \
    const TYPE each[3] = {1, 2, 3};                                                    \
    size_t indices[3];                                                                 \
    shmem_wait_until_all(x, 3, NULL, SHMEM_CMP_GE, 1);                                 \
    shmem_wait_until_all_vector(x, 3, NULL, SHMEM_CMP_EQ, each);                       \
    CHECK(shmem_wait_until_any(x, 3, NULL, SHMEM_CMP_EQ, 2) == 1);                     \
    CHECK(shmem_wait_until_any_vector(x, 3, NULL, SHMEM_CMP_EQ, each) < 3);            \
    CHECK(shmem_wait_until_some(x, 3, indices, NULL, SHMEM_CMP_EQ, 2) == 1);           \
    CHECK(shmem_wait_until_some_vector(x, 3, indices, NULL, SHMEM_CMP_EQ, each) == 3); \
    CHECK(shmem_test_all(x, 3, NULL, SHMEM_CMP_EQ, 1) == 0);                           \
    CHECK(shmem_test_all_vector(x, 3, NULL, SHMEM_CMP_EQ, each) == 1);                 \
    CHECK(shmem_test_any(x, 3, NULL, SHMEM_CMP_EQ, 9) == SIZE_MAX);                    \
    CHECK(shmem_test_any_vector(x, 3, NULL, SHMEM_CMP_LT, each) == SIZE_MAX);          \
    CHECK(shmem_test_some(x, 3, indices, NULL, SHMEM_CMP_GT, 1) == 2);                 \
    CHECK(shmem_test_some_vector(x, 3, indices, NULL, SHMEM_CMP_GT, each) == 0);       \
  }
#define UCCS_RMA_TYPE(NAME, TYPE) DEFINE_RMA(NAME, TYPE)
#define UCCS_SUM_TYPE(NAME, TYPE) DEFINE_SUM(NAME, TYPE)
#define UCCS_BITS_TYPE(NAME, TYPE) DEFINE_BITS(NAME, TYPE)
#define UCCS_SWAP_TYPE(NAME, TYPE) DEFINE_SWAP(NAME, TYPE)
#define UCCS_AMO_TYPE(NAME, TYPE) DEFINE_AMO(NAME, TYPE)
#define UCCS_LOGIC_TYPE(NAME, TYPE) DEFINE_LOGIC(NAME, TYPE)
#define UCCS_WAIT_TYPE(NAME, TYPE) DEFINE_WAIT(NAME, TYPE)
#define UCCS_WAITS_TYPE(NAME, TYPE) DEFINE_WAITS(NAME, TYPE)
#include "gen/types.def"

/* Names without arguments are the functions. */
static void (*const active_set_sync)(int, int, int, long*) = &shmem_sync;
static void (*const long_wait_until)(long*, int, long) = shmem_wait_until;
static void (*const add_signal)(uint64_t*, uint64_t, int) = &shmem_signal_add;
static void (*const set_signal)(uint64_t*, uint64_t, int) = shmem_signal_set;

int main(void) {
  shmem_init();
  const int me = shmem_my_pe(), n = shmem_n_pes();
  shmem_ctx_t ctx;
  CHECK(shmem_ctx_create(0, &ctx) == 0);
#define UCCS_RMA_TYPE(NAME, TYPE) check_##NAME(me, ctx);
#define UCCS_SUM_TYPE(NAME, TYPE) check_sum_##NAME(me);
#define UCCS_BITS_TYPE(NAME, TYPE) check_bits_##NAME();
#define UCCS_SWAP_TYPE(NAME, TYPE) check_swap_##NAME(me, ctx);
#define UCCS_AMO_TYPE(NAME, TYPE) check_amo_##NAME(me, ctx);
#define UCCS_LOGIC_TYPE(NAME, TYPE) check_logic_##NAME(me, ctx);
#define UCCS_WAIT_TYPE(NAME, TYPE) check_wait_##NAME();
#define UCCS_WAITS_TYPE(NAME, TYPE) check_waits_##NAME();
#include "gen/types.def"

  static long word, pSync[SHMEM_SYNC_SIZE];
  static uint64_t signal;
  shmem_signal_set(&signal, 4, me);
  shmem_signal_add(ctx, &signal, 3, me);
  add_signal(&signal, 1, me);
  CHECK(shmem_signal_fetch(&signal) == 8);
  set_signal(&signal, 2, me);
  shmem_signal_set(SHMEM_CTX_DEFAULT, &signal, 5, me);
  CHECK(signal == 5);
  shmem_sync(0, 0, n, pSync); /* the deprecated function of four arguments */
  active_set_sync(0, 0, n, pSync);
  CHECK(shmem_sync(SHMEM_TEAM_WORLD) == 0);
  long_wait_until(&word, SHMEM_CMP_EQ, 0);
  /* Compound literals, values that convert, arrays, and a generic within a generic. */
  static long array[4];
  shmem_put(array, ((const long[]){5, 6, 7, 8}), 4, me);
  shmem_p(array, 'x', me);
  shmem_p(array, shmem_g(array + 3, me) + shmem_atomic_fetch_add(array + 1, 1, me), me);
  CHECK(array[0] == 14 && array[1] == 7);
  shmem_ctx_destroy(ctx);
  shmem_finalize();
  return 0;
}
