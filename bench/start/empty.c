// SPDX-License-Identifier: BSD-3-Clause
/* Starts and ends: what bench/run.py times. */
#include <shmem.h>

int main(void) {
  shmem_init();
  shmem_finalize();
  return 0;
}
