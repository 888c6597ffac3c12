// SPDX-License-Identifier: BSD-3-Clause
#include <shmem.h>
#include <stdio.h>

static long mine, sum;

int main(void) {
  shmem_init();
  const int me = shmem_my_pe(), pes = shmem_n_pes();
  shmem_team_t evens;
  shmem_team_split_strided(SHMEM_TEAM_WORLD, 0, 2, (pes + 1) / 2, NULL, 0, &evens);
  if (evens != SHMEM_TEAM_INVALID) {
    mine = me;
    shmem_long_sum_reduce(evens, &sum, &mine, 1);
    if (shmem_team_my_pe(evens) == 0) printf("the even numbers add up to %ld\n", sum);
  }
  shmem_team_destroy(evens);
  shmem_finalize();
  return 0;
}
