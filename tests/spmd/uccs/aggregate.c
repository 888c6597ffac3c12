// SPDX-License-Identifier: BSD-3-Clause
/* Contexts that aggregate: what is posted without request is done when a flush says so, and short
 * messages arrive, whether anybody flushes or not. */
#include <stdatomic.h>

#include "common.h"

enum { kWords = 3000, kEcho = 1, kEchoed = 2, kUser = 3, kProtocol = 4 };

static uint64_t words[kWords], counter;
static unsigned char text[20000];

static void start_aggregating(void) {
  const uccs_context_attributes_t attributes = {.aggregate = 1};
  start_with(&attributes);
}

static void post(uccs_status_t status) {
  CHECK(status == UCCS_OK || status == UCCS_IN_PROGRESS || status == UCCS_AGAIN);
}
/* Until it is taken; without request. */
#define POST(call)                                                   \
  do {                                                               \
    uccs_status_t status_;                                           \
    while ((status_ = (call)) == UCCS_AGAIN) uccs_progress(context); \
    post(status_);                                                   \
  } while (0)

static void test_memory(void) {
  start_aggregating();
  static uint64_t got[kWords], old[kWords];
  memset(words, 0, sizeof words);
  counter = 0;
  barrier();
  const uccs_region_t region = UCCS_REGION_STATIC;
  for (int i = 0; i < kWords; ++i) {
    const uint64_t value = (uint64_t)i * 3 + 1;
    if ((i / n) % n == me)
      POST(uccs_put_contiguous_short_nb(peers[i % n], region, &words[i], &value, 8, NULL));
    POST(uccs_atomic_add_uint64_nb(peers[i % n], region, &counter, (uint64_t)i, NULL));
  }
  CHECK_OK(uccs_context_flush(context));
  barrier();
  uint64_t sum = 0;
  for (int i = 0; i < kWords; ++i) {
    CHECK(words[i] == (i % n == me ? (uint64_t)i * 3 + 1 : 0));
    if (i % n == me) sum += (uint64_t)i * (uint64_t)n;
  }
  CHECK(counter == sum);
  barrier();
  for (int i = 0; i < kWords; ++i) {
    POST(uccs_get_contiguous_nb(peers[i % n], region, &got[i], &words[i], 8, NULL));
    POST(uccs_atomic_fadd_uint64_nb(peers[i % n], region, &counter, 0, &old[i], NULL));
  }
  for (int ec = 0; ec < n; ++ec) CHECK_OK(uccs_flush(&peers[ec], 1));
  uint64_t total = 0;
  CHECK_OK(uccs_fence(context));
  for (int i = 0; i < kWords; ++i) {
    CHECK(got[i] == (uint64_t)i * 3 + 1);
    total = 0;
    for (int k = i % n; k < kWords; k += n) total += (uint64_t)k * (uint64_t)n;
    if (i < 2 * n) CHECK(old[i] == total);
  }
  barrier();
  /* What is long, or has a request, takes its own way. */
  static unsigned char from[sizeof text];
  fill(from, sizeof from, me, 1);
  const int next = (me + 1) % n, previous = (me + n - 1) % n;
  POST(uccs_put_contiguous_nb(peers[next], region, text, from, sizeof from, NULL));
  CHECK_OK(uccs_context_flush(context));
  barrier();
  CHECK(holds(text, sizeof text, previous, 1));
  barrier();
  fill(from, 100, me, 2);
  DO(uccs_put_contiguous_nb(peers[next], region, text, from, 100, &request));
  CHECK_OK(uccs_context_flush(context));
  barrier();
  CHECK(holds(text, 100, previous, 2));
  barrier();
  stop();
}

static atomic_int echoed, came;

static void on_echo(const uccs_am_t* m, void* user) {
  (void)user;
  CHECK(m->context == context && m->payload == NULL && m->bytes == 0);
  CHECK(holds(m->header, m->header_bytes, m->source, 0));
  CHECK_OK(uccs_am_reply_short(m, kEchoed, m->header, m->header_bytes));
}
static void on_echoed(const uccs_am_t* m, void* user) {
  (void)user;
  CHECK(holds(m->header, m->header_bytes, me, 0));
  ++echoed;
}
static void on_count(const uccs_am_t* m, void* user) {
  (void)m;
  (void)user;
  ++came;
}

static void wait_for(atomic_int* seen, int value) {
  while (atomic_load(seen) < value) uccs_progress(context);
  CHECK(atomic_load(seen) == value);
}

/* Many, with answers; then a few that nobody flushes. */
static void test_messages(void) {
  start_aggregating();
  CHECK_OK(uccs_am_register(context, kEcho, on_echo, UCCS_AM_USER, NULL));
  CHECK_OK(uccs_am_register(context, kEchoed, on_echoed, UCCS_AM_PROTOCOL, NULL));
  CHECK_OK(uccs_am_register(context, kUser, on_count, UCCS_AM_USER, NULL));
  CHECK_OK(uccs_am_register(context, kProtocol, on_count, UCCS_AM_PROTOCOL, NULL));
  barrier();
  unsigned char data[UCCS_AM_SHORT_MAX];
  fill(data, sizeof data, me, 0);
  enum { kRounds = 3 };
  const int kEach = rounds(500);
  for (int i = 0; i < kEach; ++i)
    for (int ec = 0; ec < n; ++ec)
      POST(uccs_am_short_nb(peers[ec], kEcho, data, (size_t)i % (sizeof data + 1), NULL));
  CHECK_OK(uccs_context_flush(context));
  wait_for(&echoed, kEach * n);
  barrier();
  for (int round = 1; round <= kRounds; ++round) {
    for (int ec = 0; ec < n; ++ec) {
      POST(uccs_am_short_nb(peers[ec], kUser, NULL, 0, NULL));
      POST(uccs_am_short_nb(peers[ec], kProtocol, data, 5, NULL));
    }
    wait_for(&came, 2 * round * n);
    barrier();
  }
  stop();
}

/* Those that were posted before the context ends are delivered before it does. */
static void test_last_words(void) {
  for (int round = 1; round <= 10; ++round) {
    start_aggregating();
    CHECK_OK(uccs_am_register(context, kUser, on_count, UCCS_AM_USER, NULL));
    CHECK_OK(uccs_am_register(context, kProtocol, on_count, UCCS_AM_PROTOCOL, NULL));
    barrier();
    for (int i = 0; i < 100; ++i)
      for (int ec = 0; ec < n; ++ec)
        POST(uccs_am_short_nb(peers[ec], i % 2 ? kUser : kProtocol, &i, sizeof i, NULL));
    stop();
    CHECK(came == round * 100 * n);
  }
}

static void test_misuse(void) {
  const uccs_context_attributes_t bad = {.aggregate = 2};
  uccs_context_t none;
  CHECK_STATUS(uccs_context_create(&bad, &none), UCCS_ERR_INVALID);
}

int main(int argc, char** argv) {
  static const test_case_t cases[] = {{"memory", test_memory},
                                      {"messages", test_messages},
                                      {"last_words", test_last_words},
                                      {"misuse", test_misuse},
                                      {NULL, NULL}};
  return run_case(argc, argv, cases);
}
