// SPDX-License-Identifier: BSD-3-Clause
/* Many small operations in a row, as a network packs them: what reads sees them, what waits is not
 * waited for by others, and what nobody completes arrives all the same. */
#include <shmem.h>
#include <unistd.h>

#include "common.h"

enum { kCount = 1500, kRounds = 5, kLast = 9, kNapUs = 1000 };
static long words[kCount], sums[3], last[kLast], flag;
static int me, n, next, previous;

/* Quiet, and a barrier: all of them are there. */
static void put_and_quiet(long salt) {
  for (int i = 0; i < kCount; ++i) shmem_long_p(&words[i], me + i + salt, next);
  shmem_quiet();
  shmem_barrier_all();
  for (int i = 0; i < kCount; ++i) CHECK(words[i] == previous + i + salt);
  shmem_barrier_all();
}

/* A blocking operation on the same PE comes after what was noted before. */
static void count_and_read(void) {
  const long before = shmem_long_atomic_fetch(&sums[0], next);
  shmem_sync_all();
  for (int i = 0; i < kCount; ++i) shmem_long_atomic_inc(&sums[0], next);
  for (int i = 0; i < kCount; ++i) shmem_long_atomic_add(&sums[1], 2, next);
  CHECK(shmem_long_atomic_fetch_add(&sums[0], 0, next) == before + kCount);
  CHECK(shmem_long_g(&sums[1], next) == 2 * (before + kCount));
  shmem_barrier_all();
}

/* Nobody flushes: PEs wait for each other's last word, some after they have done something else. */
static void put_and_wait(long round) {
  for (int i = 0; i < 7; ++i) shmem_long_p(&words[i], round, next);
  shmem_long_p(&flag, round, next);
  if (round % 2 == 1) usleep(kNapUs);
  shmem_long_wait_until(&flag, SHMEM_CMP_EQ, round);
  for (int i = 0; i < 7; ++i) shmem_long_wait_until(&words[i], SHMEM_CMP_EQ, round);
  shmem_barrier_all();
}

/* What is fenced is not seen before what it follows. */
static void put_in_order(long round) {
  for (int i = 0; i < kCount; ++i) shmem_long_p(&words[i], -round, next);
  shmem_fence();
  shmem_long_p(&flag, -round, next);
  shmem_long_wait_until(&flag, SHMEM_CMP_EQ, -round);
  for (int i = 0; i < kCount; ++i) CHECK(words[i] == -round);
  shmem_barrier_all();
}

/* Never touches the library while the last words are on their way. */
static void put_and_leave(void) {
  if (me == 0) {
    for (int pe = 1; pe < n; ++pe)
      for (int i = 0; i < kLast; ++i) shmem_long_p(&last[i], 1, pe);
    volatile long* mine = &sums[2];
    while (*mine != n - 1) usleep(kNapUs);
  } else {
    for (int i = 0; i < kLast; ++i) shmem_long_wait_until(&last[i], SHMEM_CMP_EQ, 1);
    shmem_long_atomic_inc(&sums[2], 0);
    shmem_quiet();
  }
  shmem_barrier_all();
}

int main(void) {
  shmem_init();
  me = shmem_my_pe(), n = shmem_n_pes();
  next = (me + 1) % n, previous = (me + n - 1) % n;
  for (int i = 0; i < kRounds; ++i) put_and_quiet(i * 3);
  for (int i = 0; i < kRounds; ++i) count_and_read();
  for (int i = 1; i <= 2 * kRounds; ++i) put_and_wait(i);
  for (int i = 1; i <= kRounds; ++i) put_in_order(i);
  put_and_leave();
  shmem_finalize();
  return 0;
}
