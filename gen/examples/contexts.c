// SPDX-License-Identifier: BSD-3-Clause
#include <shmem.h>

static long inbox;

int main(void) {
  shmem_init();
  shmem_ctx_t ctx;
  if (shmem_ctx_create(SHMEM_CTX_PRIVATE, &ctx) != 0) ctx = SHMEM_CTX_DEFAULT;
  shmem_ctx_long_p(ctx, &inbox, 1, 0);
  shmem_ctx_quiet(ctx);  // of this context only
  shmem_ctx_destroy(ctx);
  shmem_finalize();
  return 0;
}
