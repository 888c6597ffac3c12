// SPDX-License-Identifier: BSD-3-Clause
#include <shmem.h>
#include <stdio.h>

static int answer;
static int is_ready;

int main(void) {
  shmem_init();
  if (shmem_my_pe() == 0)
    for (int pe = 0; pe < shmem_n_pes(); ++pe) {
      shmem_int_p(&answer, 42, pe);
      shmem_fence();  // the answer before the flag
      shmem_int_atomic_set(&is_ready, 1, pe);
    }
  shmem_int_wait_until(&is_ready, SHMEM_CMP_EQ, 1);
  printf("PE %d knows %d\n", shmem_my_pe(), answer);
  shmem_finalize();
  return 0;
}
