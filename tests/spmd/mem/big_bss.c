// SPDX-License-Identifier: BSD-3-Clause
/* Four gigabytes of untouched globals cost nothing at start, and both ends are reachable. */
#include <stdio.h>

#include "check.h"

static char huge[4ull << 30];

int main(void) {
  shmem_init();
  const int me = shmem_my_pe(), next = (me + 1) % shmem_n_pes();
  shmem_char_p(&huge[0], 'a', next);
  shmem_char_p(&huge[sizeof huge - 1], 'z', next);
  shmem_barrier_all();
  CHECK(huge[0] == 'a' && huge[sizeof huge - 1] == 'z' && huge[sizeof huge / 2] == 0);
  long pages = 0;
  FILE* statm = fopen("/proc/self/statm", "r");
  CHECK(statm && fscanf(statm, "%*d %ld", &pages) == 1);
  fclose(statm);
  CHECK(pages * 4096 < (64l << 20));
  shmem_finalize();
  return 0;
}
