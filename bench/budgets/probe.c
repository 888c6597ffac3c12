// SPDX-License-Identifier: BSD-3-Clause
/* Runs under callgrind and dumps one file per operation: kCalls calls each, from PE 0 to PE 1. The
 * instructions of an empty loop are dumped as "loop", so that run.py can subtract them. */
#include <shmemx.h>
#include <stdio.h>
#include <stdlib.h>
#include <valgrind/callgrind.h>

enum { kCalls = 1000 };

static long word[8] __attribute__((aligned(64)));
static double real_word;
static uint64_t signal_word;

#define MEASURE(name, statement)                    \
  do {                                              \
    statement; /* first use may resolve a symbol */ \
    CALLGRIND_ZERO_STATS;                           \
    CALLGRIND_TOGGLE_COLLECT;                       \
    for (volatile int i = 0; i < kCalls; ++i) {     \
      statement;                                    \
    }                                               \
    CALLGRIND_TOGGLE_COLLECT;                       \
    CALLGRIND_DUMP_STATS_AT(name);                  \
  } while (0)

int main(void) {
  shmem_init();
  const int peer = shmem_n_pes() - 1;
  long value = 1, *heap_word = shmem_malloc(64);
  shmem_ctx_t ctx, in_team, aggregating, counting;
  shmemx_request_handle_t request;
  /* The PEs backwards: numbering that is arithmetic, as of every strided team. */
  shmem_team_t backward;
  const int n = shmem_n_pes();
  if (!heap_word || shmem_ctx_create(SHMEM_CTX_PRIVATE, &ctx) ||
      shmem_team_split_strided(SHMEM_TEAM_WORLD, n - 1, -1, n, NULL, 0, &backward) ||
      shmem_team_create_ctx(backward, 0, &in_team) ||
      shmem_ctx_create(SHMEMX_CTX_AGGREGATE, &aggregating) ||
      shmem_ctx_create(SHMEMX_CTX_COUNT, &counting))
    shmem_global_exit(1);
  if (shmem_my_pe() == 0) {
    MEASURE("loop", __asm__ volatile("" ::: "memory"));
    MEASURE("long_p heap", shmem_long_p(heap_word, 1, peer));
    MEASURE("long_p static", shmem_long_p(word, 1, peer));
    MEASURE("long_put 1", shmem_long_put(heap_word, &value, 1, peer));
    MEASURE("putmem 8", shmem_putmem(heap_word, &value, 8, peer));
    MEASURE("put_nbi 1", shmem_long_put_nbi(heap_word, &value, 1, peer));
    MEASURE("long_g heap", value = shmem_long_g(heap_word, peer));
    MEASURE("long_get 1", shmem_long_get(&value, heap_word, 1, peer));
    MEASURE("fetch_add", value = shmem_long_atomic_fetch_add(heap_word, 1, peer));
    MEASURE("add", shmem_long_atomic_add(heap_word, 1, peer));
    MEASURE("compare_swap", value = shmem_long_atomic_compare_swap(heap_word, 1, 2, peer));
    MEASURE("double_p static", shmem_double_p(&real_word, 1.0, peer));
    MEASURE("quiet", shmem_quiet());
    MEASURE("fence", shmem_fence());
    MEASURE("ctx long_p", shmem_ctx_long_p(ctx, heap_word, 1, peer));
    MEASURE("ctx long_g", value = shmem_ctx_long_g(ctx, heap_word, peer));
    MEASURE("ctx long_put 1", shmem_ctx_long_put(ctx, heap_word, &value, 1, peer));
    MEASURE("ctx long_get 1", shmem_ctx_long_get(ctx, &value, heap_word, 1, peer));
    MEASURE("ctx putmem 8", shmem_ctx_putmem(ctx, heap_word, &value, 8, peer));
    MEASURE("ctx put_nbi 1", shmem_ctx_long_put_nbi(ctx, heap_word, &value, 1, peer));
    MEASURE("ctx fetch_add", value = shmem_ctx_long_atomic_fetch_add(ctx, heap_word, 1, peer));
    MEASURE("ctx add", shmem_ctx_long_atomic_add(ctx, heap_word, 1, peer));
    MEASURE("ctx compare_swap",
            value = shmem_ctx_long_atomic_compare_swap(ctx, heap_word, 1, 2, peer));
    MEASURE("ctx quiet", shmem_ctx_quiet(ctx));
    MEASURE("ctx fence", shmem_ctx_fence(ctx));
    MEASURE("team ctx long_p", shmem_ctx_long_p(in_team, heap_word, 1, 0));
    MEASURE("team ctx long_g", value = shmem_ctx_long_g(in_team, heap_word, 0));
    MEASURE("team ctx long_put 1", shmem_ctx_long_put(in_team, heap_word, &value, 1, 0));
    MEASURE("team ctx long_get 1", shmem_ctx_long_get(in_team, &value, heap_word, 1, 0));
    MEASURE("team ctx putmem 8", shmem_ctx_putmem(in_team, heap_word, &value, 8, 0));
    MEASURE("team ctx put_nbi 1", shmem_ctx_long_put_nbi(in_team, heap_word, &value, 1, 0));
    MEASURE("team ctx fetch_add",
            value = shmem_ctx_long_atomic_fetch_add(in_team, heap_word, 1, 0));
    MEASURE("team ctx add", shmem_ctx_long_atomic_add(in_team, heap_word, 1, 0));
    MEASURE("team ctx compare_swap",
            value = shmem_ctx_long_atomic_compare_swap(in_team, heap_word, 1, 2, 0));
    MEASURE("team ctx quiet", shmem_ctx_quiet(in_team));
    MEASURE("team ctx fence", shmem_ctx_fence(in_team));
    value = word[1];
    MEASURE("wait_until true", shmem_long_wait_until(&word[1], SHMEM_CMP_EQ, 0));
    MEASURE("test true", value = shmem_long_test(&word[1], SHMEM_CMP_EQ, 0));
    MEASURE("signal_wait_until true",
            value = (long)shmem_signal_wait_until(&signal_word, SHMEM_CMP_GE, 0));
    MEASURE("wait_until_any true",
            value = (long)shmem_long_wait_until_any(&word[1], 1, NULL, SHMEM_CMP_EQ, 0));
    MEASURE("translate_pe team", value = shmem_team_translate_pe(backward, 0, SHMEM_TEAM_WORLD));
    MEASURE("aggregating long_p", shmem_ctx_long_p(aggregating, heap_word, 1, peer));
    MEASURE("aggregating add", shmem_ctx_long_atomic_add(aggregating, heap_word, 1, peer));
    MEASURE("counting long_p", shmem_ctx_long_p(counting, heap_word, 1, peer));
    MEASURE("put_nb 1", shmemx_long_put_nb(heap_word, &value, 1, peer, &request));
    MEASURE("wait_req", shmemx_wait_req(request));
    MEASURE("wait_timeout true",
            shmemx_long_wait_until_timeout(&word[1], SHMEM_CMP_EQ, 0, 1000000));
  }
  shmem_ctx_destroy(ctx);
  shmem_ctx_destroy(in_team);
  shmem_team_destroy(backward);
  shmem_ctx_destroy(aggregating);
  shmem_ctx_destroy(counting);
  shmem_barrier_all();
  shmem_free(heap_word);
  shmem_finalize();
  return 0;
}
