// SPDX-License-Identifier: BSD-3-Clause
/* A heap that networks register in chunks: everything arrives wherever a chunk ends, and whoever
 * reaches for it first. */
#include <shmem.h>
#include <stdlib.h>

#include "common.h"

enum { kMiB = 1 << 20, kTotal = 72 * kMiB, kPiece = kMiB + 24, kStep = kMiB - 8 };
static int me, n, next, previous;
static unsigned long *block, *local;
static uint64_t signal_word;

static unsigned long word_of(size_t offset, int writer) {
  return (unsigned long)offset ^ (unsigned long)(writer + 1) << 48;
}
static void fill(size_t offset, size_t bytes) {
  for (size_t i = 0; i < bytes / 8; ++i) local[i] = word_of(offset + i * 8, me);
}
static void check(const unsigned long* words, size_t offset, size_t bytes, int writer) {
  for (size_t i = 0; i < bytes / 8; ++i) CHECK(words[i] == word_of(offset + i * 8, writer));
}
static void clear(void) {
  memset(block, 0, kTotal);
  shmem_barrier_all();
}

/* Long puts, each of which overlaps the one before. */
static void put_long(void) {
  size_t offset = 0;
  clear();
  for (; offset + kPiece <= kTotal; offset += kStep) {
    fill(offset, kPiece);
    shmem_putmem((char*)block + offset, local, kPiece, next);
  }
  shmem_barrier_all();
  check(block, 0, offset - kStep + kPiece, previous);
  shmem_barrier_all();
}

/* Those of one word, and a burst of them, first of all from the far end. */
static void put_words(void) {
  clear();
  for (size_t offset = kTotal - 8; offset >= kMiB; offset -= kMiB - 8)
    shmem_ulong_p(block + offset / 8, word_of(offset, me), next);
  shmem_barrier_all();
  for (size_t offset = kTotal - 8; offset >= kMiB; offset -= kMiB - 8) {
    CHECK(block[offset / 8] == word_of(offset, previous));
    CHECK(shmem_ulong_g(block + offset / 8, next) == word_of(offset, me));
    CHECK(shmem_ulong_atomic_fetch_add(block + offset / 8, 0, next) == word_of(offset, me));
  }
  shmem_barrier_all();
}

static void get_lengths(void) {
  static const size_t kLengths[] = {8, 4096, 100000, 3 * kMiB + 8};
  for (size_t i = 0; i < kTotal / 8; ++i) block[i] = word_of(i * 8, me);
  shmem_barrier_all();
  for (int k = 0; k < 4; ++k) {
    const size_t length = kLengths[k];
    for (size_t offset = 0; offset + length <= kTotal; offset += 4 * kMiB - 8) {
      shmem_getmem(local, (char*)block + offset, length, next);
      check(local, offset, length, next);
    }
    for (size_t offset = 0; offset + length <= kTotal; offset += kTotal / 4 - 8) {
      memset(local, 0, length);
      shmem_getmem_nbi(local, (char*)block + offset, length, next);
      shmem_quiet();
      check(local, offset, length, next);
    }
  }
  shmem_barrier_all();
}

static void put_with_signals(void) {
  uint64_t turn = 0;
  clear();
  for (size_t offset = 0; offset + kPiece <= kTotal; offset += kStep) {
    fill(offset, kPiece);
    shmem_putmem_signal((char*)block + offset, local, kPiece, &signal_word, ++turn,
                        SHMEM_SIGNAL_SET, next);
    shmem_signal_wait_until(&signal_word, SHMEM_CMP_GE, turn);
    check((unsigned long*)((char*)block + offset), offset, kPiece, previous);
  }
  shmem_barrier_all();
}

int main(void) {
  shmem_init();
  me = shmem_my_pe(), n = shmem_n_pes();
  next = (me + 1) % n, previous = (me + n - 1) % n;
  block = shmem_malloc(kTotal), local = malloc(4 * kMiB);
  CHECK(block != NULL && local != NULL);
  put_words();
  put_long();
  get_lengths();
  put_with_signals();
  shmem_free(block);
  free(local);
  shmem_finalize();
  return 0;
}
