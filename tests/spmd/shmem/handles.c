// SPDX-License-Identifier: BSD-3-Clause
/* Operations with a handle, of every type, on the default context and on others; what is promised
 * when the handle is done. */
#include <shmemx.h>

#include "common.h"

enum { kCount = 7 };
static int me, n, next, before;
static char bytes[64];
static shmem_ctx_t ctx;

static void wait_for(shmemx_request_handle_t desc) {
  int flag = 0;
  while (!flag) shmemx_test_req(desc, &flag);
  shmemx_wait_req(SHMEMX_REQUEST_NULL);
}

#define DEFINE_COPIES(FORM, NAME, TYPE)                                                           \
  static void FORM##NAME##_copies(void) {                                                         \
    TYPE source[kCount], got[kCount];                                                             \
    shmemx_request_handle_t put_request = source, get_request = source;                           \
    FILL(source, kCount, me);                                                                     \
    memset(NAME##_at, 0, sizeof NAME##_at);                                                       \
    shmem_barrier_all();                                                                          \
    shmemx_##FORM##NAME##_put_nb(CTX_ARGUMENT_##FORM NAME##_at, source, kCount, next,             \
                                 &put_request);                                                   \
    wait_for(put_request);                                                                        \
    shmemx_##FORM##NAME##_get_nb(CTX_ARGUMENT_##FORM got, NAME##_at, kCount, next, &get_request); \
    shmemx_wait_req(get_request);                                                                 \
    for (int i = 0; i < kCount; ++i) CHECK(SAME(TYPE, got + i, source + i));                      \
    shmemx_##FORM##NAME##_put_nb(CTX_ARGUMENT_##FORM NAME##_at, NULL, 0, next, NULL);             \
    shmem_barrier_all();                                                                          \
    FILL(source, kCount, before);                                                                 \
    for (int i = 0; i < kCount; ++i) CHECK(SAME(TYPE, NAME##_at + i, source + i));                \
    shmem_barrier_all();                                                                          \
  }
#define UCCS_RMA_TYPE(NAME, TYPE) \
  static TYPE NAME##_at[kCount];  \
  DEFINE_COPIES(, NAME, TYPE)     \
  DEFINE_COPIES(ctx_, NAME, TYPE)

#define DEFINE_SWAPS(FORM, NAME, TYPE)                                                         \
  static void FORM##NAME##_swaps(void) {                                                       \
    TYPE got = 0;                                                                              \
    shmemx_request_handle_t request;                                                           \
    NAME##_word = (TYPE)(me + 1);                                                              \
    shmem_barrier_all();                                                                       \
    shmemx_##FORM##NAME##_fetch_nb(CTX_ARGUMENT_##FORM& got, &NAME##_word, next, &request);    \
    wait_for(request);                                                                         \
    CHECK(got == (TYPE)(next + 1));                                                            \
    shmemx_##FORM##NAME##_swap_nb(CTX_ARGUMENT_##FORM& got, &NAME##_word, 50, next, &request); \
    wait_for(request);                                                                         \
    CHECK(got == (TYPE)(next + 1));                                                            \
    shmem_barrier_all();                                                                       \
    CHECK(NAME##_word == 50);                                                                  \
  }
#define UCCS_SWAP_TYPE(NAME, TYPE) \
  static TYPE NAME##_word;         \
  DEFINE_SWAPS(, NAME, TYPE)       \
  DEFINE_SWAPS(ctx_, NAME, TYPE)

#define DEFINE_ADDS(FORM, NAME, TYPE)                                                              \
  static void FORM##NAME##_adds(void) {                                                            \
    const TYPE top = (TYPE)((TYPE)1 << (sizeof(TYPE) * 8 - 2));                                    \
    TYPE got[3];                                                                                   \
    shmemx_request_handle_t requests[5];                                                           \
    NAME##_word = top;                                                                             \
    shmem_barrier_all();                                                                           \
    shmemx_##FORM##NAME##_add_nb(CTX_ARGUMENT_##FORM& NAME##_word, 5, next, requests);             \
    shmemx_##FORM##NAME##_inc_nb(CTX_ARGUMENT_##FORM& NAME##_word, next, requests + 1);            \
    shmemx_wait_req(requests[0]);                                                                  \
    shmemx_wait_req(requests[1]);                                                                  \
    shmemx_##FORM##NAME##_fadd_nb(CTX_ARGUMENT_##FORM got, &NAME##_word, 10, next, requests + 2);  \
    wait_for(requests[2]);                                                                         \
    shmemx_##FORM##NAME##_finc_nb(CTX_ARGUMENT_##FORM got + 1, &NAME##_word, next, requests + 3);  \
    wait_for(requests[3]);                                                                         \
    shmemx_##FORM##NAME##_cswap_nb(CTX_ARGUMENT_##FORM got + 2, &NAME##_word, (TYPE)(top + 17), 3, \
                                   next, requests + 4);                                            \
    wait_for(requests[4]);                                                                         \
    CHECK(got[0] == (TYPE)(top + 6) && got[1] == (TYPE)(top + 16) && got[2] == (TYPE)(top + 17));  \
    shmem_barrier_all();                                                                           \
    CHECK(NAME##_word == 3);                                                                       \
    shmem_barrier_all();                                                                           \
  }
#define UCCS_AMO_TYPE(NAME, TYPE) \
  static TYPE NAME##_word;        \
  DEFINE_ADDS(, NAME, TYPE)       \
  DEFINE_ADDS(ctx_, NAME, TYPE)
#include "gen/types.def"

#define CHECK_SIZE(FORM, BITS, UNITS)                                                        \
  do {                                                                                       \
    char source[64], got[64];                                                                \
    shmemx_request_handle_t request;                                                         \
    memset(source, me + UNITS, sizeof source);                                               \
    memset(bytes, 0, sizeof bytes);                                                          \
    shmem_barrier_all();                                                                     \
    shmemx_##FORM##put##BITS##_nb(CTX_ARGUMENT_##FORM bytes, source, UNITS, next, &request); \
    shmemx_wait_req(request);                                                                \
    shmemx_##FORM##get##BITS##_nb(CTX_ARGUMENT_##FORM got, bytes, UNITS, next, &request);    \
    shmemx_wait_req(request);                                                                \
    CHECK(memcmp(got, source, 48) == 0);                                                     \
    shmem_barrier_all();                                                                     \
    CHECK(bytes[0] == before + UNITS && bytes[47] == before + UNITS && bytes[48] == 0);      \
    shmem_barrier_all();                                                                     \
  } while (0)

int main(void) {
  shmem_init();
  me = shmem_my_pe();
  n = shmem_n_pes();
  next = (me + 1) % n;
  before = (me + n - 1) % n;
  CHECK(shmem_ctx_create(0, &ctx) == 0);
#define UCCS_RMA_TYPE(NAME, TYPE) \
  if (is_turn(3)) NAME##_copies(), ctx_##NAME##_copies();
#define UCCS_SWAP_TYPE(NAME, TYPE) NAME##_swaps(), ctx_##NAME##_swaps();
#define UCCS_AMO_TYPE(NAME, TYPE) NAME##_adds(), ctx_##NAME##_adds();
#define UCCS_SIZE(BITS)                \
  CHECK_SIZE(, BITS, 48 / (BITS / 8)); \
  CHECK_SIZE(ctx_, BITS, 48 / (BITS / 8));
#include "gen/types.def"
  CHECK_SIZE(, mem, 48);
  CHECK_SIZE(ctx_, mem, 48);

  /* A team's numbers, and the generics. */
  shmem_team_t reversed;
  shmem_ctx_t team_ctx;
  CHECK(shmem_team_split_strided(SHMEM_TEAM_WORLD, n - 1, -1, n, NULL, 0, &reversed) == 0);
  CHECK(shmem_team_create_ctx(reversed, SHMEMX_CTX_AGGREGATE, &team_ctx) == 0);
  long value = 7, fetched = -1;
  shmemx_request_handle_t request;
  long_word = me;
  shmem_barrier_all();
  shmemx_fetch_nb(team_ctx, &fetched, &long_word, 0, &request);
  shmemx_wait_req(request);
  CHECK(fetched == n - 1);
  shmem_barrier_all();
  shmemx_put_nb(&long_word, &value, 1, me, NULL);
  shmem_quiet();
  shmemx_fadd_nb(&fetched, &long_word, 1L, me, &request);
  shmemx_wait_req(request);
  CHECK(fetched == 7 && long_word == 8);
  shmem_team_destroy(reversed);
  shmem_ctx_destroy(ctx);

  /* Threads, sessions, properties. */
  shmemx_thread_register();
  shmem_long_p(&long_word, 11, me);
  shmemx_thread_fence();
  shmemx_thread_quiet();
  CHECK(long_word == 11);
  shmemx_thread_unregister();
  shmemx_session_start(SHMEM_CTX_DEFAULT, SHMEM_CTX_SESSION_BATCH | SHMEMX_CTX_SESSION_SAME_AMO |
                                              SHMEMX_CTX_SESSION_HIGH_RATE);
  shmem_long_atomic_add(&long_word, 1, me);
  shmemx_session_stop(SHMEM_CTX_DEFAULT);
  shmemx_ctx_session_start(SHMEM_CTX_INVALID);
  shmemx_ctx_session_stop(SHMEM_CTX_INVALID);
  shmem_quiet();
  CHECK(long_word == 12);
  CHECK(shmemx_query_interoperability(SHMEMX_UCCS_ECS_ARE_PES) == 1);
  CHECK(shmemx_query_interoperability(SHMEMX_SHMEM_INITIALIZES_MPI) == 0);
  CHECK(shmemx_query_interoperability(-1) == 0);
  shmem_finalize();
  return 0;
}
