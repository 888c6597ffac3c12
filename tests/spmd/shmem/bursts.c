// SPDX-License-Identifier: BSD-3-Clause
/* Many small operations in a row, as a network packs them: what reads sees them, what waits is not
 * waited for by others, and what nobody completes arrives all the same. */
#include <shmem.h>
#include <string.h>
#include <unistd.h>

#include "common.h"

enum { kCount = 1500, kRounds = 5, kLast = 9, kNapUs = 1000, kLargest = 12000 };
static long words[kCount], sums[3], last[kLast], flag;
static int counts[2], me, n, next, previous;

/* Quiet, and a barrier: all of them are there. */
static void put_and_quiet(long salt) {
  for (int i = 0; i < kCount; ++i) shmem_long_p(&words[i], me + i + salt, next);
  shmem_quiet();
  shmem_barrier_all();
  for (int i = 0; i < kCount; ++i) CHECK(words[i] == previous + i + salt);
  shmem_barrier_all();
}

/* A blocking operation on the same PE comes after what was packed before. */
static void count_and_read(void) {
  const long before = shmem_long_atomic_fetch(&sums[0], next);
  shmem_sync_all();
  /* The first ones of a burst leave by themselves, in no order with what reads. */
  for (int i = 0; i < 2; ++i) shmem_long_atomic_add(&sums[1], 0, next);
  for (int i = 0; i < kCount; ++i) shmem_long_atomic_inc(&sums[0], next);
  for (int i = 0; i < kCount; ++i) shmem_long_atomic_add(&sums[1], 2, next);
  CHECK(shmem_long_atomic_fetch_add(&sums[0], 0, next) == before + kCount);
  CHECK(shmem_long_g(&sums[1], next) == 2 * (before + kCount));
  shmem_barrier_all();
}

/* Results of what is not blocking come with quiet, whatever was noted before it. */
static void read_later(long salt) {
  for (int i = 0; i < kCount; ++i) words[i] = me * kCount + i + salt;
  counts[0] = counts[1] = 0;
  shmem_barrier_all();
  static long found[kCount], strided[kCount], old[kCount];
  static int old_counts[kCount];
  for (int i = 0; i < kCount; ++i) {
    shmem_long_get_nbi(&found[i], &words[i], 1, next);
    shmem_long_atomic_fetch_add_nbi(&old[i], &sums[1], 1, next);
    shmem_int_atomic_fetch_inc_nbi(&old_counts[i], &counts[0], next);
    shmem_int_atomic_inc(&counts[1], next);
  }
  shmem_quiet();
  long least = old[0];
  for (int i = 0; i < kCount; ++i) least = old[i] < least ? old[i] : least;
  char seen[kCount] = {0}, seen_counts[kCount] = {0};
  for (int i = 0; i < kCount; ++i) {
    CHECK(old[i] < least + kCount && old_counts[i] >= 0 && old_counts[i] < kCount);
    CHECK(found[i] == next * kCount + i + salt);
    ++seen[old[i] - least];  // in any order
    ++seen_counts[old_counts[i]];
  }
  for (int i = 0; i < kCount; ++i) CHECK(seen[i] == 1 && seen_counts[i] == 1);
  CHECK(shmem_int_g(&counts[0], next) == kCount && shmem_int_g(&counts[1], next) == kCount);
  for (size_t bytes = sizeof(long); bytes <= sizeof words; bytes = bytes * 5 / 2 & ~7ul) {
    for (int i = 0; i < 5; ++i) {
      memset(found, 0, bytes);
      shmem_getmem_nbi(found, words, bytes, next);
    }
    shmem_quiet();
    for (size_t i = 0; i < bytes / sizeof(long); ++i)
      CHECK(found[i] == next * kCount + (long)i + salt);
  }
  shmem_long_iget(strided, words, 1, 3, kCount / 3, next);
  for (int i = 0; i < kCount / 3; ++i) CHECK(strided[i] == next * kCount + 3 * i + salt);
  shmem_barrier_all();
}

/* Longer ones among short ones, of lengths that are no whole words, too. */
static void put_lengths(void) {
  static const size_t kLengths[] = {1, 7, 8, 255, 2047, 2048, 2049, 4088, 4096, 8192, 12000};
  enum { kLengthCount = sizeof kLengths / sizeof *kLengths, kTurns = 40 };
  static unsigned char from[kLargest], to[kTurns][kLargest];
  for (int k = 0; k < kLengthCount; ++k) {
    const size_t length = kLengths[k];
    memset(to[0], 0, sizeof to);
    shmem_barrier_all();
    for (int i = 0; i < kTurns; ++i) {
      memset(from, 1 + k + i + me, length);
      shmem_putmem(to[i], from, length, next);
      if (i % 3 == 0) shmem_long_p(&words[i], length, next);
    }
    shmem_barrier_all();
    for (int i = 0; i < kTurns; ++i) {
      for (size_t b = 0; b < length; ++b) CHECK(to[i][b] == (unsigned char)(1 + k + i + previous));
      CHECK(length == kLargest || to[i][length] == 0);
      if (i % 3 == 0) CHECK(words[i] == (long)length);
    }
    shmem_barrier_all();
  }
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
  for (int i = 0; i < kRounds; ++i) read_later(i * 7);
  put_lengths();
  for (int i = 1; i <= 2 * kRounds; ++i) put_and_wait(i);
  for (int i = 1; i <= kRounds; ++i) put_in_order(i);
  put_and_leave();
  shmem_finalize();
  return 0;
}
