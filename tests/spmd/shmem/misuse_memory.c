// SPDX-License-Identifier: BSD-3-Clause
/* Wrong memory: addresses, lengths, overlap, freed blocks, variables of waits, locks. misuse.py
 * says what is to come of each. */
#include <stdlib.h>

#include "misuse.h"

static long words[8];
static uint64_t signal;
static int status[4];
static size_t indices[4];

static long* block(void) { return (long*)shmem_malloc(64); }
static long* freed(void) {
  long* const old = block();
  shmem_free(old);
  return old;
}

static void put_past_heap(void) { shmem_long_put(block(), words, 9, next); }
static void get_past_heap(void) { shmem_getmem(words, (char*)block() + 60, 5, next); }
static void source_past_heap(void) { shmem_putmem(words, block(), 65, next); }
static void put_past_static(void) {
  const size_t bytes = (size_t)1 << 26;
  void* const much = calloc(1, bytes);
  shmem_putmem(words, much, bytes, next);
}
static void put_negative(void) { shmem_long_put(words, words + 1, (size_t)-1, next); }
static void put_wraps(void) { shmem_long_put(words, words + 1, (size_t)1 << 61, next); }
static void put_null_dest(void) { shmem_long_put(NULL, words, 1, next); }
static void put_null_source(void) { shmem_putmem(words, NULL, 4, next); }
static void put_nothing(void) {
  shmem_putmem(NULL, NULL, 0, next);
  shmem_long_get(NULL, words, 0, next);
}
static void put_stack(void) {
  long here = 0;
  shmem_long_put(&here, words, 1, next);
}
static void get_freed(void) { shmem_long_get(words, freed() + 1, 1, next); }
static void p_freed(void) { shmem_long_p(freed(), 1, next); }
static void source_freed(void) { shmem_long_put(words, freed(), 1, next); }
static void atomic_freed(void) { shmem_long_atomic_inc(freed(), next); }
static void wild(void) { shmem_long_p(block() + 100000, 1, next); }
static void free_twice(void) { shmem_free(freed()); }
static void free_inside(void) { shmem_free(block() + 1); }
static void free_static(void) { shmem_free(words); }
static void free_null(void) { shmem_free(NULL); }
static void realloc_freed(void) { (void)shmem_realloc(freed(), 100); }
static void overlap_put(void) { shmem_long_put(words, words + 1, 4, me); }
static void overlap_get(void) { shmem_long_get(words + 2, words, 3, me); }
static void overlap_alias(void) {
  long* const there = (long*)shmem_ptr(words, next);
  shmem_long_put(words + 1, there, 4, next);
}
static void same_put(void) { shmem_long_put(words, words, 4, me); }
static void unaligned_p(void) { shmem_long_p((long*)((char*)words + 1), 1, next); }
static void unaligned_atomic(void) { shmem_int_atomic_inc((int*)((char*)words + 2), next); }
static void stride_zero(void) { shmem_long_iput(words, words + 4, 0, 1, 2, next); }
static void stride_short(void) { shmem_long_ibget(words, words + 4, 2, 1, 2, 2, next); }
static void stride_past(void) { shmem_long_iput(block(), words, 3, 1, 4, next); }
static void overrun(void) {
  long* const own = block();
  own[8] = 1;
  shmem_free(own);
}
static void wait_stack(void) {
  long here = 0;
  shmem_long_wait_until(&here, SHMEM_CMP_EQ, 0);
}
static void wait_freed(void) { shmem_long_wait_until(freed(), SHMEM_CMP_EQ, 1); }
static void wait_null(void) { shmem_int_wait_until(NULL, SHMEM_CMP_EQ, 0); }
static void test_stack(void) {
  long here = 0;
  (void)shmem_long_test(&here, SHMEM_CMP_EQ, 0);
}
static void wait_some_past(void) {
  (void)shmem_long_wait_until_some(block(), 9, indices, status, SHMEM_CMP_EQ, 0);
}
static void signal_stack(void) {
  uint64_t here = 0;
  shmem_long_put_signal(words, words + 4, 1, &here, 1, SHMEM_SIGNAL_SET, next);
}
static void signal_fetch_stack(void) {
  uint64_t here = 0;
  (void)shmem_signal_fetch(&here);
}
static void signal_op(void) { shmem_long_put_signal(words, words + 4, 1, &signal, 1, 77, next); }
static void malloc_negative(void) {
  CHECK(shmem_malloc((size_t)-1) == NULL);
  CHECK(shmem_calloc((size_t)1 << 40, (size_t)1 << 40) == NULL);
}
static void signal_overlap(void) {
  shmem_putmem_signal(&signal, words, 8, &signal, 1, SHMEM_SIGNAL_SET, next);
}
static void ptr_as_dest(void) { shmem_long_p((long*)shmem_ptr(block(), 1 - me), 1, next); }
static void align_small(void) { (void)shmem_align(4, 64); }
static void lock_unheld(void) { shmem_clear_lock(words); }
static void lock_twice(void) {
  if (me == 0) shmem_set_lock(words);
  if (me == 0) shmem_set_lock(words);
}
static void lock_tested_twice(void) {
  if (me == 0) CHECK(shmem_test_lock(words) == 0);
  if (me == 0) (void)shmem_test_lock(words);
}
static void lock_stack(void) {
  long here = 0;
  shmem_set_lock(&here);
}
static void lock_kept(void) {
  if (me == 0) shmem_set_lock(words);
}
static void nbi_pending(void) { shmem_long_put_nbi(words, words + 4, 1, next); }
static void nbi_done(void) {
  static uint64_t fetched;
  shmem_long_put_nbi(words, words + 4, 1, next);
  shmem_uint64_atomic_fetch_nbi(&fetched, &signal, next);
  shmem_quiet();
}
static void nbi_of_context(void) {
  shmem_ctx_t ctx;
  CHECK(shmem_ctx_create(0, &ctx) == 0);
  shmem_ctx_getmem_nbi(ctx, words, words + 4, 8, next);
  shmem_quiet();
}

static const struct misuse all[] = {
    {"put-past-heap", put_past_heap},
    {"get-past-heap", get_past_heap},
    {"source-past-heap", source_past_heap},
    {"put-past-static", put_past_static},
    {"put-negative", put_negative},
    {"put-wraps", put_wraps},
    {"put-null-dest", put_null_dest},
    {"put-null-source", put_null_source},
    {"put-nothing", put_nothing},
    {"put-stack", put_stack},
    {"get-freed", get_freed},
    {"p-freed", p_freed},
    {"source-freed", source_freed},
    {"atomic-freed", atomic_freed},
    {"wild", wild},
    {"free-twice", free_twice},
    {"free-inside", free_inside},
    {"free-static", free_static},
    {"free-null", free_null},
    {"realloc-freed", realloc_freed},
    {"overlap-put", overlap_put},
    {"overlap-get", overlap_get},
    {"overlap-alias", overlap_alias},
    {"same-put", same_put},
    {"unaligned-p", unaligned_p},
    {"unaligned-atomic", unaligned_atomic},
    {"stride-zero", stride_zero},
    {"stride-short", stride_short},
    {"stride-past", stride_past},
    {"overrun", overrun},
    {"wait-stack", wait_stack},
    {"wait-freed", wait_freed},
    {"wait-null", wait_null},
    {"test-stack", test_stack},
    {"wait-some-past", wait_some_past},
    {"signal-stack", signal_stack},
    {"signal-fetch-stack", signal_fetch_stack},
    {"signal-op", signal_op},
    {"malloc-negative", malloc_negative},
    {"signal-overlap", signal_overlap},
    {"ptr-as-dest", ptr_as_dest},
    {"align-small", align_small},
    {"lock-unheld", lock_unheld},
    {"lock-twice", lock_twice},
    {"lock-tested-twice", lock_tested_twice},
    {"lock-stack", lock_stack},
    {"lock-kept", lock_kept},
    {"nbi-pending", nbi_pending},
    {"nbi-done", nbi_done},
    {"nbi-of-context", nbi_of_context},
};

int main(int count, char** arguments) {
  shmem_init();
  me = shmem_my_pe(), n = shmem_n_pes(), next = (me + 1) % n;
  if (count > 1) make_misuse(all, sizeof all / sizeof all[0], arguments[1]);
  shmem_finalize();
  return 0;
}
