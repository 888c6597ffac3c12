// SPDX-License-Identifier: BSD-3-Clause
/* Many threads on one context: messages, lanes, classes of callbacks, shared channels, requests
 * that change hands, threads that come and go. */
#include <pthread.h>
#include <stdatomic.h>
#include <unistd.h>

#include "common.h"

enum {
  kMaxThreads = 8,
  kAsk = 1,
  kAnswer = 2,
  kLaneAsk = 3,
  kLaneAnswer = 4,
  kUser = 5,
  kProtocol = 6,
  kCount = 7
};

typedef struct worker {
  pthread_t thread;
  int number;
  atomic_long answers;
  atomic_long callbacks; /* that ran in this thread */
} worker_t;
static worker_t workers[kMaxThreads];
static int thread_count;
static _Thread_local int my_number = -1;

static void run_threads(int count, void* (*run)(void*)) {
  thread_count = count;
  for (int t = 0; t < count; ++t) {
    workers[t].number = t;
    CHECK(pthread_create(&workers[t].thread, NULL, run, &workers[t]) == 0);
  }
  for (int t = 0; t < count; ++t) CHECK(pthread_join(workers[t].thread, NULL) == 0);
}

static atomic_long total;

/* Requests and their replies from all threads to all ECs; any thread may run any callback. */
static void on_ask(const uccs_am_t* m, void* user) {
  (void)user;
  if (my_number >= 0) ++workers[my_number].callbacks;
  if (m->payload) {
    CHECK(holds(m->payload, m->bytes, m->source, 1));
    CHECK_OK(uccs_am_reply_medium(m, kAnswer, m->header, m->header_bytes, m->payload, m->bytes));
  } else {
    CHECK_OK(uccs_am_reply_short(m, kAnswer, m->header, m->header_bytes));
  }
}
static void on_answer(const uccs_am_t* m, void* user) {
  (void)user;
  int who;
  memcpy(&who, m->header, sizeof who);
  if (m->payload) CHECK(holds(m->payload, m->bytes, me, 1));
  ++workers[who].answers;
}
static void* ask(void* argument) {
  const int kEach = rounds(1500);
  worker_t* self = argument;
  my_number = self->number;
  unsigned char payload[3000];
  fill(payload, sizeof payload, me, 1);
  for (int i = 0; i < kEach; ++i) {
    const int to = (me + i) % n;
    uccs_status_t status;
    if (i % 5 == 0)
      POST_REQUEST(status, uccs_am_medium_nb(peers[to], kAsk, &self->number, sizeof(int), payload,
                                             (size_t)(i * 2 % 3000), NULL));
    else
      POST_REQUEST(status, uccs_am_short_nb(peers[to], kAsk, &self->number, sizeof(int), NULL));
  }
  while (self->answers < kEach) uccs_progress(context);
  CHECK(self->answers == kEach);
  ++total;
  while (total < thread_count) uccs_progress(context); /* others may need this thread */
  return NULL;
}
static void ask_with(int threads, int channels) {
  const uccs_context_attributes_t attributes = {.channels = channels};
  start_with(&attributes);
  CHECK_OK(uccs_am_register(context, kAsk, on_ask, UCCS_AM_USER, NULL));
  CHECK_OK(uccs_am_register(context, kAnswer, on_answer, UCCS_AM_USER, NULL));
  barrier();
  run_threads(threads, ask);
  barrier();
  stop();
}
static void test_messages(void) { ask_with(4, 0); }
static void test_shared_channels(void) { ask_with(8, 2); }
static void test_one_channel(void) { ask_with(4, 1); }

/* Each thread owns a lane: what is sent to it runs in it, and its replies come back to it. */
static void on_lane_ask(const uccs_am_t* m, void* user) {
  (void)user;
  CHECK(my_number == m->lane && m->source_lane == m->lane);
  CHECK_OK(uccs_am_reply_short(m, kLaneAnswer, m->header, m->header_bytes));
}
static void on_lane_answer(const uccs_am_t* m, void* user) {
  (void)user;
  CHECK(my_number == m->lane);
  ++workers[my_number].answers;
}
static void* ask_lane(void* argument) {
  const int kEach = rounds(3000);
  worker_t* self = argument;
  my_number = self->number;
  CHECK_OK(uccs_lane_bind(context, my_number));
  uccs_endpoint_t to[64];
  for (int ec = 0; ec < n; ++ec) CHECK_OK(uccs_endpoint_create(context, ec, my_number, &to[ec]));
  ++total;
  while (total < thread_count) uccs_progress(context); /* all are bound */
  if (my_number == 0) barrier();
  ++total;
  while (total < 2 * thread_count) uccs_progress(context);
  for (int i = 0; i < kEach; ++i) {
    uccs_status_t status;
    POST_REQUEST(status, uccs_am_short_nb(to[(me + i) % n], kLaneAsk, &i, sizeof i, NULL));
  }
  while (self->answers < kEach) uccs_progress(context);
  ++total;
  while (total < 3 * thread_count) uccs_progress(context);
  if (my_number == 0) barrier(); /* no EC needs an answer any more */
  ++total;
  while (total < 4 * thread_count) uccs_progress(context);
  for (int ec = 0; ec < n; ++ec) CHECK_OK(uccs_endpoint_destroy(to[ec]));
  return NULL;
}
static void check_hash(void) {
  int counts[64] = {0};
  for (uint64_t key = 0; key < 6400; ++key) {
    const int lane = uccs_lane_by_hash(key * 8, 64);
    CHECK(lane >= 0 && lane < 64 && lane == uccs_lane_by_hash(key * 8, 64));
    ++counts[lane];
  }
  for (int i = 0; i < 64; ++i) CHECK(counts[i] > 50 && counts[i] < 200);
  CHECK(uccs_lane_by_hash(UINT64_MAX, 1) == 0);
}
static void test_lanes(void) {
  check_hash();
  const uccs_context_attributes_t attributes = {.lanes = 4, .channels = 8};
  start_with(&attributes);
  CHECK_OK(uccs_am_register(context, kLaneAsk, on_lane_ask, UCCS_AM_USER, NULL));
  CHECK_OK(uccs_am_register(context, kLaneAnswer, on_lane_answer, UCCS_AM_USER, NULL));
  barrier();
  run_threads(4, ask_lane);
  barrier();
  stop();
}

/* Sends and receives of one thread per lane: each lane matches for itself. */
static void* talk(void* argument) {
  const int kEach = rounds(400);
  static const size_t sizes[] = {8, 40, 500, 8192, 20000};
  worker_t* self = argument;
  uccs_endpoint_t to;
  CHECK_OK(uccs_endpoint_create(context, (me + 1) % n, self->number, &to));
  unsigned char *out = malloc(20000), *in = malloc(20000);
  for (int i = 0; i < kEach; ++i) {
    const size_t bytes = sizes[i % 5];
    uccs_request_t requests[2];
    uccs_status_t status;
    fill(out, bytes, me + self->number, i);
    POST_REQUEST(status, uccs_recv_nb(context, self->number, UCCS_EC_ANY, 1, UCCS_TAG_EXACT, in,
                                      20000, NULL, &requests[0]));
    POST_REQUEST(status, uccs_send_contiguous_nb(to, 1, out, bytes, &requests[1]));
    CHECK_OK(uccs_wait_all(requests, 2));
    CHECK(holds(in, bytes, (me + n - 1) % n + self->number, i));
  }
  free(out);
  free(in);
  ++total;
  while (total < thread_count) uccs_progress(context);
  CHECK_OK(uccs_endpoint_destroy(to));
  return NULL;
}
static void test_talk(void) {
  const uccs_context_attributes_t attributes = {.lanes = 4};
  start_with(&attributes);
  barrier();
  run_threads(4, talk);
  barrier();
  stop();
}

/* The progress thread runs protocol callbacks while the program does not call UCCS, and leaves user
 * callbacks to the program. */
static atomic_int user_runs, protocol_runs;
static void on_user(const uccs_am_t* m, void* user) {
  (void)m, (void)user;
  ++user_runs;
}
static void on_protocol(const uccs_am_t* m, void* user) {
  (void)m, (void)user;
  ++protocol_runs;
}
static void test_progress_thread(void) {
  enum { kEach = 100 };
  const uccs_context_attributes_t attributes = {.progress = UCCS_PROGRESS_THREAD};
  start_with(&attributes);
  CHECK_OK(uccs_am_register(context, kUser, on_user, UCCS_AM_USER, NULL));
  CHECK_OK(uccs_am_register(context, kProtocol, on_protocol, UCCS_AM_PROTOCOL, NULL));
  barrier();
  const int to = (me + 1) % n, from = (me + n - 1) % n;
  /* A long receive is posted before; the data comes while this thread sleeps. */
  unsigned char *out = malloc(100000), *in = calloc(1, 100000);
  fill(out, 100000, me, 2);
  uccs_request_t receive, send;
  CHECK_STATUS(uccs_recv_nb(context, 0, from, 1, UCCS_TAG_EXACT, in, 100000, NULL, &receive),
               UCCS_IN_PROGRESS);
  barrier();
  const int before = user_runs;     /* some may have come while this thread was in the barrier */
  for (int i = 0; i < kEach; ++i) { /* posting alone makes no progress */
    while (uccs_am_short_nb(peers[to], kUser, NULL, 0, NULL) == UCCS_AGAIN) usleep(100);
    while (uccs_am_short_nb(peers[to], kProtocol, NULL, 0, NULL) == UCCS_AGAIN) usleep(100);
  }
  uccs_status_t status;
  while ((status = uccs_send_contiguous_nb(peers[to], 1, out, 100000, &send)) == UCCS_AGAIN)
    usleep(100);
  for (int i = 0; protocol_runs < kEach; ++i) {
    CHECK(i < 100000);
    usleep(100);
  }
  usleep(20000);
  CHECK(user_runs == before);
  CHECK_OK(uccs_wait(&receive));
  CHECK(holds(in, 100000, from, 2));
  CHECK_OK(uccs_wait(&send));
  while (user_runs < kEach) uccs_progress(context);
  CHECK(user_runs == kEach && protocol_runs == kEach);
  barrier();
  free(out);
  free(in);
  stop();
}

/* One thread posts receives, others wait for them. */
enum { kHanded = 64 };
static _Atomic(uccs_request_t) handed[kHanded];
static uint64_t handed_values[kHanded];
static void* wait_handed(void* argument) {
  worker_t* self = argument;
  for (int i = self->number; i < kHanded; i += thread_count) {
    uccs_request_t request;
    while (!(request = atomic_exchange(&handed[i], UCCS_REQUEST_NULL))) uccs_progress(context);
    CHECK_OK(uccs_wait(&request));
    CHECK(handed_values[i] == (uint64_t)i * 3);
  }
  return NULL;
}
static void test_hand_over(void) {
  start();
  barrier();
  for (int round = 0; round < rounds(20); ++round) {
    thread_count = 3;
    for (int t = 0; t < 3; ++t) {
      workers[t].number = t;
      CHECK(pthread_create(&workers[t].thread, NULL, wait_handed, &workers[t]) == 0);
    }
    for (int i = 0; i < kHanded; ++i) {
      uccs_request_t request;
      uccs_status_t status;
      POST_REQUEST(status, uccs_recv_nb(context, 0, UCCS_EC_ANY, (uint64_t)i, UCCS_TAG_EXACT,
                                        &handed_values[i], 8, NULL, &request));
      if (status == UCCS_IN_PROGRESS) {
        atomic_store(&handed[i], request);
      } else { /* it was there already: hand over one that is not */
        CHECK(handed_values[i] == (uint64_t)i * 3);
        POST_REQUEST(status, uccs_recv_nb(context, 0, me, 1000, UCCS_TAG_EXACT, &handed_values[i],
                                          8, NULL, &request));
        CHECK(status == UCCS_IN_PROGRESS);
        const uint64_t value = (uint64_t)i * 3;
        uccs_status_t sent;
        POST_REQUEST(sent, uccs_send_contiguous_short_nb(peers[me], 1000, &value, 8, NULL));
        atomic_store(&handed[i], request);
      }
      const uint64_t value = (uint64_t)i * 3;
      POST_REQUEST(
          status, uccs_send_contiguous_short_nb(peers[(me + 1) % n], (uint64_t)i, &value, 8, NULL));
    }
    for (int t = 0; t < 3; ++t) CHECK(pthread_join(workers[t].thread, NULL) == 0);
    barrier();
  }
  stop();
}

/* More threads than channels one after the other: channels are handed back. */
static uint64_t word;
static void* come_and_go(void* argument) {
  (void)argument;
  DO(uccs_atomic_inc_uint64_nb(peers[(me + 1) % n], UCCS_REGION_SYMMETRIC, &word, &request));
  const uint64_t value = 1;
  DO(uccs_send_contiguous_nb(peers[(me + 1) % n], 4, &value, 8, &request));
  uint64_t got;
  DO(uccs_recv_nb(context, 0, UCCS_EC_ANY, 4, UCCS_TAG_EXACT, &got, 8, NULL, &request));
  CHECK(got == 1);
  return NULL;
}
static void test_come_and_go(void) {
  start();
  barrier();
  for (int i = 0; i < rounds(100); ++i) run_threads(3, come_and_go);
  barrier();
  CHECK(word == 3 * (uint64_t)rounds(100));
  stop();
}

/* The figure of fairness: callbacks per thread when all poll. Printed, not judged: it is the
 * scheduler's as much as ours. */
static atomic_int ready;
static uint64_t go;
static void on_count(const uccs_am_t* m, void* user) {
  (void)m, (void)user;
  ++workers[my_number].callbacks;
  ++total;
}
static void* poll_all(void* argument) {
  const uint64_t one = 1;
  my_number = ((worker_t*)argument)->number;
  uccs_progress(context);
  if (++ready == thread_count) /* all poll: the sender may begin */
    DO(uccs_put_contiguous_nb(peers[n - 1], UCCS_REGION_SYMMETRIC, &go, &one, 8, &request));
  while (total < 1050) uccs_progress(context);
  return NULL;
}
static void test_fairness(void) {
  start();
  CHECK_OK(uccs_am_register(context, kCount, on_count, UCCS_AM_USER, NULL));
  barrier();
  if (me == n - 1 && n > 1) {
    while (!__atomic_load_n(&go, __ATOMIC_ACQUIRE)) uccs_progress(context);
    for (int i = 0; i < 1050; ++i) {
      uccs_status_t status;
      POST_REQUEST(status, uccs_am_short_nb(peers[0], kCount, NULL, 0, NULL));
    }
  }
  if (me == 0 && n > 1) {
    run_threads(8, poll_all);
    for (int t = 0; t < 8; ++t) printf("%ld ", workers[t].callbacks);
    printf("callbacks per thread\n");
  }
  barrier();
  stop();
}

int main(int argc, char** argv) {
  static const test_case_t cases[] = {{"messages", test_messages},
                                      {"shared_channels", test_shared_channels},
                                      {"one_channel", test_one_channel},
                                      {"lanes", test_lanes},
                                      {"talk", test_talk},
                                      {"progress_thread", test_progress_thread},
                                      {"hand_over", test_hand_over},
                                      {"come_and_go", test_come_and_go},
                                      {"fairness", test_fairness},
                                      {NULL, NULL}};
  return run_case(argc, argv, cases);
}
