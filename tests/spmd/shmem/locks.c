// SPDX-License-Identifier: BSD-3-Clause
/* Locks: mutual exclusion, first come first served, test_lock, in globals, heap and arrays. */
#include "common.h"

enum { kLocks = 5 };
static int repeats;

static long lock, locks[kLocks];
static long counter[8];
static int order[64], position;

/* Read, wait, write: wrong as soon as two are inside. */
static void add_one(long* at, int pe) {
  const long value = shmem_long_g(at, pe);
  if (value % 16 == 0) (void)shmem_long_test(at, SHMEM_CMP_EQ, -1); /* perhaps yields inside */
  shmem_long_p(at, value + 1, pe);
}

int main(void) {
  repeats = rounds(400);
  shmem_init();
  const int me = shmem_my_pe(), n = shmem_n_pes(), home = n / 2;
  long* heap = shmem_calloc(2, sizeof *heap);
  CHECK(heap);
  long* const kinds[3] = {&lock, &heap[0], &heap[1]};
  for (int kind = 0; kind < 3; ++kind) {
    for (int i = 0; i < repeats; ++i) {
      shmem_set_lock(kinds[kind]);
      add_one(&counter[kind], home);
      shmem_clear_lock(kinds[kind]);
    }
  }
  /* Several at once, held in nests and released in another order. */
  for (int i = 0; i < repeats / 4; ++i) {
    shmem_set_lock(&locks[1]);
    shmem_set_lock(&locks[3]);
    add_one(&counter[3], home);
    shmem_clear_lock(&locks[1]);
    add_one(&counter[4], home);
    shmem_clear_lock(&locks[3]);
  }
  for (int i = 0; i < repeats; ++i) {
    while (shmem_test_lock(&locks[4]) != 0) continue;
    add_one(&counter[5], home);
    shmem_clear_lock(&locks[4]);
  }
  /* Both ways of getting one lock. */
  for (int i = 0; i < repeats / 2; ++i) {
    if (i % 2 != 0)
      shmem_set_lock(&locks[0]);
    else
      while (shmem_test_lock(&locks[0]) != 0) continue;
    add_one(&counter[6], home);
    shmem_clear_lock(&locks[0]);
  }
  shmem_barrier_all();
  const long each = n;
  if (me == home) {
    for (int kind = 0; kind < 3; ++kind) CHECK(counter[kind] == each * repeats);
    CHECK(counter[3] == each * (repeats / 4) && counter[4] == each * (repeats / 4));
    CHECK(counter[5] == each * repeats && counter[6] == each * (repeats / 2));
  }

  /* A busy lock is not had by test_lock, which does not queue either. */
  shmem_barrier_all();
  if (me == 0) shmem_set_lock(&lock);
  shmem_barrier_all();
  if (me != 0) CHECK(shmem_test_lock(&lock) == 1);
  shmem_barrier_all();
  if (me == 0) {
    shmem_clear_lock(&lock);
    CHECK(shmem_test_lock(&lock) == 0);
    shmem_clear_lock(&lock);
  }
  shmem_barrier_all();

  /* PEs queue one after the other while PE 0 holds the lock: they get it in that order. PE k asks
   * when k - 1 is about to, and a little later, so the order is all but certain; the count is
   * exact. */
  if (me == 0) shmem_set_lock(&lock);
  shmem_barrier_all();
  if (me != 0) {
    shmem_int_wait_until(&position, SHMEM_CMP_GE, me - 1);
    for (int i = 0; i < 200000; ++i) __asm__ volatile("" ::: "memory");
    if (me + 1 < n) shmem_int_p(&position, me, me + 1);
    shmem_set_lock(&lock);
    const int place = shmem_int_atomic_fetch_inc(&order[63], 0);
    shmem_int_p(&order[place], me, 0);
    shmem_clear_lock(&lock);
  } else {
    for (int i = 0; i < n * 400000; ++i) __asm__ volatile("" ::: "memory");
    shmem_clear_lock(&lock);
  }
  shmem_barrier_all();
  if (me == 0) {
    CHECK(order[63] == n - 1);
    int out_of_order = 0;
    for (int i = 0; i + 1 < n; ++i) out_of_order += order[i] != i + 1;
    if (out_of_order != 0) printf("note: %d of %d PEs asked out of order\n", out_of_order, n - 1);
  }
  shmem_free(heap);
  shmem_finalize();
  return 0;
}
