// SPDX-License-Identifier: BSD-3-Clause
#include <shmem.h>
#include <stdio.h>

int main(void) {
  shmem_init();
  const int me = shmem_my_pe(), pes = shmem_n_pes();
  long* slots = shmem_calloc((size_t)pes, sizeof *slots);  // by all PEs, of the same size
  if (slots == NULL) shmem_global_exit(1);
  shmem_long_p(&slots[me], me + 1, 0);
  shmem_barrier_all();
  if (me == 0) printf("the last PE left %ld\n", slots[pes - 1]);
  shmem_free(slots);
  shmem_finalize();
  return 0;
}
