// SPDX-License-Identifier: BSD-3-Clause
/* What is short gets in between the pieces of what is long: over libfabric a get of a word that is
 * posted behind a put of many megabytes is answered before that is over, on the same connection.
 * (Over UCX, which cuts long ones itself, in most runs.) */
#include <stdio.h>
#include <stdlib.h>

#include "common.h"

enum { kWords = 6 << 20, kAttempts = 10 };

static long word;

int main(void) {
  shmem_init();
  const int me = shmem_my_pe();
  CHECK(shmem_n_pes() == 2);
  long* data = shmem_calloc(kWords, sizeof *data);
  long* source = shmem_malloc(kWords * sizeof *source);
  CHECK(data && source);
  word = me + 1;
  shmem_barrier_all();
  int overtook = 0;
  for (long attempt = 1; me == 0 && attempt <= kAttempts; ++attempt) {
    for (int i = 0; i < kWords; ++i) source[i] = attempt * i;
    shmem_long_put_nbi(data, source, kWords, 1);
    CHECK(shmem_long_g(&word, 1) == 2);
    /* A word of the put's last piece: it may come before the quiet, but not yet. */
    const long last = shmem_long_g(&data[kWords - 1], 1);
    CHECK(last == attempt * (kWords - 1) || last == (attempt - 1) * (kWords - 1));
    overtook += last != attempt * (kWords - 1);
    shmem_quiet();
    CHECK(shmem_long_g(&data[kWords - 1], 1) == attempt * (kWords - 1));
  }
  if (me == 0) {
    printf("%d of %d gets came before the end of the put that they followed\n", overtook,
           kAttempts);
    const char* network = getenv("UCCS_NET");
    /* All would, but who has no CPU for long asks late. */
    if (network && strncmp(network, "ofi", 3) == 0) CHECK(overtook > 0);
  }
  shmem_barrier_all();
  for (int i = 0; i < kWords && me == 1; ++i) CHECK(data[i] == (long)kAttempts * i);
  shmem_finalize();
  return 0;
}
