// SPDX-License-Identifier: BSD-3-Clause
/* Threads do everything at once, in an order of their own: they post, test and wait, bind lanes,
 * end and are replaced, while contexts come and go. What was counted at the end must be right. */
#include <pthread.h>
#include <stdatomic.h>
#include <sys/resource.h>
#include <unistd.h>

#include "common.h"

enum { kThreads = 4, kLives = 3, kSteps = 60, kMessages = 12, kRequest = 1, kReply = 2 };

/* Symmetric. */
static uint64_t counter;
static atomic_long added;
static unsigned char boxes[kThreads][64];

static atomic_long replies_seen, requests_sent;

static unsigned next_random(unsigned* state) {
  *state = *state * 1664525u + 1013904223u;
  return *state >> 8;
}

static void on_request(const uccs_am_t* m, void* user) {
  (void)user;
  if (m->payload) {
    CHECK(holds(m->payload, m->bytes, m->source, 5));
    CHECK_OK(uccs_am_reply_medium(m, kReply, NULL, 0, m->payload, m->bytes / 2));
  } else {
    CHECK_OK(uccs_am_reply_short(m, kReply, m->header, m->header_bytes));
  }
}
static void on_reply(const uccs_am_t* m, void* user) {
  (void)user;
  if (m->payload) CHECK(holds(m->payload, m->bytes, me, 5));
  ++replies_seen;
}

static void send_request(unsigned* random) {
  unsigned char payload[3000];
  const int to = (int)(next_random(random) % (unsigned)n);
  const size_t bytes = next_random(random) % sizeof payload;
  uccs_status_t status;
  fill(payload, bytes, me, 5);
  if (next_random(random) % 3 == 0 && bytes > 0)
    POST_REQUEST(status, uccs_am_medium_nb(peers[to], kRequest, NULL, 0, payload, bytes, NULL));
  else
    POST_REQUEST(status, uccs_am_short_nb(peers[to], kRequest, &to, sizeof to, NULL));
  ++requests_sent;
}

typedef struct life {
  pthread_t thread;
  int number; /* of the thread, alike on all ECs */
  unsigned random;
} life_t;

/* Messages to the next EC's thread of the same number, and from the previous one's, in between
 * anything else. */
static void* live(void* argument) {
  life_t* self = argument;
  unsigned random = self->random;
  const int next = (me + 1) % n;
  unsigned char in[kMessages][700], out[kMessages][700], box[64];
  uccs_request_t receives[kMessages], sends[kMessages];
  uccs_status_t status;
  int posted = 0, sent = 0;
  memset(box, self->number, sizeof box);
  for (int step = 0; step < kSteps || posted < kMessages || sent < kMessages; ++step) {
    switch (next_random(&random) % 8) {
      case 0:
        if (posted == kMessages) break;
        POST_REQUEST(status, uccs_recv_nb(context, 0, (me + n - 1) % n,
                                          (uint64_t)(self->number * 1000 + posted), UCCS_TAG_EXACT,
                                          in[posted], 700, NULL, &receives[posted]));
        if (status == UCCS_OK) receives[posted] = UCCS_REQUEST_NULL;
        ++posted;
        break;
      case 1:
        if (sent == kMessages) break;
        fill(out[sent], 700, me + self->number, sent);
        POST_REQUEST(status,
                     uccs_send_contiguous_nb(peers[next], (uint64_t)(self->number * 1000 + sent),
                                             out[sent], 700, &sends[sent]));
        if (status == UCCS_OK) sends[sent] = UCCS_REQUEST_NULL;
        ++sent;
        break;
      case 2:
        send_request(&random);
        break;
      case 3:
        DO(uccs_atomic_add_uint64_nb(peers[next], UCCS_REGION_SYMMETRIC, &counter, 1, &request));
        ++added;
        break;
      case 4:
        DO(uccs_put_contiguous_nb(peers[next], UCCS_REGION_SYMMETRIC, boxes[self->number], box, 64,
                                  &request));
        DO(uccs_get_contiguous_nb(peers[next], UCCS_REGION_SYMMETRIC, box, boxes[self->number], 64,
                                  &request));
        break;
      case 5:
        CHECK_OK(uccs_lane_bind(context, next_random(&random) % 2 ? UCCS_LANE_ANY : 0));
        break;
      case 6:
        for (int i = 0; i < posted; ++i) {
          status = uccs_test(&receives[i]);
          CHECK(status == UCCS_OK || status == UCCS_IN_PROGRESS);
        }
        break;
      default:
        CHECK_OK(uccs_flush(&peers[next], 1));
        uccs_progress(context);
    }
  }
  for (int i = 0; i < posted; ++i) CHECK_OK(uccs_wait(&receives[i]));
  CHECK_OK(uccs_wait_all(sends, kMessages));
  for (int i = 0; i < posted; ++i) CHECK(holds(in[i], 700, (me + n - 1) % n + self->number, i));
  return NULL;
}

static void run_round(int round) {
  const uccs_context_attributes_t attributes = {
      .lanes = round % 3 * 2,
      .channels = round % 4,
      .progress = round % 2 ? UCCS_PROGRESS_THREAD : UCCS_PROGRESS_POLLING};
  start_with(&attributes);
  replies_seen = requests_sent = 0;
  CHECK_OK(uccs_am_register(context, kRequest, on_request,
                            round % 2 ? UCCS_AM_PROTOCOL : UCCS_AM_USER, NULL));
  CHECK_OK(uccs_am_register(context, kReply, on_reply, UCCS_AM_USER, NULL));
  barrier();
  life_t lives[kThreads];
  for (int t = 0; t < kThreads * kLives; ++t) {
    life_t* life = &lives[t % kThreads];
    if (t >= kThreads) CHECK(pthread_join(life->thread, NULL) == 0);
    life->number = t % kThreads;
    life->random = (unsigned)(me * 7919 + t * 104729 + round * 13 + 1);
    CHECK(pthread_create(&life->thread, NULL, live, life) == 0);
  }
  for (int t = 0; t < kThreads; ++t) CHECK(pthread_join(lives[t].thread, NULL) == 0);
  while (replies_seen < requests_sent) uccs_progress(context);
  CHECK(replies_seen == requests_sent);
  barrier();
  stop();
}

static void test_everything(void) {
  for (int round = 0; round < 6; ++round) run_round(round);
  uint64_t got = counter, sum = 0, sent = (uint64_t)added, all = 0;
  CHECK_OK(uccs_allreduce(uccs_group_world(), &sum, &got, 1, UCCS_TYPE_UINT64, UCCS_SUM));
  CHECK_OK(uccs_allreduce(uccs_group_world(), &all, &sent, 1, UCCS_TYPE_UINT64, UCCS_SUM));
  CHECK(sum == all);
}

/* Nothing to do costs nothing: a progress thread sleeps, and wakes at once for a message. */
static atomic_int arrived;
static void on_arrival(const uccs_am_t* m, void* user) {
  (void)m, (void)user;
  ++arrived;
}
static double cpu_seconds(void) {
  struct rusage used;
  CHECK(getrusage(RUSAGE_SELF, &used) == 0);
  return (double)(used.ru_utime.tv_sec + used.ru_stime.tv_sec) +
         1e-6 * (double)(used.ru_utime.tv_usec + used.ru_stime.tv_usec);
}
static void test_idle(void) {
  const uccs_context_attributes_t attributes = {.progress = UCCS_PROGRESS_THREAD};
  start_with(&attributes);
  CHECK_OK(uccs_am_register(context, kRequest, on_arrival, UCCS_AM_PROTOCOL, NULL));
  barrier();
  usleep(50000);
  const double before = cpu_seconds();
  usleep(1000000);
  const double used = cpu_seconds() - before;
  printf("CPU in an idle second: %.4f s\n", used);
  CHECK(used < 0.01);
  barrier();
  for (int i = 1; i <= 20; ++i) {
    usleep(20000); /* it sleeps again */
    uccs_status_t status;
    POST_REQUEST(status, uccs_am_short_nb(peers[(me + 1) % n], kRequest, NULL, 0, NULL));
    while (arrived < i) usleep(200);
  }
  barrier();
  stop();
}

int main(int argc, char** argv) {
  static const test_case_t cases[] = {
      {"everything", test_everything}, {"idle", test_idle}, {NULL, NULL}};
  return run_case(argc, argv, cases);
}
