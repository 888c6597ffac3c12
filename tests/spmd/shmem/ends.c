// SPDX-License-Identifier: BSD-3-Clause
/* Ways to end a job, right and wrong; ends.py runs them and looks at status and messages. */
#include <shmemx.h>
#include <stdlib.h>
#include <unistd.h>

#include "common.h"

static long word;
static uint64_t signal;

static void misuse(const char* what, int me, int n) {
  long on_stack = 0;
  if (!strcmp(what, "put-pe")) shmem_long_put(&word, &on_stack, 1, n);
  if (!strcmp(what, "p-negative-pe")) shmem_long_p(&word, 1, -1);
  if (!strcmp(what, "p-stack")) shmem_long_p(&on_stack, 1, me);
  if (!strcmp(what, "get-private")) shmem_getmem(&word, malloc(8), 8, me);
  if (!strcmp(what, "atomic-pe")) shmem_long_atomic_inc(&word, 1000000);
  if (!strcmp(what, "atomic-null")) shmem_int_atomic_fetch_add(NULL, 1, me);
  if (!strcmp(what, "ctx-pe")) {
    shmem_team_t team;
    shmem_ctx_t ctx = SHMEM_CTX_INVALID;
    if (shmem_team_split_strided(SHMEM_TEAM_WORLD, 0, 1, 1, NULL, 0, &team) != 0) return;
    if (me == 0 && n > 1 && shmem_team_create_ctx(team, 0, &ctx) == 0)
      shmem_ctx_long_p(ctx, &word, 1, 1);
    shmem_barrier_all();
  }
  if (!strcmp(what, "ctx-invalid")) shmem_ctx_int_g(SHMEM_CTX_INVALID, (int*)&word, me);
  if (!strcmp(what, "signal-op")) shmem_long_put_signal(&word, &on_stack, 1, &signal, 1, 99, me);
  if (!strcmp(what, "cmp")) shmem_long_wait_until(&word, 77, 1);
  if (!strcmp(what, "free-twice")) {
    void* block = shmem_malloc(8);
    shmem_free(block);
    shmem_free(block);
  }
  if (!strcmp(what, "free-stack")) shmem_free(&on_stack);
  if (!strcmp(what, "root")) shmem_long_broadcast(SHMEM_TEAM_WORLD, &word, &word, 1, n);
  if (!strcmp(what, "lock-stack")) shmem_set_lock(&on_stack);
  if (!strcmp(what, "align")) shmem_align(24, 8);
  if (!strcmp(what, "active-set")) shmem_barrier(0, 0, n + 1, &word);
}

static void misuse_extensions(const char* what, int me, int n) {
  static size_t offsets[8], sizes[8] = {8, 8, 8, 8, 8, 8, 8, 8};
  static long source[8], target[8];
  size_t total;
  long on_stack = 0;
  if (!strcmp(what, "packed-length"))
    shmemx_alltoallv_packed(target, 8 * (size_t)n - 1, &total, source, offsets, sizes, 0, 0, n,
                            NULL);
  if (!strcmp(what, "packed-team"))
    shmemx_team_alltoallv_packed(target, 64, &total, source, offsets, sizes, SHMEM_TEAM_INVALID,
                                 NULL);
  if (!strcmp(what, "heap-index")) shmemx_malloc_by_index(5, 8);
  if (!strcmp(what, "heap-name")) shmemx_calloc_by_name("nowhere", 1, 8);
  if (!strncmp(what, "space-", 6)) {
    shmemx_space_config_t config = {4096, 0, SHMEMX_MEM_HOST, NULL, 0};
    shmemx_space_t space;
    shmemx_space_create(config, &space);
    char* block = shmemx_space_malloc(space, 1000);
    if (!strcmp(what, "space-free-inside")) shmem_free(block + 64);
    if (!strcmp(what, "space-free-twice")) shmem_free(block), shmem_free(block);
    if (!strcmp(what, "space-align")) shmemx_space_align(space, 3, 8);
    shmemx_space_destroy(space);
    if (!strcmp(what, "space-destroy-twice")) shmemx_space_destroy(space);
  }
  if (!strcmp(what, "timeout-cmp")) shmemx_long_wait_until_timeout(&word, 0, 1, 5);
  if (!strcmp(what, "nb-stack")) shmemx_long_put_nb(&on_stack, source, 1, me, NULL);
  if (!strcmp(what, "nb-pe")) shmemx_long_inc_nb(&word, n, NULL);
  if (!strcmp(what, "counting-pe")) {
    shmem_ctx_t ctx;
    if (shmem_ctx_create(SHMEMX_CTX_COUNT, &ctx) == 0) shmem_ctx_long_p(ctx, &word, 1, n);
  }
}

int main(int count, char** arguments) {
  const char* what = count > 1 ? arguments[1] : "";
  const int status = count > 2 ? atoi(arguments[2]) : 0;
  if (!strcmp(what, "exit-before-init")) shmem_global_exit(status);
  if (!strcmp(what, "put-before-init")) {
    shmem_long_p(&word, 1, 5);
    return 0;
  }
  shmem_init();
  const int me = shmem_my_pe(), n = shmem_n_pes();
  if (!strcmp(what, "global-exit")) { /* the last PE ends the others, wherever they are */
    printf("PE %d unflushed", me);
    if (me == n - 1) {
      usleep(100000);
      shmem_global_exit(status);
    }
    if (me % 3 == 0) shmem_barrier_all();
    if (me % 3 == 1) shmem_long_wait_until(&word, SHMEM_CMP_EQ, 1);
    while (1) sleep(1);
  }
  if (!strcmp(what, "all-global-exit")) shmem_global_exit(status);
  if (!strcmp(what, "no-finalize")) {
    shmem_long_p(&word, 7, (me + 1) % n);
    if (me == 0) usleep(50000);
    return 0; /* finalized at exit, with the others */
  }
  if (!strcmp(what, "exit")) {
    if (me == 0) exit(status);
    shmem_barrier_all();
  }
  if (!strcmp(what, "abort")) {
    if (me == n - 1) abort();
    shmem_barrier_all();
  }
  if (!strcmp(what, "exhaust")) {
    CHECK(shmem_malloc((size_t)1 << 60) == NULL);
    CHECK(shmem_malloc((size_t)1 << 60) == NULL);
  }
  misuse(what, me, n);
  misuse_extensions(what, me, n);
  shmem_finalize();
  return status;
}
