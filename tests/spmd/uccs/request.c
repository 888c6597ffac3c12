// SPDX-License-Identifier: BSD-3-Clause
/* Tests and waits on one, any, all and some of many requests. */
#include "common.h"

enum { kMany = 200 };
static uint64_t values[kMany];
static uccs_request_t requests[kMany];

static void post_receives(void) {
  for (int i = 0; i < kMany; ++i) {
    uccs_status_t status;
    values[i] = 0;
    POST_REQUEST(status, uccs_recv_nb(context, 0, me, (uint64_t)i, UCCS_TAG_EXACT, &values[i], 8,
                                      NULL, &requests[i]));
    CHECK(status == UCCS_IN_PROGRESS && requests[i] != UCCS_REQUEST_NULL);
  }
}
static void send_to_self(int i) {
  const uint64_t value = (uint64_t)i + 1000;
  uccs_status_t status;
  POST_REQUEST(status, uccs_send_contiguous_short_nb(peers[me], (uint64_t)i, &value, 8, NULL));
}

static void test_null(void) {
  start();
  uccs_request_t null = UCCS_REQUEST_NULL, nulls[3] = {0};
  size_t index = 7, indices[3], done = 7;
  CHECK_OK(uccs_test(&null));
  CHECK_OK(uccs_wait(&null));
  CHECK_OK(uccs_test_any(nulls, 3, &index));
  CHECK(index == 3);
  CHECK_OK(uccs_wait_any(nulls, 0, &index));
  CHECK(index == 0);
  CHECK_OK(uccs_test_all(nulls, 3));
  CHECK_OK(uccs_wait_all(nulls, 3));
  CHECK_OK(uccs_wait_all(NULL, 0));
  CHECK_OK(uccs_test_some(nulls, 3, indices, &done));
  CHECK(done == 0);
  CHECK_OK(uccs_wait_some(nulls, 3, indices, &done));
  CHECK(done == 0);
  barrier();
  stop();
}

static void test_one(void) {
  start();
  post_receives();
  for (int i = 0; i < kMany; ++i) CHECK_STATUS(uccs_test(&requests[i]), UCCS_IN_PROGRESS);
  for (int i = kMany - 1; i >= 0; --i) {
    send_to_self(i);
    CHECK_OK(uccs_wait(&requests[i]));
    CHECK(requests[i] == UCCS_REQUEST_NULL && values[i] == (uint64_t)i + 1000);
  }
  barrier();
  stop();
}

static void test_any(void) {
  start();
  post_receives();
  size_t index = 999;
  CHECK_STATUS(uccs_test_any(requests, kMany, &index), UCCS_IN_PROGRESS);
  CHECK(index == 999);
  for (int i = 0; i < kMany; ++i) {
    const int which = (i * 77) % kMany; /* 77 and 200 have no common factor */
    send_to_self(which);
    CHECK_OK(uccs_wait_any(requests, kMany, &index));
    CHECK(index == (size_t)which && requests[which] == UCCS_REQUEST_NULL);
  }
  CHECK_OK(uccs_test_any(requests, kMany, &index));
  CHECK(index == kMany);
  barrier();
  stop();
}

static void test_all(void) {
  start();
  for (int round = 0; round < 10; ++round) {
    post_receives();
    for (int i = 0; i < kMany; ++i) {
      CHECK_STATUS(uccs_test_all(requests, kMany), UCCS_IN_PROGRESS);
      send_to_self(i);
    }
    CHECK_OK(uccs_wait_all(requests, kMany));
    for (int i = 0; i < kMany; ++i)
      CHECK(requests[i] == UCCS_REQUEST_NULL && values[i] == (uint64_t)i + 1000);
  }
  /* One that is lost shows once the others are over. */
  char small;
  uccs_request_t two[2];
  uccs_status_t status;
  POST_REQUEST(status, uccs_recv_nb(context, 0, me, 1, UCCS_TAG_EXACT, &small, 1, NULL, &two[0]));
  POST_REQUEST(status,
               uccs_recv_nb(context, 0, me, 2, UCCS_TAG_EXACT, &values[0], 8, NULL, &two[1]));
  send_to_self(1);
  for (int i = 0; i < 100; ++i) CHECK_STATUS(uccs_test_all(two, 2), UCCS_IN_PROGRESS);
  send_to_self(2);
  CHECK_STATUS(uccs_wait_all(two, 2), UCCS_ERR_TRUNCATED);
  CHECK(two[0] == UCCS_REQUEST_NULL && two[1] == UCCS_REQUEST_NULL && values[0] == 1002);
  barrier();
  stop();
}

static void test_some(void) {
  start();
  post_receives();
  size_t indices[kMany], done = 999;
  CHECK_STATUS(uccs_test_some(requests, kMany, indices, &done), UCCS_IN_PROGRESS);
  CHECK(done == 999);
  int over = 0;
  char seen[kMany] = {0};
  for (int i = 0; i < kMany; ++i) {
    send_to_self(i);
    if (i % 7 != 6 && i != kMany - 1) continue;
    while (over <= i) {
      CHECK_OK(uccs_wait_some(requests, kMany, indices, &done));
      CHECK(done >= 1);
      for (size_t k = 0; k < done; ++k) {
        CHECK(!seen[indices[k]]++ && requests[indices[k]] == UCCS_REQUEST_NULL);
        CHECK(values[indices[k]] == indices[k] + 1000);
      }
      over += (int)done;
    }
  }
  CHECK_OK(uccs_test_some(requests, kMany, indices, &done));
  CHECK(done == 0);
  barrier();
  stop();
}

/* A channel has a bounded number of requests: the one too many is told so, and later is taken. */
static void test_exhaustion(void) {
  enum { kMost = 20000 };
  start();
  uccs_request_t* many = calloc(kMost, sizeof *many);
  int count = 0;
  uint64_t value;
  while (count < kMost) {
    const uccs_status_t status = uccs_recv_nb(context, 0, me, (uint64_t)count, UCCS_TAG_EXACT,
                                              &value, 8, NULL, &many[count]);
    if (status == UCCS_AGAIN) break;
    CHECK(status == UCCS_IN_PROGRESS);
    ++count;
  }
  CHECK(count >= 1000 && count < kMost);
  CHECK_OK(uccs_recv_cancel(&many[0]));
  CHECK_STATUS(uccs_recv_nb(context, 0, me, 0, UCCS_TAG_EXACT, &value, 8, NULL, &many[0]),
               UCCS_IN_PROGRESS);
  for (int i = 0; i < count; ++i) CHECK_OK(uccs_recv_cancel(&many[i]));
  free(many);
  barrier();
  stop();
}

int main(int argc, char** argv) {
  static const test_case_t cases[] = {{"null", test_null}, {"one", test_one},
                                      {"any", test_any},   {"all", test_all},
                                      {"some", test_some}, {"exhaustion", test_exhaustion},
                                      {NULL, NULL}};
  return run_case(argc, argv, cases);
}
