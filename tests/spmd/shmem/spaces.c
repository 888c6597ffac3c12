// SPDX-License-Identifier: BSD-3-Clause
/* Spaces and named heaps: their blocks are symmetric, live and end as they should, fill up, and are
 * freed and resized by the routines of the symmetric heap. */
#include <shmemx.h>

#include "common.h"

enum { kBytes = 1 << 16 };
static int me, n, next;

static void check_symmetric(long* block) {
  CHECK(block != NULL && ((size_t)block & 63) == 0);
  shmem_long_p(block, me, next);
  shmem_barrier_all();
  CHECK(*block == (me + n - 1) % n);
  CHECK(shmem_long_g(block, next) == me);
  shmem_barrier_all();
}

static void check_spaces(void) {
  const size_t before = shmemx_heap_available();
  shmemx_space_config_t config;
  memset(&config, 0, sizeof config);
  config.sheap_size = kBytes;
  shmemx_space_t spaces[3];
  for (int i = 0; i < 3; ++i) {
    shmemx_space_create(config, &spaces[i]);
    CHECK(spaces[i] != SHMEMX_SPACE_INVALID);
    shmemx_space_attach(spaces[i]);
  }
  CHECK(shmemx_heap_available() <= before - 3 * kBytes);
  shmemx_heap_info_t info;
  CHECK(shmemx_space_query(spaces[0], &info) == 0);
  CHECK(info.total == kBytes && info.available == kBytes && info.largest == kBytes);

  /* The first block begins where the space does; to free it must not free the space. */
  long* first = shmemx_space_malloc(spaces[0], 1000);
  check_symmetric(first);
  CHECK(shmemx_malloc_usable_size(first) == 1000);
  CHECK(shmemx_malloc_usable_size(first + 1) == 1000 - sizeof(long));
  long* second = shmemx_space_calloc(spaces[0], 10, sizeof(long));
  for (int i = 0; i < 10; ++i) CHECK(second[i] == 0);
  shmem_barrier_all();
  check_symmetric(second);
  shmem_free(first);
  CHECK(shmemx_malloc_usable_size(first) == 0);
  CHECK(second[0] == (me + n - 1) % n);

  long* aligned = shmemx_space_align(spaces[1], 4096, 8);
  CHECK(((size_t)aligned & 4095) == 0);
  check_symmetric(aligned);
  second = shmem_realloc(second, 5000); /* stays in its space */
  check_symmetric(second);
  CHECK(shmemx_malloc_usable_size(second) == 5000);
  CHECK(shmemx_space_query(spaces[0], &info) == 0);
  CHECK(info.available <= kBytes - 5000 && info.available > kBytes - 6000);

  CHECK(shmemx_space_malloc(spaces[2], kBytes + 1) == NULL);
  CHECK(shmemx_space_malloc(spaces[2], 0) == NULL);
  CHECK(shmemx_space_calloc(spaces[2], SIZE_MAX / 2, 4) == NULL);
  char* all = shmemx_space_malloc_with_hints(spaces[2], kBytes, SHMEMX_MALLOC_NO_BARRIER);
  CHECK(all != NULL && shmemx_space_malloc(spaces[2], 1) == NULL);
  CHECK(shmemx_space_query(spaces[2], &info) == 0 && info.available == 0 && info.largest == 0);
  CHECK(shmem_realloc(second, kBytes + 1) == NULL);
  check_symmetric(second); /* a failed realloc leaves the block */

  shmem_ctx_t ctx;
  CHECK(shmemx_space_create_ctx(spaces[1], SHMEM_CTX_PRIVATE, &ctx) == 0);
  shmem_ctx_long_p(ctx, aligned, 77, next);
  shmem_ctx_quiet(ctx);
  shmem_barrier_all();
  CHECK(*aligned == 77);
  shmem_ctx_destroy(ctx);

  shmemx_space_detach(spaces[1]);
  shmemx_space_destroy(spaces[1]);
  shmemx_space_destroy(spaces[2]);
  shmemx_space_destroy(spaces[0]);
  shmemx_space_destroy(SHMEMX_SPACE_INVALID);
  CHECK(shmemx_heap_available() == before);

  config.sheap_size = SIZE_MAX / 2;
  shmemx_space_create(config, &spaces[0]);
  CHECK(spaces[0] == SHMEMX_SPACE_INVALID && shmemx_space_malloc(spaces[0], 1) == NULL);
  CHECK(shmemx_space_query(spaces[0], &info) == -1);
  config.sheap_size = kBytes;
  config.memkind = SHMEMX_MEM_CUDA;
  shmemx_space_create(config, &spaces[0]);
  CHECK(spaces[0] == SHMEMX_SPACE_INVALID);
}

static void check_names(void) {
  const shmemx_heap_index_t low = shmemx_heap_create_by_name("low", kBytes);
  const shmemx_heap_index_t high = shmemx_heap_create_by_name("high", kBytes);
  CHECK(low > 0 && high > 0 && low != high);
  CHECK(shmemx_heap_create_by_name("low", 1) == -1 && shmemx_heap_create_by_name("", 1) == -1);
  CHECK(shmemx_heap_create_by_name(SHMEMX_HEAP_SYMMETRIC_NAME, 1) == -1);
  CHECK(shmemx_name_to_index("low") == low && shmemx_name_to_index("none") == -1);
  CHECK(strcmp(shmemx_index_to_name(high), "high") == 0 && shmemx_index_to_name(99) == NULL);
  CHECK(shmemx_name_to_index(shmemx_index_to_name(SHMEMX_HEAP_SYMMETRIC)) == 0);
  long* blocks[6] = {
      shmemx_malloc_by_index(low, 100),          shmemx_malloc_by_name("high", 100),
      shmemx_calloc_by_name("low", 4, 8),        shmemx_align_by_index(high, 256, 100),
      shmemx_malloc(SHMEMX_HEAP_SYMMETRIC, 100), shmemx_calloc("high", 1, 8),
  };
  for (int i = 0; i < 6; ++i) check_symmetric(blocks[i]);
  shmemx_heap_info_t info;
  CHECK(shmemx_heap_query_by_index(low, &info) == 0 && info.available == kBytes - 128 - 64);
  CHECK(shmemx_heap_query_by_index(99, &info) == -1);
  CHECK(shmemx_heap_query_by_index(SHMEMX_HEAP_SYMMETRIC, &info) == 0);
  CHECK(info.total == shmemx_heap_total() && info.largest == shmemx_heap_largest());
  CHECK(info.available <= info.total && info.largest <= info.available && info.largest > 0);
  blocks[0] = shmemx_realloc(low, blocks[0], 1000);
  blocks[2] = shmemx_realloc_by_name("low", blocks[2], 2000);
  check_symmetric(blocks[0]);
  check_symmetric(blocks[2]);
  blocks[2] = shmemx_realloc_by_index(low, blocks[2], 0);
  CHECK(blocks[2] == NULL);
  shmemx_free("low", blocks[0]);
  shmemx_free(high, blocks[1]);
  shmemx_free_by_name("high", blocks[3]);
  shmemx_free_by_index(0, blocks[4]);
  shmem_free(blocks[5]);
  CHECK(shmemx_heap_query_by_index(low, &info) == 0 && info.available == kBytes);
}

int main(void) {
  shmem_init();
  me = shmem_my_pe();
  n = shmem_n_pes();
  next = (me + 1) % n;
  check_spaces();
  check_names();
  shmem_finalize(); /* ends the named heaps */
  shmem_init();
  CHECK(shmemx_name_to_index("low") == -1);
  check_names();
  shmem_finalize();
  return 0;
}
