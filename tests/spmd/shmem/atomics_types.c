// SPDX-License-Identifier: BSD-3-Clause
/* Every typed atomic: what it returns and leaves, on edge values, at every PE, in all forms; then
 * that concurrent ones lose nothing. */
#include "common.h"

enum { kRounds = 500 };

/* One PE at a time works on its right neighbour's variable, so that every step can be checked. */
#define EXPECT(NAME, TYPE, at, to, value)                 \
  do {                                                    \
    const TYPE is_ = shmem_##NAME##_atomic_fetch(at, to); \
    const TYPE want_ = (TYPE)(value);                     \
    CHECK(SAME(TYPE, &is_, &want_));                      \
  } while (0)

#define DEFINE_SWAPS(FORM, NAME, TYPE)                                                  \
  static void FORM##NAME##_swaps(CTX_PARAMETER_##FORM TYPE* at, int to) {               \
    TYPE before, value, next;                                                           \
    for (int i = 0; i < 8; ++i) {                                                       \
      fill_value(&value, sizeof value, 1, i);                                           \
      fill_value(&next, sizeof next, 2, i + 4);                                         \
      shmem_##FORM##NAME##_atomic_set(CTX_ARGUMENT_##FORM at, value, to);               \
      QUIET_##FORM;                                                                     \
      before = shmem_##FORM##NAME##_atomic_fetch(CTX_ARGUMENT_##FORM at, to);           \
      CHECK(SAME(TYPE, &before, &value));                                               \
      before = shmem_##FORM##NAME##_atomic_swap(CTX_ARGUMENT_##FORM at, next, to);      \
      CHECK(SAME(TYPE, &before, &value));                                               \
      shmem_##FORM##NAME##_atomic_fetch_nbi(CTX_ARGUMENT_##FORM& before, at, to);       \
      QUIET_##FORM;                                                                     \
      CHECK(SAME(TYPE, &before, &next));                                                \
      shmem_##FORM##NAME##_atomic_swap_nbi(CTX_ARGUMENT_##FORM& before, at, value, to); \
      QUIET_##FORM;                                                                     \
      CHECK(SAME(TYPE, &before, &next));                                                \
      before = shmem_##FORM##NAME##_atomic_fetch(CTX_ARGUMENT_##FORM at, to);           \
      CHECK(SAME(TYPE, &before, &value));                                               \
    }                                                                                   \
  }

#define DEFINE_ADDS(FORM, NAME, TYPE)                                                            \
  static void FORM##NAME##_adds(CTX_PARAMETER_##FORM TYPE* at, int to, int real_to) {            \
    TYPE fetched;                                                                                \
    shmem_##NAME##_atomic_set(at, (TYPE)-1, real_to); /* all ones: the next one wraps or is 0 */ \
    shmem_quiet();                                                                               \
    CHECK(shmem_##FORM##NAME##_atomic_fetch_inc(CTX_ARGUMENT_##FORM at, to) == (TYPE)-1);        \
    EXPECT(NAME, TYPE, at, real_to, 0);                                                          \
    shmem_##FORM##NAME##_atomic_inc(CTX_ARGUMENT_##FORM at, to);                                 \
    QUIET_##FORM;                                                                                \
    EXPECT(NAME, TYPE, at, real_to, 1);                                                          \
    CHECK(shmem_##FORM##NAME##_atomic_fetch_add(CTX_ARGUMENT_##FORM at, (TYPE)-3, to) == 1);     \
    EXPECT(NAME, TYPE, at, real_to, -2);                                                         \
    shmem_##FORM##NAME##_atomic_add(CTX_ARGUMENT_##FORM at, 100, to);                            \
    QUIET_##FORM;                                                                                \
    EXPECT(NAME, TYPE, at, real_to, 98);                                                         \
    CHECK(shmem_##FORM##NAME##_atomic_compare_swap(CTX_ARGUMENT_##FORM at, 97, 1, to) == 98);    \
    EXPECT(NAME, TYPE, at, real_to, 98);                                                         \
    CHECK(shmem_##FORM##NAME##_atomic_compare_swap(CTX_ARGUMENT_##FORM at, 98, (TYPE)-9, to) ==  \
          98);                                                                                   \
    EXPECT(NAME, TYPE, at, real_to, -9);                                                         \
    shmem_##FORM##NAME##_atomic_fetch_inc_nbi(CTX_ARGUMENT_##FORM& fetched, at, to);             \
    QUIET_##FORM;                                                                                \
    CHECK(fetched == (TYPE)-9);                                                                  \
    shmem_##FORM##NAME##_atomic_fetch_add_nbi(CTX_ARGUMENT_##FORM& fetched, at, 8, to);          \
    QUIET_##FORM;                                                                                \
    CHECK(fetched == (TYPE)-8);                                                                  \
    shmem_##FORM##NAME##_atomic_compare_swap_nbi(CTX_ARGUMENT_##FORM& fetched, at, 0, 55, to);   \
    QUIET_##FORM;                                                                                \
    CHECK(fetched == 0);                                                                         \
    EXPECT(NAME, TYPE, at, real_to, 55);                                                         \
  }

#define DEFINE_LOGIC(FORM, NAME, TYPE)                                                             \
  static void FORM##NAME##_logic(CTX_PARAMETER_##FORM TYPE* at, int to, int real_to) {             \
    TYPE fetched;                                                                                  \
    const TYPE ones = (TYPE)-1;                                                                    \
    shmem_##NAME##_atomic_set(at, 0x55, real_to);                                                  \
    shmem_quiet();                                                                                 \
    shmem_##FORM##NAME##_atomic_or(CTX_ARGUMENT_##FORM at, 0x0f, to);                              \
    QUIET_##FORM;                                                                                  \
    CHECK(shmem_##FORM##NAME##_atomic_fetch_or(CTX_ARGUMENT_##FORM at, 0x80, to) == 0x5f);         \
    shmem_##FORM##NAME##_atomic_and(CTX_ARGUMENT_##FORM at, 0xfc, to);                             \
    QUIET_##FORM;                                                                                  \
    CHECK(shmem_##FORM##NAME##_atomic_fetch_and(CTX_ARGUMENT_##FORM at, 0xf0, to) == 0xdc);        \
    shmem_##FORM##NAME##_atomic_xor(CTX_ARGUMENT_##FORM at, ones, to);                             \
    QUIET_##FORM;                                                                                  \
    CHECK(shmem_##FORM##NAME##_atomic_fetch_xor(CTX_ARGUMENT_##FORM at, ones, to) == (TYPE)~0xd0); \
    shmem_##FORM##NAME##_atomic_fetch_or_nbi(CTX_ARGUMENT_##FORM& fetched, at, 1, to);             \
    QUIET_##FORM;                                                                                  \
    CHECK(fetched == 0xd0);                                                                        \
    shmem_##FORM##NAME##_atomic_fetch_and_nbi(CTX_ARGUMENT_##FORM& fetched, at, 0x0f, to);         \
    QUIET_##FORM;                                                                                  \
    CHECK(fetched == 0xd1);                                                                        \
    shmem_##FORM##NAME##_atomic_fetch_xor_nbi(CTX_ARGUMENT_##FORM& fetched, at, ones, to);         \
    QUIET_##FORM;                                                                                  \
    CHECK(fetched == 1);                                                                           \
    EXPECT(NAME, TYPE, at, real_to, ~(TYPE)1);                                                     \
  }

#define DEFINE_OLD_SWAPS(NAME, TYPE)                 \
  static void old_##NAME##_swaps(TYPE* at, int to) { \
    shmem_##NAME##_set(at, 7, to);                   \
    shmem_quiet();                                   \
    CHECK(shmem_##NAME##_swap(at, 9, to) == 7);      \
    CHECK(shmem_##NAME##_fetch(at, to) == 9);        \
  }
#define DEFINE_OLD_ADDS(NAME, TYPE)                  \
  static void old_##NAME##_adds(TYPE* at, int to) {  \
    shmem_##NAME##_set(at, 7, to);                   \
    shmem_quiet();                                   \
    CHECK(shmem_##NAME##_cswap(at, 7, 20, to) == 7); \
    CHECK(shmem_##NAME##_finc(at, to) == 20);        \
    shmem_##NAME##_inc(at, to);                      \
    shmem_quiet();                                   \
    CHECK(shmem_##NAME##_fadd(at, 3, to) == 22);     \
    shmem_##NAME##_add(at, 5, to);                   \
    shmem_quiet();                                   \
    CHECK(shmem_##NAME##_fetch(at, to) == 30);       \
  }

/* All PEs at once: tickets are handed out once each, and counts, bits and locks made of atomics
 * hold. */
#define DEFINE_CONTEST(NAME, TYPE)                                                           \
  static TYPE ticket_##NAME, sum_##NAME, guard_##NAME, guarded_##NAME;                       \
  static int seen_##NAME[8 * kRounds];                                                       \
  static void contest_##NAME(void) {                                                         \
    const int n = shmem_n_pes(), home = n - 1, each = rounds(kRounds), all = n * each;       \
    for (int i = 0; i < each; ++i) {                                                         \
      const TYPE mine = shmem_##NAME##_atomic_fetch_inc(&ticket_##NAME, home);               \
      CHECK(mine < (TYPE)all);                                                               \
      shmem_int_atomic_inc(&seen_##NAME[(int)mine], home);                                   \
      shmem_##NAME##_atomic_add(&sum_##NAME, 3, home);                                       \
      while (shmem_##NAME##_atomic_compare_swap(&guard_##NAME, 0, 1, home) != 0) give_way(); \
      shmem_##NAME##_p(&guarded_##NAME, shmem_##NAME##_g(&guarded_##NAME, home) + 1, home);  \
      shmem_quiet();                                                                         \
      shmem_##NAME##_atomic_set(&guard_##NAME, 0, home);                                     \
    }                                                                                        \
    shmem_barrier_all();                                                                     \
    if (shmem_my_pe() != home) return;                                                       \
    for (int i = 0; i < all; ++i) CHECK(seen_##NAME[i] == 1);                                \
    CHECK(ticket_##NAME == (TYPE)all && sum_##NAME == (TYPE)(3 * all));                      \
    CHECK(guarded_##NAME == (TYPE)all);                                                      \
  }

/* A failed test gives the CPU away when it is shared. */
static int never;
static void give_way(void) { (void)shmem_int_test(&never, SHMEM_CMP_NE, 0); }

#define UCCS_SWAP_TYPE(NAME, TYPE) \
  static TYPE word_##NAME;         \
  DEFINE_SWAPS(, NAME, TYPE)       \
  DEFINE_SWAPS(ctx_, NAME, TYPE)
#define UCCS_AMO_TYPE(NAME, TYPE) \
  DEFINE_ADDS(, NAME, TYPE)       \
  DEFINE_ADDS(ctx_, NAME, TYPE)   \
  DEFINE_CONTEST(NAME, TYPE)
#define UCCS_LOGIC_TYPE(NAME, TYPE) \
  DEFINE_LOGIC(, NAME, TYPE)        \
  DEFINE_LOGIC(ctx_, NAME, TYPE)
#define UCCS_OLD_SWAP_TYPE(NAME, TYPE) DEFINE_OLD_SWAPS(NAME, TYPE)
#define UCCS_OLD_AMO_TYPE(NAME, TYPE) DEFINE_OLD_ADDS(NAME, TYPE)
#include "gen/types.def"

int main(void) {
  shmem_init();
  const int me = shmem_my_pe(), n = shmem_n_pes();
  shmem_ctx_t world, backward;
  shmem_team_t team;
  CHECK(shmem_ctx_create(SHMEM_CTX_SERIALIZED, &world) == 0);
  CHECK(shmem_team_split_strided(SHMEM_TEAM_WORLD, n - 1, -1, n, NULL, 0, &team) == 0);
  CHECK(shmem_team_create_ctx(team, 0, &backward) == 0);
  void* heap = shmem_malloc(8);
  for (int shift = 0; shift < n && shift < 3; ++shift) {
    const int to = (me + shift) % n;
#define UCCS_SWAP_TYPE(NAME, TYPE)                                \
  if (is_turn(7)) NAME##_swaps(&word_##NAME, to);                 \
  if (is_turn(7)) NAME##_swaps(heap, to);                         \
  if (is_turn(7)) ctx_##NAME##_swaps(world, &word_##NAME, to);    \
  if (is_turn(7)) ctx_##NAME##_swaps(backward, heap, n - 1 - to); \
  shmem_barrier_all();
#define UCCS_AMO_TYPE(NAME, TYPE)                                    \
  if (is_turn(7)) NAME##_adds(&word_##NAME, to, to);                 \
  if (is_turn(7)) NAME##_adds(heap, to, to);                         \
  if (is_turn(7)) ctx_##NAME##_adds(world, heap, to, to);            \
  if (is_turn(7)) ctx_##NAME##_adds(backward, heap, n - 1 - to, to); \
  shmem_barrier_all();
#define UCCS_LOGIC_TYPE(NAME, TYPE)                                   \
  if (is_turn(7)) NAME##_logic(&word_##NAME, to, to);                 \
  if (is_turn(7)) NAME##_logic(heap, to, to);                         \
  if (is_turn(7)) ctx_##NAME##_logic(world, heap, to, to);            \
  if (is_turn(7)) ctx_##NAME##_logic(backward, heap, n - 1 - to, to); \
  shmem_barrier_all();
#define UCCS_OLD_SWAP_TYPE(NAME, TYPE)                  \
  if (is_turn(7)) old_##NAME##_swaps(&word_##NAME, to); \
  shmem_barrier_all();
#define UCCS_OLD_AMO_TYPE(NAME, TYPE)                  \
  if (is_turn(7)) old_##NAME##_adds(&word_##NAME, to); \
  shmem_barrier_all();
#include "gen/types.def"
  }
#define UCCS_AMO_TYPE(NAME, TYPE) \
  if (is_turn(3)) contest_##NAME();
#include "gen/types.def"
  shmem_finalize();
  return 0;
}
