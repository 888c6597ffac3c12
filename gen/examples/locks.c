// SPDX-License-Identifier: BSD-3-Clause
#include <shmem.h>
#include <stdio.h>

static long lock;
static long account;

int main(void) {
  shmem_init();
  for (int i = 0; i < 10; ++i) {
    shmem_set_lock(&lock);
    shmem_long_p(&account, shmem_long_g(&account, 0) + 1, 0);
    shmem_clear_lock(&lock);  // completes the put, then lets the next one in
  }
  shmem_barrier_all();
  if (shmem_my_pe() == 0) printf("%ld\n", account);
  shmem_finalize();
  return 0;
}
