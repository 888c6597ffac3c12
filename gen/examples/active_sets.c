// SPDX-License-Identifier: BSD-3-Clause
#include <shmem.h>
#include <stdio.h>

static long source[2], dest[2], pSync[SHMEM_REDUCE_SYNC_SIZE], pWrk[SHMEM_REDUCE_MIN_WRKDATA_SIZE];

int main(void) {
  for (int i = 0; i < SHMEM_REDUCE_SYNC_SIZE; ++i) pSync[i] = SHMEM_SYNC_VALUE;
  shmem_init();
  source[0] = source[1] = shmem_my_pe();
  shmem_barrier_all();
  shmem_long_sum_to_all(dest, source, 2, 0, 0, shmem_n_pes(), pWrk, pSync);
  if (shmem_my_pe() == 0) printf("%ld\n", dest[1]);
  shmem_finalize();
  return 0;
}
