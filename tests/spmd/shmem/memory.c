// SPDX-License-Identifier: BSD-3-Clause
/* The symmetric heap: alignment, contents, growing and shrinking, zero sizes that must not
 * synchronise, exhaustion that leaves everything as it was, and who can reach what. */
#include <stdlib.h>

#include "common.h"

static long global, flag;

int main(void) {
  shmem_init();
  const int me = shmem_my_pe(), n = shmem_n_pes(), next = (me + 1) % n;

  /* Blocks are aligned, distinct, and at the same place on all PEs. */
  char* blocks[40];
  for (size_t i = 0; i < 40; ++i) {
    blocks[i] = shmem_malloc(i * 13 + 1);
    CHECK(blocks[i] && (uintptr_t)blocks[i] % 16 == 0);
    memset(blocks[i], (int)i, i * 13 + 1);
  }
  for (size_t i = 0; i < 40; ++i)
    for (size_t b = 0; b < i * 13 + 1; ++b) CHECK(blocks[i][b] == (char)i);
  static ptrdiff_t distance;
  distance = blocks[39] - blocks[0];
  shmem_barrier_all();
  CHECK(shmem_ptrdiff_g(&distance, next) == distance);
  for (size_t i = 0; i < 40; i += 2) shmem_free(blocks[i]);
  for (size_t i = 1; i < 40; i += 2) shmem_free(blocks[i]);

  for (size_t alignment = sizeof(void*); alignment <= 1 << 16; alignment *= 2) {
    char *aligned = shmem_align(alignment, 100), *other = shmem_align(alignment, 1);
    CHECK(aligned && other && (uintptr_t)aligned % alignment == 0 &&
          (uintptr_t)other % alignment == 0);
    shmem_free(aligned);
    shmem_free(other);
  }

  /* calloc clears what was used before, and knows that products overflow. */
  unsigned char* dirty = shmem_malloc(100000);
  memset(dirty, 0xee, 100000);
  shmem_free(dirty);
  unsigned char* clean = shmem_calloc(1000, 100);
  CHECK(clean);
  for (int i = 0; i < 100000; ++i) CHECK(clean[i] == 0);
  shmem_free(clean);
  CHECK(shmem_calloc(SIZE_MAX / 2, 3) == NULL);
  CHECK(shmem_calloc(SIZE_MAX, SIZE_MAX) == NULL);

  /* No action, no barrier: PEs may disagree. */
  if (me % 2 == 0) {
    CHECK(shmem_malloc(0) == NULL && shmem_calloc(0, 8) == NULL && shmem_calloc(8, 0) == NULL);
    CHECK(shmem_align(64, 0) == NULL && shmem_malloc_with_hints(0, 0) == NULL);
    CHECK(shmem_realloc(NULL, 0) == NULL);
    shmem_free(NULL);
  }

  /* realloc keeps contents, including what others put just before. */
  unsigned char* block = shmem_realloc(NULL, 50);
  CHECK(block);
  unsigned char mine[50];
  memset(mine, me + 1, sizeof mine);
  shmem_putmem(block, mine, 50, next);
  const int writer = (me + n - 1) % n;
  for (size_t size = 100; size < 4000000; size *= 5) {
    char* in_the_way = shmem_malloc(64);
    block = shmem_realloc(block, size);
    CHECK(block);
    for (int i = 0; i < 50; ++i) CHECK(block[i] == writer + 1);
    shmem_free(in_the_way);
  }
  block = shmem_realloc(block, 20);
  CHECK(block);
  for (int i = 0; i < 20; ++i) CHECK(block[i] == writer + 1);

  /* Exhaustion: NULL everywhere, nothing lost. */
  CHECK(shmem_malloc(SIZE_MAX / 4) == NULL);
  CHECK(shmem_realloc(block, SIZE_MAX / 4) == NULL);
  for (int i = 0; i < 20; ++i) CHECK(block[i] == writer + 1);
  CHECK(shmem_realloc(block, 0) == NULL);

  long* hinted = shmem_malloc_with_hints(sizeof *hinted,
                                         SHMEM_MALLOC_ATOMICS_REMOTE | SHMEM_MALLOC_SIGNAL_REMOTE);
  CHECK(hinted);
  shmem_free(hinted);
  hinted = shmem_malloc_with_hints(64, 1L << 40); /* a hint nobody knows */
  CHECK(hinted);

  /* malloc ends in a barrier: what a PE stored before is there after. */
  flag = me + 1;
  long* after = shmem_malloc(8);
  CHECK(shmem_long_g(&flag, next) == next + 1);
  /* free begins with one: what others put before can be read until then. */
  *after = 0;
  shmem_barrier_all();
  shmem_long_p(after, 77, next);
  shmem_sync_all();

  /* Who can reach what. */
  long on_stack = 0, *private_block = malloc(8);
  CHECK(shmem_addr_accessible(after, next) == 1 && shmem_addr_accessible(&global, next) == 1);
  CHECK(shmem_addr_accessible(&on_stack, next) == 0 &&
        shmem_addr_accessible(private_block, me) == 0);
  CHECK(shmem_addr_accessible(NULL, me) == 0 && shmem_addr_accessible(after, n) == 0);
  CHECK(shmem_addr_accessible(after, -1) == 0);
  CHECK(shmem_pe_accessible(me) == 1 && shmem_pe_accessible(n - 1) == 1);
  CHECK(shmem_pe_accessible(n) == 0 && shmem_pe_accessible(-1) == 0);
  CHECK(shmem_ptr(after, me) == after && shmem_ptr(&global, me) == &global);
  CHECK(shmem_ptr(&on_stack, me) == NULL && shmem_ptr(after, n) == NULL);
  CHECK(shmem_ptr(after, -1) == NULL && shmem_ptr(NULL, me) == NULL);
  CHECK(shmem_ptr(private_block, next) == NULL);
  long *there = shmem_ptr(after, next), *global_there = shmem_ptr(&global, next);
  if (shmem_team_translate_pe(SHMEM_TEAM_WORLD, next, SHMEM_TEAM_SHARED) >= 0) {
    CHECK(there && global_there);
    *there = 1000 + me;
    *global_there = 2000 + me;
  } else { /* on another node */
    CHECK(!there && !global_there);
    shmem_long_p(after, 1000 + me, next);
    shmem_long_p(&global, 2000 + me, next);
  }
  shmem_barrier_all();
  CHECK(*after == 1000 + writer && global == 2000 + writer);
  CHECK(shmem_team_ptr(SHMEM_TEAM_WORLD, after, next) == there);
  CHECK(shmem_team_ptr(SHMEM_TEAM_SHARED, after, shmem_team_my_pe(SHMEM_TEAM_SHARED)) == after);
  CHECK(shmem_team_ptr(SHMEM_TEAM_INVALID, after, 0) == NULL);
  CHECK(shmem_team_ptr(SHMEM_TEAM_WORLD, after, n) == NULL);
  free(private_block);
  shmem_free(hinted);
  shmem_free(after);

  /* The old names. */
  char* old = shmalloc(10);
  CHECK(old);
  old = shrealloc(old, 1000);
  CHECK(old);
  shfree(old);
  old = shmemalign(4096, 10);
  CHECK((uintptr_t)old % 4096 == 0);
  shfree(old);
  CHECK(_my_pe() == me && _num_pes() == n);
  shmem_finalize();
  return 0;
}
