// SPDX-License-Identifier: BSD-3-Clause
/* Litmus tests of fence and quiet: data before flag, store buffering, and visibility to third
 * parties. Each runs many rounds; one wrong outcome fails. */
#include "common.h"

enum { kWords = 33 };
static int repeats;

static long data[kWords], flag, acknowledge;
static long x, y;
static int byte_flag;

/* A producer's data is there when its flag is. */
static void message_passing(int me, int n) {
  const int next = (me + 1) % n, before = (me + n - 1) % n;
  long mine[kWords];
  data[0] = flag = acknowledge = 0;
  shmem_barrier_all();
  for (long round = 1; round <= repeats; ++round) {
    for (int i = 0; i < kWords; ++i) mine[i] = round * 100 + i;
    switch (round % 4) {
      case 0:
        shmem_long_put(data, mine, kWords, next);
        break;
      case 1:
        shmem_long_put_nbi(data, mine, kWords, next);
        break;
      case 2:
        shmem_long_iput(data, mine, 1, 1, kWords, next);
        break;
      default:
        for (int i = 0; i < kWords; ++i) shmem_long_atomic_set(&data[i], mine[i], next);
    }
    shmem_fence();
    if (round % 2 != 0)
      shmem_long_p(&flag, round, next);
    else
      shmem_long_atomic_inc(&flag, next);
    shmem_long_wait_until(&flag, SHMEM_CMP_EQ, round);
    for (int i = 0; i < kWords; ++i) CHECK(data[i] == round * 100 + i);
    shmem_long_p(&acknowledge, round, before);
    shmem_long_wait_until(&acknowledge, SHMEM_CMP_EQ, round);
  }
}

/* As above with a block large enough for every copying strategy, checked at its far end. */
static void large_before_flag(int me, int n) {
  const size_t size = (size_t)40 << 20;
  unsigned char *block = shmem_calloc(size, 1), *mine = shmem_malloc(size);
  const int next = (me + 1) % n;
  CHECK(block && mine);
  byte_flag = 0;
  for (int round = 1; round <= 3; ++round) {
    memset(mine, round, size);
    shmem_barrier_all();
    shmem_putmem_nbi(block, mine, size, next);
    shmem_fence();
    shmem_int_p(&byte_flag, round, next);
    shmem_int_wait_until(&byte_flag, SHMEM_CMP_EQ, round);
    for (size_t i = 0; i < size; i += 4096) CHECK(block[i] == round);
    CHECK(block[size - 1] == round);
  }
  shmem_free(mine);
  shmem_free(block);
}

/* Two PEs each write, quiet and read the other's: not both may miss the other's write. */
static void store_buffering(int me, int n) {
  static long seen[2];
  const int peer = me ^ 1;
  for (int round = 0; round < repeats; ++round) {
    x = y = 0;
    shmem_barrier_all();
    if (me < 2 && n > 1) {
      /* x lives at PE 0, y at PE 1; each PE writes its own and reads the other's */
      if (me == 0) {
        shmem_long_p(&x, 1, 0);
        shmem_quiet();
        seen[0] = shmem_long_g(&y, 1);
      } else {
        y = 1; /* a plain store is ordered, too */
        shmem_quiet();
        seen[1] = shmem_long_g(&x, 0);
      }
      shmem_long_p(&seen[me], seen[me], peer);
    }
    shmem_barrier_all();
    CHECK(me >= 2 || n < 2 || seen[0] + seen[1] >= 1);
  }
}

/* A puts to B, quiets, tells C; C must see B's data. */
static void third_party(int me, int n) {
  if (n < 3) return;
  flag = acknowledge = 0;
  data[0] = 0;
  shmem_barrier_all();
  for (long round = 1; round <= repeats; ++round) {
    if (me == 0) {
      shmem_long_p(&data[0], round, 1);
      const int target = 1;
      if (round % 2 != 0)
        shmem_quiet();
      else
        shmem_pe_quiet(&target, 1);
      shmem_long_p(&flag, round, 2);
      shmem_long_wait_until(&acknowledge, SHMEM_CMP_EQ, round);
    } else if (me == 2) {
      shmem_long_wait_until(&flag, SHMEM_CMP_EQ, round);
      CHECK(shmem_long_g(&data[0], 1) >= round);
      shmem_long_p(&acknowledge, round, 0);
    }
  }
  shmem_pe_quiet(NULL, 0);
  shmem_barrier_all();
}

/* A word is seen whole, whatever routine puts it. */
static void words_move_whole(int me, int n) {
  static uint64_t word;
  static uint64_t stop;
  word = stop = 0;
  shmem_barrier_all();
  if (me == 0) {
    for (uint64_t i = 0; i < (uint64_t)rounds(20000); ++i) {
      const uint64_t value = (i % 2 != 0 ? UINT64_MAX : 0);
      switch (i % 5) {
        case 0:
          shmem_uint64_p(&word, value, n - 1);
          break;
        case 1:
          shmem_uint64_put(&word, &value, 1, n - 1);
          break;
        case 2:
          shmem_putmem(&word, &value, 8, n - 1);
          break;
        case 3:
          shmem_put64(&word, &value, 1, n - 1);
          break;
        default:
          shmem_uint64_iput(&word, &value, 1, 1, 1, n - 1);
      }
    }
    shmem_fence();
    shmem_uint64_p(&stop, 1, n - 1);
  }
  if (me == n - 1) {
    while (!shmem_uint64_test(&stop, SHMEM_CMP_EQ, 1)) {
      const uint64_t seen = shmem_uint64_g(&word, me);
      CHECK(seen == 0 || seen == UINT64_MAX);
    }
  }
  shmem_barrier_all();
}

int main(void) {
  shmem_init();
  const int me = shmem_my_pe(), n = shmem_n_pes();
  repeats = rounds(3000);
  message_passing(me, n);
  large_before_flag(me, n);
  store_buffering(me, n);
  third_party(me, n);
  words_move_whole(me, n);
  /* No context, no effect. */
  shmem_ctx_fence(SHMEM_CTX_INVALID);
  shmem_ctx_quiet(SHMEM_CTX_INVALID);
  shmem_ctx_pe_quiet(SHMEM_CTX_INVALID, NULL, 0);
  shmem_finalize();
  return 0;
}
