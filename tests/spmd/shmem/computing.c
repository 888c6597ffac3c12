// SPDX-License-Identifier: BSD-3-Clause
/* A PE that computes, that is, calls nothing, holds up nobody: puts, gets, atomics and signals of
 * others get through. Every PE waits by looking at its own memory. */
#include "common.h"

static long counter, data[1000], seen;
static uint64_t signal_word;

int main(void) {
  shmem_init();
  const int me = shmem_my_pe(), n = shmem_n_pes(), next = (me + n / 2) % n;
  long value[1000];
  for (int i = 0; i < 1000; ++i) value[i] = me + i;
  shmem_barrier_all();
  if (me < n / 2 || n == 1) { /* these work on the others, who only look */
    shmem_long_put(data, value, 1000, next);
    shmem_quiet();
    CHECK(shmem_long_g(&data[999], next) == me + 999);
    CHECK(shmem_long_atomic_fetch_add(&counter, 5, next) == 0);
    CHECK(shmem_long_atomic_fetch(&counter, next) == 5);
    shmem_long_put_signal(&seen, value, 1, &signal_word, 3, SHMEM_SIGNAL_SET, next);
    shmem_quiet();
  } else if (me < n / 2 * 2) {
    while (__atomic_load_n(&signal_word, __ATOMIC_ACQUIRE) != 3) {
    }
    const int writer = me - n / 2;
    CHECK(seen == writer && data[1] == writer + 1 && counter == 5);
  }
  shmem_barrier_all();
  shmem_finalize();
  return 0;
}
