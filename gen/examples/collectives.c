// SPDX-License-Identifier: BSD-3-Clause
#include <shmem.h>
#include <stdio.h>

static double mine, largest;
static int all[64];

int main(void) {
  shmem_init();
  static int me;
  me = shmem_my_pe();
  mine = 1.0 / (me + 1);
  shmem_double_max_reduce(SHMEM_TEAM_WORLD, &largest, &mine, 1);
  if (shmem_n_pes() <= 64) shmem_int_fcollect(SHMEM_TEAM_WORLD, all, &me, 1);
  if (me == 0) printf("largest %g, the last PE is %d\n", largest, all[shmem_n_pes() - 1]);
  shmem_finalize();
  return 0;
}
