// SPDX-License-Identifier: BSD-3-Clause
#include <shmem.h>
#include <stdio.h>

static double inbox[8];  // symmetric: every PE has it, any PE may write it

int main(void) {
  shmem_init();
  const int me = shmem_my_pe(), next = (me + 1) % shmem_n_pes();
  double mine[8];
  for (int i = 0; i < 8; ++i) mine[i] = me + i / 10.0;
  shmem_double_put(inbox, mine, 8, next);  // in C11 also shmem_put
  shmem_barrier_all();                     // now it has arrived
  printf("PE %d got %.1f to %.1f\n", me, inbox[0], inbox[7]);
  shmem_finalize();
  return 0;
}
