// SPDX-License-Identifier: BSD-3-Clause
#include <shmem.h>
#include <shmemx.h>
#include <stdio.h>

int main(void) {
  shmem_init();
  const double start = shmemx_wtime();
  shmem_barrier_all();
  printf("%s: %g s for a barrier\n", shmemx_nodename(), shmemx_wtime() - start);
  shmem_finalize();
  return 0;
}
