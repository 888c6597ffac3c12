// SPDX-License-Identifier: BSD-3-Clause
/* Active messages: all kinds and sizes, replies, order of payload and callback, floods against
 * bounded inboxes, the end of a context. Threads and lanes are in am_threads.c. */
#include <stdatomic.h>

#include "common.h"

enum {
  kEcho = 1,
  kEchoed = 2,
  kCount = 3,
  kMediumEcho = 4,
  kMediumEchoed = 5,
  kLarge = 6,
  kLargeBack = 7,
  kTwice = 8,
  kNoReply = 9,
  kPost = 10,
  kRelay = 11,
  kLast = 255
};

static atomic_int echoed, counted;
static size_t expected_bytes;
static int expected_source = -1;
static unsigned char landing[1 << 16], back_landing[1 << 16];
static uint64_t word;

static void on_echo(const uccs_am_t* m, void* user) {
  CHECK(user == &word && m->context == context && m->id == kEcho && m->lane == 0);
  CHECK(m->payload == NULL && m->bytes == 0);
  CHECK_OK(uccs_am_reply_short(m, kEchoed, m->header, m->header_bytes));
}
static void on_echoed(const uccs_am_t* m, void* user) {
  (void)user;
  CHECK(m->source == expected_source && m->header_bytes == expected_bytes);
  CHECK(holds(m->header, m->header_bytes, me, 0));
  CHECK_STATUS(uccs_am_reply_short(m, kEchoed, NULL, 0), UCCS_ERR_STATE); /* a reply to a reply */
  ++echoed;
}

static void wait_for(atomic_int* counter, int value) {
  while (atomic_load(counter) < value) uccs_progress(context);
  CHECK(atomic_load(counter) == value);
}

static void test_short(void) {
  start();
  CHECK_OK(uccs_am_register(context, kEcho, on_echo, UCCS_AM_USER, &word));
  CHECK_OK(uccs_am_register(context, kEchoed, on_echoed, UCCS_AM_PROTOCOL, NULL));
  barrier();
  unsigned char data[UCCS_AM_SHORT_MAX];
  fill(data, sizeof data, me, 0);
  int sent = 0;
  for (int ec = 0; ec < n; ++ec)
    for (size_t bytes = 0; bytes <= UCCS_AM_SHORT_MAX; ++bytes) {
      expected_source = ec;
      expected_bytes = bytes;
      DO(uccs_am_short_nb(peers[ec], kEcho, data, bytes, &request));
      wait_for(&echoed, ++sent);
    }
  barrier();
  stop();
}

static void on_medium(const uccs_am_t* m, void* user) {
  (void)user;
  CHECK(holds(m->header, m->header_bytes, m->source, 1));
  CHECK((uintptr_t)m->payload % 8 == 0);
  CHECK(holds(m->payload, m->bytes, m->source, 2));
  CHECK_OK(
      uccs_am_reply_medium(m, kMediumEchoed, m->header, m->header_bytes, m->payload, m->bytes));
}
static void on_mediumed(const uccs_am_t* m, void* user) {
  (void)user;
  CHECK(m->source == expected_source && m->bytes == expected_bytes);
  CHECK(holds(m->header, m->header_bytes, me, 1));
  CHECK(holds(m->payload, m->bytes, me, 2));
  ++echoed;
}

static void test_medium(void) {
  static const size_t headers[] = {0, 1, 7, 8, 9, 39, 40};
  static const size_t payloads[] = {0,  1,  7,  8,  14, 15,  16,   31,   47,
                                    48, 55, 56, 57, 64, 100, 4096, 8191, 8192};
  start();
  CHECK_OK(uccs_am_register(context, kMediumEcho, on_medium, UCCS_AM_USER, NULL));
  CHECK_OK(uccs_am_register(context, kMediumEchoed, on_mediumed, UCCS_AM_USER, NULL));
  barrier();
  unsigned char header[UCCS_AM_HEADER_MAX], payload[UCCS_AM_MEDIUM_MAX];
  fill(header, sizeof header, me, 1);
  int sent = 0;
  for (int ec = 0; ec < n; ++ec)
    for (size_t h = 0; h < sizeof headers / sizeof *headers; ++h)
      for (size_t p = 0; p < sizeof payloads / sizeof *payloads; ++p) {
        expected_source = ec;
        expected_bytes = payloads[p];
        fill(payload, sizeof payload, me, 2);
        DO(uccs_am_medium_nb(peers[ec], kMediumEcho, header, headers[h], payload, payloads[p],
                             &request));
        memset(payload, 0, sizeof payload); /* the source is free */
        wait_for(&echoed, ++sent);
      }
  barrier();
  stop();
}

static void on_large(const uccs_am_t* m, void* user) {
  (void)user;
  CHECK(m->payload == landing && holds(landing, m->bytes, m->source, 3));
  CHECK(holds(m->header, m->header_bytes, m->source, 4));
  CHECK_OK(uccs_am_reply_large(m, kLargeBack, m->header, m->header_bytes, UCCS_REGION_STATIC,
                               back_landing, landing, m->bytes));
}
static void on_large_back(const uccs_am_t* m, void* user) {
  (void)user;
  CHECK(m->payload == back_landing && m->bytes == expected_bytes);
  CHECK(holds(back_landing, m->bytes, me, 3));
  ++echoed;
}

static void test_large(void) {
  static const size_t sizes[] = {0, 1, 8, 1000, 8192, 8193, 65536};
  start();
  CHECK_OK(uccs_am_register(context, kLarge, on_large, UCCS_AM_USER, NULL));
  CHECK_OK(uccs_am_register(context, kLargeBack, on_large_back, UCCS_AM_USER, NULL));
  barrier();
  unsigned char *data = malloc(1 << 16), header[UCCS_AM_HEADER_MAX];
  fill(data, 1 << 16, me, 3);
  fill(header, sizeof header, me, 4);
  int sent = 0;
  for (int turn = 0; turn < n; ++turn) { /* one at a time: all land at the same place */
    if (turn == me)
      for (int ec = 0; ec < n; ++ec)
        for (size_t i = 0; i < sizeof sizes / sizeof *sizes; ++i) {
          expected_bytes = sizes[i];
          DO(uccs_am_large_nb(peers[ec], kLarge, header, i * 6, UCCS_REGION_STATIC, landing, data,
                              sizes[i], &request));
          wait_for(&echoed, ++sent);
        }
    barrier();
  }
  free(data);
  stop();
}

static void on_count(const uccs_am_t* m, void* user) {
  (void)user;
  CHECK(m->header_bytes == 8);
  ++counted;
}

/* Nobody makes progress while all send: inboxes fill up, every post is answered, nothing is lost.
 */
static void test_flood(void) {
  const uint64_t kMessages = (uint64_t)rounds(20000);
  start();
  CHECK_OK(uccs_am_register(context, kCount, on_count, UCCS_AM_USER, NULL));
  barrier();
  const int peer = (me + 1) % n;
  uint64_t again = 0, all = 0;
  for (uint64_t i = 0; i < kMessages; ++i) {
    uccs_status_t status;
    while ((status = uccs_am_short_nb(peers[peer], kCount, &i, sizeof i, NULL)) == UCCS_AGAIN) {
      ++again;
      uccs_progress(context);
    }
    CHECK(status == UCCS_OK);
  }
  wait_for(&counted, kMessages);
  /* Who was through first sent to one that had made no progress, unless that one was answered so.
   */
  CHECK_OK(uccs_allreduce(uccs_group_world(), &all, &again, 1, UCCS_TYPE_UINT64, UCCS_SUM));
  CHECK(all > 0);
  barrier();
  stop();
}

/* As above with payloads in buffers, each answered: requests and replies cross. */
static void on_flood_medium(const uccs_am_t* m, void* user) {
  (void)user;
  CHECK(m->bytes == 2000);
  CHECK_OK(uccs_am_reply_medium(m, kMediumEchoed, NULL, 0, m->payload, m->bytes));
}
static void on_flood_mediumed(const uccs_am_t* m, void* user) {
  (void)user;
  CHECK(m->bytes == 2000 && holds(m->payload, m->bytes, me, 5));
  ++echoed;
}
static void test_flood_medium(void) {
  const int kMessages = rounds(2000);
  start();
  CHECK_OK(uccs_am_register(context, kMediumEcho, on_flood_medium, UCCS_AM_USER, NULL));
  CHECK_OK(uccs_am_register(context, kMediumEchoed, on_flood_mediumed, UCCS_AM_USER, NULL));
  barrier();
  unsigned char payload[2000];
  fill(payload, sizeof payload, me, 5);
  for (int i = 0; i < kMessages; ++i) {
    const int peer = i % n;
    uccs_status_t status;
    while ((status = uccs_am_medium_nb(peers[peer], kMediumEcho, NULL, 0, payload, sizeof payload,
                                       NULL)) == UCCS_AGAIN)
      uccs_progress(context);
    CHECK(status == UCCS_OK);
  }
  wait_for(&echoed, kMessages);
  barrier();
  stop();
}

/* Every EC floods EC 0 with requests that are answered; replies must get through full inboxes. */
static void on_ask(const uccs_am_t* m, void* user) {
  (void)user;
  uint64_t value;
  memcpy(&value, m->header, sizeof value);
  ++value;
  CHECK_OK(uccs_am_reply_short(m, kEchoed, &value, sizeof value));
  CHECK_STATUS(uccs_am_reply_short(m, kEchoed, &value, sizeof value), UCCS_ERR_STATE);
}
static uint64_t answers;
static void on_answer(const uccs_am_t* m, void* user) {
  (void)user;
  uint64_t value;
  memcpy(&value, m->header, sizeof value);
  answers += value;
  ++echoed;
}
static void test_reply_flood(void) {
  const uint64_t kMessages = (uint64_t)rounds(5000);
  start();
  CHECK_OK(uccs_am_register(context, kEcho, on_ask, UCCS_AM_USER, NULL));
  CHECK_OK(uccs_am_register(context, kEchoed, on_answer, UCCS_AM_USER, NULL));
  barrier();
  for (uint64_t i = 0; i < kMessages; ++i) {
    uccs_status_t status;
    while ((status = uccs_am_short_nb(peers[0], kEcho, &i, sizeof i, NULL)) == UCCS_AGAIN)
      uccs_progress(context);
    CHECK(status == UCCS_OK);
  }
  wait_for(&echoed, kMessages);
  CHECK(answers == kMessages * (kMessages + 1) / 2);
  barrier();
  stop();
}

/* A callback may post: here a put, an atomic and a message to somebody else. It may not wait. */
static uint64_t posted_word, posted_count;
static uccs_request_t posted[256]; /* over a network it takes longer than the callback */
static void on_post(const uccs_am_t* m, void* user) {
  (void)user;
  const uint64_t value = 77;
  uccs_request_t request = UCCS_REQUEST_NULL;
  uccs_status_t put, added;
  while ((put = uccs_put_contiguous_nb(peers[m->source], UCCS_REGION_SYMMETRIC, &posted_word,
                                       &value, 8, &posted[m->source])) == UCCS_AGAIN)
    continue;
  CHECK(put == UCCS_OK || put == UCCS_IN_PROGRESS);
  while ((added = uccs_atomic_inc_uint64_nb(peers[m->source], UCCS_REGION_SYMMETRIC, &posted_count,
                                            NULL)) == UCCS_AGAIN)
    continue;
  CHECK(added == UCCS_OK || added == UCCS_IN_PROGRESS);
  CHECK(uccs_progress(context) == 0);
  uint64_t unused;
  CHECK_STATUS(
      uccs_recv_nb(context, 0, UCCS_EC_ANY, 12345, UCCS_TAG_EXACT, &unused, 8, NULL, &request),
      UCCS_IN_PROGRESS);
  CHECK_STATUS(uccs_test(&request), UCCS_IN_PROGRESS);
  CHECK_STATUS(uccs_wait(&request), UCCS_ERR_STATE);
  CHECK_OK(uccs_recv_cancel(&request));
  CHECK_STATUS(uccs_context_destroy(context), UCCS_ERR_STATE);
  CHECK_OK(uccs_am_reply_short(m, kEchoed, &value, sizeof value));
}
static void test_post_from_callback(void) {
  start();
  CHECK_OK(uccs_am_register(context, kPost, on_post, UCCS_AM_USER, NULL));
  CHECK_OK(uccs_am_register(context, kEchoed, on_answer, UCCS_AM_USER, NULL));
  barrier();
  for (int ec = 0; ec < n; ++ec) DO(uccs_am_short_nb(peers[ec], kPost, NULL, 0, &request));
  wait_for(&echoed, n);
  CHECK_OK(uccs_wait_all(posted, (size_t)n));
  CHECK_OK(uccs_context_flush(context));
  barrier();
  CHECK(posted_word == 77 && posted_count == (uint64_t)n);
  barrier();
  stop();
}

/* Messages that were sent before the context ends are delivered before it does. */
static void test_last_words(void) {
  for (int round = 1; round <= 10; ++round) {
    start();
    CHECK_OK(uccs_am_register(context, kCount, on_count, UCCS_AM_USER, NULL));
    CHECK_OK(uccs_am_register(context, kLast, on_count, UCCS_AM_PROTOCOL, NULL));
    barrier();
    for (uint64_t i = 0; i < 100; ++i)
      for (int ec = 0; ec < n; ++ec)
        DO(uccs_am_short_nb(peers[ec], i % 2 ? kCount : kLast, &i, sizeof i, &request));
    stop();
    CHECK(counted == round * 100 * n);
  }
}

/* Nor are those that callbacks post meanwhile: each is passed on so many times. */
static void on_relay(const uccs_am_t* m, void* user) {
  (void)user;
  uint64_t left;
  memcpy(&left, m->header, sizeof left);
  ++counted;
  if (--left == 0) return;
  while (uccs_am_short_nb(peers[(me + 1) % n], kRelay, &left, sizeof left, NULL) == UCCS_AGAIN) {
  }
}
static void test_relayed_words(void) {
  start();
  const uint64_t times = 20 * (uint64_t)n;
  CHECK_OK(uccs_am_register(context, kRelay, on_relay, UCCS_AM_USER, NULL));
  barrier();
  DO(uccs_am_short_nb(peers[(me + 1) % n], kRelay, &times, sizeof times, &request));
  CHECK_OK(uccs_context_destroy(context)); /* the endpoints are needed until then */
  free(peers);
  CHECK((uint64_t)counted == times);
}

int main(int argc, char** argv) {
  static const test_case_t cases[] = {{"short", test_short},
                                      {"medium", test_medium},
                                      {"large", test_large},
                                      {"flood", test_flood},
                                      {"flood_medium", test_flood_medium},
                                      {"reply_flood", test_reply_flood},
                                      {"post_from_callback", test_post_from_callback},
                                      {"last_words", test_last_words},
                                      {"relayed_words", test_relayed_words},
                                      {NULL, NULL}};
  return run_case(argc, argv, cases);
}
