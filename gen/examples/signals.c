// SPDX-License-Identifier: BSD-3-Clause
#include <shmem.h>
#include <stdio.h>

static int data[100];
static uint64_t arrived;

int main(void) {
  shmem_init();
  const int me = shmem_my_pe(), next = (me + 1) % shmem_n_pes();
  int mine[100];
  for (int i = 0; i < 100; ++i) mine[i] = me;
  shmem_int_put_signal(data, mine, 100, &arrived, 1, SHMEM_SIGNAL_SET, next);
  shmem_signal_wait_until(&arrived, SHMEM_CMP_EQ, 1);  // then the data is there, too
  printf("PE %d has data of PE %d\n", me, data[99]);
  shmem_finalize();
  return 0;
}
