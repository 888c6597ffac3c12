// SPDX-License-Identifier: BSD-3-Clause
/* Contexts that pack what goes to other nodes: ordering, completion, full buffers, results, what is
 * too long to be packed, threads, and the end of a context. On one node the same has to hold. */
#include <pthread.h>
#include <shmemx.h>

#include "common.h"

enum { kWords = 6000, kBytes = 100000, kRounds = 5 };

static long words[kWords], flag, back, counter;
static uint64_t signal_word, results[16];
static uint32_t small;
static double real;
static float single;
static unsigned char bytes[kBytes + 1]; /* one more behind what is put */
static int me, n, next, previous;
static shmem_ctx_t ctx;

/* Small ones, each seen before the next by whoever waits for it. */
static void check_fence(void) {
  flag = 0;
  shmem_barrier_all();
  for (int round = 1; round <= kRounds; ++round) {
    for (int i = 0; i < 100; ++i) shmem_ctx_long_p(ctx, &words[i], round * 1000 + i, next);
    shmem_ctx_fence(ctx);
    shmem_ctx_long_p(ctx, &flag, round, next);
    shmem_ctx_quiet(ctx);
    shmem_long_wait_until(&flag, SHMEM_CMP_GE, round);
    for (int i = 0; i < 100; ++i) CHECK(words[i] >= round * 1000 + i);
    shmem_barrier_all();
  }
}

/* Nobody calls quiet: what is packed leaves all the same, while those who packed it wait. */
static void check_age(void) {
  flag = back = 0;
  shmem_barrier_all();
  for (int round = 1; round <= kRounds; ++round) {
    shmem_ctx_long_p(ctx, &flag, round, next);
    shmem_long_wait_until(&flag, SHMEM_CMP_GE, round);
    shmem_ctx_long_atomic_set(ctx, &back, round, previous);
    shmem_long_wait_until(&back, SHMEM_CMP_GE, round);
  }
  shmem_ctx_quiet(ctx);
  shmem_barrier_all();
}

/* More than any buffer holds, to all PEs in turn. */
static void check_full(void) {
  counter = 0;
  memset(words, 0, sizeof words);
  shmem_barrier_all();
  for (int i = 0; i < kWords; ++i) {
    const int pe = i % n;
    if ((i / n) % n == me) shmem_ctx_long_p(ctx, &words[i], 7 * i, pe);
    shmem_ctx_long_atomic_add(ctx, &counter, i, pe);
  }
  shmem_ctx_quiet(ctx);
  shmem_barrier_all();
  long expected = 0;
  for (int i = 0; i < kWords; ++i) {
    if (i % n == me) expected += (long)n * i;
    CHECK(words[i] == (i % n == me ? 7 * i : 0));
  }
  CHECK(counter == expected);
  shmem_barrier_all();
}

/* Every length around the limits, put and got back. */
static void check_lengths(void) {
  static const size_t kLengths[] = {1,    2,    3,    4,    5,    7,     8,         9,
                                    63,   64,   65,   511,  2040, 2047,  2048,      2049,
                                    4095, 8191, 8192, 8193, 9000, 20000, kBytes - 1};
  static unsigned char from[kBytes], got[kBytes];
  for (size_t l = 0; l < sizeof kLengths / sizeof *kLengths; ++l) {
    const size_t length = kLengths[l];
    for (size_t i = 0; i < kBytes; ++i) from[i] = (unsigned char)(i * 31 + l + (size_t)me);
    memset(bytes, 0, sizeof bytes);
    shmem_barrier_all();
    shmem_ctx_putmem(ctx, bytes + 1, from, length, next);
    memset(from, 0xff, sizeof from);                     /* free on return */
    shmem_ctx_getmem(ctx, got, bytes + 1, length, next); /* sees it if it was packed */
    if (length <= 64)
      for (size_t i = 0; i < length; ++i) CHECK(got[i] == (unsigned char)(i * 31 + l + (size_t)me));
    shmem_ctx_quiet(ctx);
    memset(got, 0, sizeof got);
    shmem_ctx_getmem_nbi(ctx, got, bytes + 1, length, next);
    shmem_ctx_quiet(ctx);
    for (size_t i = 0; i < length; ++i) CHECK(got[i] == (unsigned char)(i * 31 + l + (size_t)me));
    shmem_barrier_all();
    for (size_t i = 0; i < length; ++i)
      CHECK(bytes[1 + i] == (unsigned char)(i * 31 + l + (size_t)previous));
    CHECK(bytes[0] == 0 && bytes[1 + length] == 0);
    shmem_barrier_all();
  }
}

/* All that has a result, each only after quiet, and on a word of its own: messages are in no order.
 */
static void check_results(void) {
  for (int i = 0; i < 16; ++i) results[i] = (uint64_t)(100 + i);
  small = 10;
  real = 1.5;
  single = 2.5f;
  shmem_barrier_all();
  if (me == 0) {
    uint64_t a = 99, b = 99, c = 99, d = 99, e = 99, f = 99, g = 99, h = 99;
    uint32_t i = 99;
    double x = 99;
    float z = 99;
    shmem_ctx_uint64_atomic_fetch_nbi(ctx, &a, results, next);
    shmem_ctx_uint64_atomic_fetch_add_nbi(ctx, &b, results + 1, 2, next);
    shmem_ctx_uint64_atomic_fetch_inc_nbi(ctx, &c, results + 2, next);
    shmem_ctx_uint64_atomic_fetch_or_nbi(ctx, &d, results + 3, 0xf00, next);
    shmem_ctx_uint64_atomic_fetch_and_nbi(ctx, &e, results + 4, 0xf, next);
    shmem_ctx_uint64_atomic_swap_nbi(ctx, &f, results + 5, 1, next);
    shmem_ctx_uint64_atomic_compare_swap_nbi(ctx, &g, results + 6, 106, 77, next);
    shmem_ctx_uint64_atomic_compare_swap_nbi(ctx, &h, results + 7, 1, 77, next);
    shmem_ctx_uint32_atomic_fetch_xor_nbi(ctx, &i, &small, 3, next);
    shmem_ctx_double_atomic_swap_nbi(ctx, &x, &real, 3.25, next);
    shmem_ctx_float_atomic_swap_nbi(ctx, &z, &single, 4.5f, next);
    shmem_ctx_quiet(ctx);
    CHECK(a == 100 && b == 101 && c == 102 && d == 103 && e == 104 && f == 105);
    CHECK(g == 106 && h == 107 && i == 10 && x == 1.5 && z == 2.5f);
    static const uint64_t kAfter[] = {100, 103, 103, 103 | 0xf00, 104 & 0xf, 1, 77, 107};
    for (int k = 0; k < 8; ++k) CHECK(shmem_ctx_uint64_g(ctx, results + k, next) == kAfter[k]);
    CHECK(shmem_ctx_uint32_g(ctx, &small, next) == 9);
    CHECK(shmem_ctx_double_g(ctx, &real, next) == 3.25);
    CHECK(shmem_ctx_float_g(ctx, &single, next) == 4.5f);
    /* With its result at once: after what was packed for the same PE. */
    shmem_ctx_uint64_atomic_add(ctx, results, 3, next);
    CHECK(shmem_ctx_uint64_atomic_fetch_add(ctx, results, 1, next) == 103);
    shmem_ctx_uint64_p(ctx, results + 1, 44, next);
    CHECK(shmem_ctx_uint64_g(ctx, results + 1, next) == 44);
    shmem_ctx_uint64_atomic_set(ctx, results + 2, 45, next);
    CHECK(shmem_ctx_uint64_atomic_swap(ctx, results + 2, 9, next) == 45);
    shmem_ctx_uint64_atomic_xor(ctx, results + 2, 1, next);
    CHECK(shmem_ctx_uint64_atomic_compare_swap(ctx, results + 2, 9, 10, next) == 8);
  }
  shmem_barrier_all();
}

/* Reads of many words, more answers than a message holds. */
static void check_gather(void) {
  static long got[kWords];
  for (int i = 0; i < kWords; ++i) words[i] = 100000L * me + i;
  shmem_barrier_all();
  for (int i = 0; i < kWords; ++i)
    shmem_ctx_long_get_nbi(ctx, &got[i], &words[kWords - 1 - i], 1, i % n);
  shmem_ctx_quiet(ctx);
  for (int i = 0; i < kWords; ++i) CHECK(got[i] == 100000L * (i % n) + kWords - 1 - i);
  memset(got, 0, sizeof got);
  shmem_ctx_long_iget(ctx, got, words, 2, 3, 1000, next);
  for (int i = 0; i < 1000; ++i) CHECK(got[2 * i] == 100000L * next + 3 * i && got[2 * i + 1] == 0);
  shmem_barrier_all();
}

static void check_signals(void) {
  static long from[64];
  signal_word = 0;
  shmem_barrier_all();
  for (int round = 1; round <= kRounds; ++round) {
    for (int i = 0; i < 64; ++i) from[i] = round * 100 + i;
    shmem_ctx_long_iput(ctx, words + 100, from, 2, 1, 64, next);
    shmem_ctx_long_put_signal(ctx, words, from, 64, &signal_word, 1, SHMEM_SIGNAL_ADD, next);
    shmem_signal_wait_until(&signal_word, SHMEM_CMP_GE, (uint64_t)round);
    for (int i = 0; i < 64; ++i) CHECK(words[i] >= round * 100 + i);
    shmem_barrier_all();
  }
  shmem_ctx_quiet(ctx);
  shmem_barrier_all();
  for (int i = 0; i < 64; ++i) CHECK(words[100 + 2 * i] == kRounds * 100 + i);
  shmem_barrier_all();
}

/* With a handle; to some PEs only; at the end of a session, of a context, of a team. */
static void check_ends(void) {
  memset(words, 0, 100 * sizeof *words);
  shmem_barrier_all();
  long value = 11;
  shmemx_request_handle_t handle;
  shmemx_ctx_long_put_nb(ctx, &words[0], &value, 1, next, &handle);
  shmemx_wait_req(handle);
  CHECK(shmem_long_g(&words[0], next) == 11);
  shmem_ctx_long_p(ctx, &words[1], 12, next);
  shmem_ctx_pe_quiet(ctx, &next, 1);
  CHECK(shmem_long_g(&words[1], next) == 12);
  shmem_ctx_session_start(ctx, 0, NULL, 0);
  shmem_ctx_long_p(ctx, &words[2], 13, next);
  shmem_ctx_session_stop(ctx);
  shmem_long_wait_until(&words[2], SHMEM_CMP_EQ, 13);

  shmem_ctx_t other;
  CHECK(shmem_ctx_create(SHMEMX_CTX_AGGREGATE | SHMEM_CTX_PRIVATE, &other) == 0);
  shmem_ctx_long_p(other, &words[3], 14, next);
  shmem_ctx_destroy(other);
  CHECK(shmem_long_g(&words[3], next) == 14);

  shmem_team_t reversed;
  CHECK(shmem_team_split_strided(SHMEM_TEAM_WORLD, n - 1, -1, n, NULL, 0, &reversed) == 0);
  CHECK(shmem_team_create_ctx(reversed, SHMEMX_CTX_AGGREGATE, &other) == 0);
  const int there = (n - 1 - me + 1) % n;
  for (int i = 0; i < 1000; ++i) shmem_ctx_long_p(other, &words[4 + i], 15 + i, there);
  shmem_team_destroy(reversed);
  shmem_barrier_all();
  for (int i = 0; i < 1000; ++i) CHECK(words[4 + i] == 15 + i);
  shmem_barrier_all();
}

enum { kThreads = 3, kEach = 2000 };
static int each;

static void* add_and_read(void* argument) {
  const long number = *(const long*)argument;
  static long from[kThreads][kEach];
  for (int i = 0; i < each; ++i) {
    shmem_ctx_long_atomic_inc(ctx, &counter, i % n);
    shmem_ctx_long_get_nbi(ctx, &from[number][i], &words[i], 1, (i + (int)number) % n);
    if (i % 700 == 0) shmem_ctx_quiet(ctx);
  }
  shmem_ctx_quiet(ctx);
  for (int i = 0; i < each; ++i) CHECK(from[number][i] == 1000L * ((i + (int)number) % n) + i);
  return NULL;
}

static void check_threads(void) {
  pthread_t threads[kThreads];
  long numbers[kThreads];
  counter = 0;
  each = rounds(kEach);
  for (int i = 0; i < each; ++i) words[i] = 1000L * me + i;
  shmem_barrier_all();
  for (long t = 0; t < kThreads; ++t) {
    numbers[t] = t;
    CHECK(pthread_create(&threads[t], NULL, add_and_read, &numbers[t]) == 0);
  }
  for (int t = 0; t < kThreads; ++t) pthread_join(threads[t], NULL);
  shmem_barrier_all();
  long expected = 0;
  for (int i = 0; i < each; ++i) expected += i % n == me ? (long)n * kThreads : 0;
  CHECK(counter == expected);
  shmem_barrier_all();
}

int main(void) {
  int provided;
  CHECK(shmem_init_thread(SHMEM_THREAD_MULTIPLE, &provided) == 0);
  me = shmem_my_pe();
  n = shmem_n_pes();
  next = (me + 1) % n;
  previous = (me + n - 1) % n;
  CHECK(shmem_ctx_create(SHMEMX_CTX_AGGREGATE, &ctx) == 0);
  check_fence();
  check_age();
  check_full();
  check_lengths();
  check_results();
  check_gather();
  check_signals();
  check_ends();
  check_threads();
  /* Left to finalize, with something in it. */
  shmem_ctx_long_p(ctx, &flag, 1, next);
  shmem_finalize();
  return 0;
}
