// SPDX-License-Identifier: BSD-3-Clause
/* What the tests of uccs.h share: checks that end the job, posting that retries, a start and an
 * end. */
#ifndef TESTS_SPMD_UCCS_COMMON_H
#define TESTS_SPMD_UCCS_COMMON_H

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <uccs/rte.h>
#include <uccs/uccs.h>

#include "../rounds.h"

static uccs_context_t context;
static int me, n;
static uccs_endpoint_t* peers; /* one to every EC, any lane */

#define CHECK(condition)                                                                   \
  do {                                                                                     \
    if (!(condition)) {                                                                    \
      fprintf(stderr, "EC %d of %d: %s:%d: %s does not hold\n", me, n, __FILE__, __LINE__, \
              #condition);                                                                 \
      exit(1);                                                                             \
    }                                                                                      \
  } while (0)

#define CHECK_STATUS(call, expected)                                                            \
  do {                                                                                          \
    const uccs_status_t got_ = (call);                                                          \
    if (got_ != (expected)) {                                                                   \
      fprintf(stderr, "EC %d of %d: %s:%d: %s is %d (%s), not %s\n", me, n, __FILE__, __LINE__, \
              #call, (int)got_, uccs_status_string(got_), #expected);                           \
      exit(1);                                                                                  \
    }                                                                                           \
  } while (0)
#define CHECK_OK(call) CHECK_STATUS(call, UCCS_OK)

/* Posts until it is taken; the request, if any, is in `request`. */
#define POST_REQUEST(status, call)                                  \
  do {                                                              \
    while ((status = (call)) == UCCS_AGAIN) uccs_progress(context); \
    CHECK(status == UCCS_OK || status == UCCS_IN_PROGRESS);         \
  } while (0)

/* Posts and completes. The call is written with &request as its last argument. */
#define DO(call)                                                   \
  do {                                                             \
    uccs_request_t request = UCCS_REQUEST_NULL;                    \
    uccs_status_t status_;                                         \
    POST_REQUEST(status_, call);                                   \
    CHECK((status_ == UCCS_OK) == (request == UCCS_REQUEST_NULL)); \
    CHECK_OK(uccs_wait(&request));                                 \
    CHECK(request == UCCS_REQUEST_NULL);                           \
  } while (0)

static inline void barrier(void) { CHECK_OK(uccs_barrier(uccs_group_world())); }

static inline void start_with(const uccs_context_attributes_t* attributes) {
  CHECK_OK(uccs_context_create(attributes, &context));
  uccs_context_info_t info;
  CHECK_OK(uccs_context_query(context, &info));
  me = info.ec;
  n = info.num_ecs;
  peers = calloc((size_t)n, sizeof *peers);
  CHECK(peers);
  for (int ec = 0; ec < n; ++ec)
    CHECK_OK(uccs_endpoint_create(context, ec, UCCS_LANE_ANY, &peers[ec]));
}
static inline void start(void) { start_with(NULL); }

static inline void stop(void) {
  for (int ec = 0; ec < n; ++ec) CHECK_OK(uccs_endpoint_destroy(peers[ec]));
  CHECK_OK(uccs_context_destroy(context));
  free(peers);
}

/* Whether some ECs are on other nodes; after `start`. */
static inline int is_spread(void) {
  int is_other = 0;
  CHECK_OK(rte_init());
  for (int ec = 0; ec < n; ++ec) {
    rte_locality_t here, there;
    CHECK_OK(rte_get_locality(me, &here));
    CHECK_OK(rte_get_locality(ec, &there));
    is_other |= here.node != there.node;
  }
  CHECK_OK(rte_finalize());
  return is_other;
}

/* A different byte for every sender, place and round. */
static inline unsigned char pattern(int ec, size_t i, int round) {
  return (unsigned char)((size_t)ec * 31 + i * 7 + (i >> 8) * 13 + (size_t)round * 101 + 1);
}
static inline void fill(unsigned char* at, size_t bytes, int ec, int round) {
  for (size_t i = 0; i < bytes; ++i) at[i] = pattern(ec, i, round);
}
static inline int holds(const unsigned char* at, size_t bytes, int ec, int round) {
  for (size_t i = 0; i < bytes; ++i)
    if (at[i] != pattern(ec, i, round)) {
      fprintf(stderr, "EC %d: byte %zu of %zu is %u, not %u (from EC %d, round %d)\n", me, i, bytes,
              at[i], pattern(ec, i, round), ec, round);
      return 0;
    }
  return 1;
}

/* Tests are chosen by the first argument. */
typedef struct test_case {
  const char* name;
  void (*run)(void);
} test_case_t;

static inline int run_case(int argc, char** argv, const test_case_t* cases) {
  for (; argc > 1 && cases->name; ++cases)
    if (strcmp(cases->name, argv[1]) == 0) {
      cases->run();
      return 0;
    }
  fprintf(stderr, "%s: there is no case '%s'\n", argv[0], argc > 1 ? argv[1] : "");
  return 1;
}

#endif
