// SPDX-License-Identifier: BSD-3-Clause
/* Signals: both operators, mixed and from many PEs; a signal carries its own payload. */
#include <stdlib.h>
#include <string.h>

#include "common.h"

enum { kWords = 100 };

static uint64_t signal_word, from_each[64], payload[kWords];

/* Of all lengths, up to those that networks move in another way; the last byte comes last. */
static void long_payloads(int me, int n) {
  static const size_t kLengths[] = {1, 48, 49, 8192, 8193, 100000, 131072, 700001, 2500000};
  enum { kCount = sizeof kLengths / sizeof *kLengths };
  const int next = (me + 1) % n;
  char* const place = shmem_malloc(2 * kLengths[kCount - 1]);
  char* const mine = malloc(2 * kLengths[kCount - 1]);
  CHECK(place != NULL && mine != NULL);
  static uint64_t arrived;
  uint64_t expected = 0;
  for (int round = 1; round <= 3; ++round) {
    for (int i = 0; i < kCount; ++i) {
      const size_t length = kLengths[i];
      memset(mine, round * kCount + i, 2 * length);
      shmem_putmem_signal_nbi(place, mine, length, &arrived, 1, SHMEM_SIGNAL_ADD, next);
      shmem_putmem_signal(place + length, mine + length, length, &arrived, 1, SHMEM_SIGNAL_ADD,
                          next);
      expected += 2;
      CHECK(shmem_signal_wait_until(&arrived, SHMEM_CMP_EQ, expected) == expected);
      for (size_t at = 0; at < 2 * length; ++at) CHECK(place[at] == (char)(round * kCount + i));
      shmem_barrier_all(); /* it is checked, and what was sent is complete */
    }
  }
  free(mine);
  shmem_free(place);
}

int main(void) {
  shmem_init();
  const int me = shmem_my_pe(), n = shmem_n_pes(), next = (me + 1) % n;
  shmem_ctx_t ctx;
  CHECK(shmem_ctx_create(0, &ctx) == 0);

  shmem_signal_set(&signal_word, 10, next);
  CHECK(shmem_signal_wait_until(&signal_word, SHMEM_CMP_NE, 0) == 10);
  CHECK(shmem_signal_fetch(&signal_word) == 10);
  shmem_barrier_all();
  for (int pe = 0; pe < n; ++pe) shmem_ctx_signal_add(ctx, &signal_word, (uint64_t)me + 1, pe);
  const uint64_t sum = 10 + (uint64_t)n * (uint64_t)(n + 1) / 2;
  CHECK(shmem_signal_wait_until(&signal_word, SHMEM_CMP_GE, sum) == sum);
  shmem_barrier_all();
  shmem_signal_add(&signal_word, UINT64_MAX, next); /* minus 1 */
  CHECK(shmem_signal_wait_until(&signal_word, SHMEM_CMP_LT, sum) == sum - 1);
  shmem_barrier_all();
  shmem_ctx_signal_set(ctx, &signal_word, 1ull << 63, next);
  shmem_signal_wait_until(&signal_word, SHMEM_CMP_GT, 1); /* unsigned: the top bit is large */
  shmem_barrier_all();

  /* Each PE's counter at the next PE says how many of its payloads arrived there. */
  const int before = (me + n - 1) % n;
  uint64_t mine[kWords];
  for (uint64_t round = 1; round <= (uint64_t)rounds(300); ++round) {
    for (int i = 0; i < kWords; ++i) mine[i] = round * 1000 + (uint64_t)(me + i);
    const int op = round % 2 != 0 ? SHMEM_SIGNAL_SET : SHMEM_SIGNAL_ADD;
    shmem_uint64_put_signal(payload, mine, kWords, &from_each[me],
                            op == SHMEM_SIGNAL_SET ? round : 1, op, next);
    CHECK(shmem_signal_wait_until(&from_each[before], SHMEM_CMP_EQ, round) == round);
    for (int i = 0; i < kWords; ++i) CHECK(payload[i] == round * 1000 + (uint64_t)(before + i));
    shmem_sync_all(); /* the payload is checked: it may be overwritten */
  }
  long_payloads(me, n);
  shmem_ctx_destroy(ctx);
  shmem_finalize();
  return 0;
}
