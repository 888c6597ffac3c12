// SPDX-License-Identifier: BSD-3-Clause
/* Without SHMEM_SYMMETRIC_SIZE the heap is as large as the machine: a large block costs only what
 * is touched of it, its far end is reachable, and what is too large is refused on every PE alike.
 */
#include <stdint.h>

#include "check.h"

int main(void) {
  shmem_init();
  const int me = shmem_my_pe(), next = (me + 1) % shmem_n_pes();
  const size_t bytes = 2ull << 30;
  char* block = shmem_malloc(bytes);
  CHECK(block != NULL && (uintptr_t)block % 16 == 0);
  shmem_char_p(block + bytes - 1, (char)(me + 1), next);
  shmem_barrier_all();
  CHECK(block[bytes - 1] == (char)((me + shmem_n_pes() - 1) % shmem_n_pes() + 1));
  CHECK(shmem_malloc((size_t)1 << 60) == NULL);
  CHECK(shmem_malloc(SIZE_MAX) == NULL);
  char* after = shmem_malloc(100);
  CHECK(after != NULL);
  shmem_free(after);
  shmem_free(block);
  shmem_finalize();
  return 0;
}
