// SPDX-License-Identifier: BSD-3-Clause
/* The profiling interface: the program wraps a few routines; the rest goes to the library, which
 * does not call the wrappers itself. */
#include <pshmem.h>

#include "common.h"

static int puts_seen, barriers_seen, quiets_seen;

void shmem_long_put(long* dest, const long* source, size_t nelems, int pe) {
  ++puts_seen;
  pshmem_long_put(dest, source, nelems, pe);
}
void shmem_barrier_all(void) {
  ++barriers_seen;
  pshmem_barrier_all();
}
void shmem_quiet(void) {
  ++quiets_seen;
  pshmem_quiet();
}

static long words[3];

int main(void) {
  shmem_init();
  const int me = shmem_my_pe(), n = shmem_n_pes(), next = (me + 1) % n;
  const long values[3] = {me, me + 1, me + 2};
  shmem_pcontrol(0);
  shmem_pcontrol(3, "with", 4, "arguments");
  pshmem_pcontrol(1);
  shmem_put(words, values, 3, next); /* the generic calls the wrapper, too */
  shmem_long_put(words, values, 3, next);
  pshmem_long_put(words, values, 3, next);
  shmem_barrier_all();
  CHECK(words[2] == (me + n - 1) % n + 2);
  shmem_free(shmem_malloc(8)); /* barriers and quiets within the library are not seen */
  CHECK(puts_seen == 2 && barriers_seen == 1 && quiets_seen == 0);
  shmem_finalize();
  CHECK(barriers_seen == 1);
  return 0;
}
