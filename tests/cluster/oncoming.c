// SPDX-License-Identifier: BSD-3-Clause
// Bytes move both ways at a time: while a long put comes in, which the link between the hosts makes
// take a second, a shorter one to the same PE goes out and is over first.
#include <shmem.h>
#include <stdio.h>
#include <stdlib.h>

enum { kLong = 6 << 20, kShort = 1 << 17 };  // words of 8 bytes

int main(void) {
  shmem_init();
  const int me = shmem_my_pe(), other = shmem_n_pes() / 2;
  long* from = shmem_malloc(kLong * sizeof(long));
  long* to = shmem_calloc(kLong, sizeof(long));
  int wrong = 0;
  for (int i = 0; i < kLong; ++i) from[i] = i + 1;
  shmem_barrier_all();
  if (me == other) {
    shmem_long_put_nbi(to, from, kLong, 0);
  } else if (me == 0) {
    shmem_long_wait_until(to, SHMEM_CMP_NE, 0);
    shmem_long_put(to, from, kShort, other);
    shmem_quiet();
    if (shmem_long_test(&to[kLong - 1], SHMEM_CMP_NE, 0)) {
      fprintf(stderr, "the put waited for what came in\n");
      wrong = 1;
    }
  }
  shmem_barrier_all();
  const int count = me == 0 ? kLong : me == other ? kShort : 0;
  for (int i = 0; i < count; ++i)
    if (to[i] != i + 1) wrong = 1;
  if (wrong) shmem_global_exit(1);
  shmem_finalize();
  return 0;
}
