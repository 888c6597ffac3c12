// SPDX-License-Identifier: BSD-3-Clause
#include <shmem.h>
#include <stdio.h>

static long next_ticket;

int main(void) {
  shmem_init();
  // Work is handed out by a counter at PE 0: each number goes to one PE only.
  long ticket;
  while ((ticket = shmem_long_atomic_fetch_inc(&next_ticket, 0)) < 10)
    printf("PE %d does part %ld\n", shmem_my_pe(), ticket);
  shmem_finalize();
  return 0;
}
