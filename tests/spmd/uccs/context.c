// SPDX-License-Identifier: BSD-3-Clause
/* Contexts side by side and one after the other, endpoints, regions, and misuse that is answered.
 */
#include <unistd.h>

#include "common.h"

enum { kHello = 1 };
static int heard[4];

static void on_hello(const uccs_am_t* m, void* user) {
  (void)m;
  ++*(int*)user;
}

/* Several at once, each for itself: what is sent in one is not heard in another. */
static void test_many(void) {
  enum { kContexts = 4 };
  uccs_context_t contexts[kContexts];
  uccs_endpoint_t to[kContexts];
  for (int c = 0; c < kContexts; ++c) {
    const uccs_context_attributes_t attributes = {.lanes = c + 1};
    CHECK_OK(uccs_context_create(&attributes, &contexts[c]));
    uccs_context_info_t info;
    CHECK_OK(uccs_context_query(contexts[c], &info));
    me = info.ec;
    n = info.num_ecs;
    CHECK(info.lanes == c + 1 && info.channels >= 1);
    CHECK_OK(uccs_endpoint_create(contexts[c], (me + 1) % n, c, &to[c]));
    CHECK_OK(uccs_am_register(contexts[c], kHello, on_hello, UCCS_AM_USER, &heard[c]));
  }
  barrier();
  for (int c = 0; c < kContexts; ++c)
    for (int i = 0; i <= c; ++i)
      while (uccs_am_short_nb(to[c], kHello, NULL, 0, NULL) == UCCS_AGAIN)
        uccs_progress(contexts[c]);
  for (int c = kContexts - 1; c >= 0; --c) CHECK_OK(uccs_context_destroy(contexts[c]));
  for (int c = 0; c < kContexts; ++c) CHECK(heard[c] == c + 1);
}

/* Memory of a context is used again; nothing of the old one shows in the new one. */
static void test_again(void) {
  for (int round = 0; round < rounds(30); ++round) {
    start();
    CHECK_OK(uccs_am_register(context, kHello, on_hello, UCCS_AM_USER, &heard[0]));
    uccs_region_t region;
    CHECK_OK(uccs_region_alloc(context, 1000, 0, &region));
    barrier();
    uint64_t value = (uint64_t)round, got = 0;
    uccs_status_t status;
    const int to = (me + 1) % n;
    for (int i = 0; i < 700; ++i) /* more than a ring, so that positions wrap */
      POST_REQUEST(status, uccs_am_short_nb(peers[to], kHello, &value, 8, NULL));
    POST_REQUEST(status, uccs_send_contiguous_nb(peers[to], 1, &value, 8, NULL));
    if (round % 2) /* in the other rounds the message is left behind */
      DO(uccs_recv_nb(context, 0, UCCS_EC_ANY, 1, UCCS_TAG_EXACT, &got, 8, NULL, &request));
    CHECK(round % 2 == 0 || got == (uint64_t)round);
    uccs_request_t never;
    POST_REQUEST(status, uccs_recv_nb(context, 0, UCCS_EC_ANY, 2, UCCS_TAG_EXACT, &got, 8, NULL,
                                      &never)); /* dies with the context */
    stop();
    CHECK(heard[0] == 700 * (round + 1));
  }
}

static void test_misuse(void) {
  uccs_context_attributes_t bad = {.lanes = 65};
  CHECK_STATUS(uccs_context_create(&bad, &context), UCCS_ERR_INVALID);
  bad = (uccs_context_attributes_t){.lanes = -1};
  CHECK_STATUS(uccs_context_create(&bad, &context), UCCS_ERR_INVALID);
  bad = (uccs_context_attributes_t){.channels = 1025};
  CHECK_STATUS(uccs_context_create(&bad, &context), UCCS_ERR_INVALID);
  bad = (uccs_context_attributes_t){.progress = (uccs_progress_mode_t)9};
  CHECK_STATUS(uccs_context_create(&bad, &context), UCCS_ERR_INVALID);
  CHECK_STATUS(uccs_context_create(NULL, NULL), UCCS_ERR_INVALID);
  bad = (uccs_context_attributes_t){.resource = "carrier pigeons"};
  CHECK_STATUS(uccs_context_create(&bad, &context), UCCS_ERR_NOT_FOUND);
  CHECK_OK(uccs_context_destroy(NULL));

  size_t count;
  uccs_resource_t resources[8];
  CHECK_OK(uccs_resource_query(NULL, 0, &count));
  CHECK(count >= 1 && count <= 8);
  CHECK_OK(uccs_resource_query(resources, 8, &count));
  CHECK(resources[0].name[0] && resources[0].description[0]);
  CHECK_STATUS(uccs_resource_query(NULL, 1, &count), UCCS_ERR_INVALID);
  CHECK_STATUS(uccs_resource_query(NULL, 0, NULL), UCCS_ERR_INVALID);

  start();
  const int is_reached = !is_spread() || !resources[0].is_same_node;
  stop();
  const uccs_context_attributes_t named = {.lanes = 2,
                                           .resource = is_reached ? resources[0].name : NULL};
  start_with(&named);
  uccs_endpoint_t endpoint;
  CHECK_STATUS(uccs_endpoint_create(context, -1, 0, &endpoint), UCCS_ERR_INVALID);
  CHECK_STATUS(uccs_endpoint_create(context, n, 0, &endpoint), UCCS_ERR_INVALID);
  CHECK_STATUS(uccs_endpoint_create(context, 0, 2, &endpoint), UCCS_ERR_INVALID);
  CHECK_STATUS(uccs_endpoint_create(context, 0, -2, &endpoint), UCCS_ERR_INVALID);
  CHECK_OK(uccs_endpoint_destroy(NULL));
  CHECK_STATUS(uccs_lane_bind(context, 2), UCCS_ERR_INVALID);
  CHECK_OK(uccs_lane_bind(context, 1));
  CHECK_OK(uccs_lane_bind(context, UCCS_LANE_ANY));
  CHECK_STATUS(uccs_context_query(context, NULL), UCCS_ERR_INVALID);

  CHECK_STATUS(uccs_am_register(context, -1, on_hello, UCCS_AM_USER, NULL), UCCS_ERR_INVALID);
  CHECK_STATUS(uccs_am_register(context, 256, on_hello, UCCS_AM_USER, NULL), UCCS_ERR_INVALID);
  CHECK_STATUS(uccs_am_register(context, 1, on_hello, (uccs_am_class_t)5, NULL), UCCS_ERR_INVALID);
  char data[100000];
  uccs_request_t request = UCCS_REQUEST_NULL;
  CHECK_STATUS(uccs_am_short_nb(peers[0], 256, data, 1, &request), UCCS_ERR_INVALID);
  CHECK_STATUS(uccs_am_short_nb(peers[0], 1, data, UCCS_AM_SHORT_MAX + 1, &request),
               UCCS_ERR_INVALID);
  CHECK_STATUS(uccs_am_medium_nb(peers[0], 1, data, UCCS_AM_HEADER_MAX + 1, data, 1, &request),
               UCCS_ERR_INVALID);
  CHECK_STATUS(uccs_am_medium_nb(peers[0], 1, data, 1, data, UCCS_AM_MEDIUM_MAX + 1, &request),
               UCCS_ERR_INVALID);
  CHECK_STATUS(
      uccs_am_large_nb(peers[0], 1, data, 1, UCCS_REGION_SYMMETRIC, data, data, 1, &request),
      UCCS_ERR_ADDRESS); /* the stack is not symmetric */
  CHECK_STATUS(uccs_am_reply_short(NULL, 1, data, 1), UCCS_ERR_INVALID);
  CHECK_STATUS(uccs_send_contiguous_short_nb(peers[0], 1, data, UCCS_SEND_SHORT_MAX + 1, &request),
               UCCS_ERR_INVALID);
  CHECK_STATUS(uccs_send_nb(peers[0], 1, NULL, 1, &request), UCCS_ERR_INVALID);
  CHECK_STATUS(uccs_recv_nb(context, 2, 0, 1, 1, data, 1, NULL, &request), UCCS_ERR_INVALID);
  CHECK_STATUS(uccs_recv_nb(context, 0, n, 1, 1, data, 1, NULL, &request), UCCS_ERR_INVALID);
  CHECK_STATUS(uccs_recv_nb(context, 0, 0, 1, 1, NULL, 1, NULL, &request), UCCS_ERR_INVALID);
  CHECK_STATUS(uccs_recv_nb(context, 0, 0, 1, 1, data, 1, NULL, NULL), UCCS_ERR_INVALID);
  CHECK_STATUS(uccs_probe(context, 0, -2, 1, 1, NULL), UCCS_ERR_INVALID);

  CHECK_STATUS(uccs_put_contiguous_short_nb(peers[0], UCCS_REGION_STATIC, heard, data,
                                            UCCS_RMA_SHORT_MAX + 1, &request),
               UCCS_ERR_INVALID);
  CHECK_STATUS(uccs_get_contiguous_medium_nb(peers[0], UCCS_REGION_STATIC, data, heard,
                                             UCCS_RMA_MEDIUM_MAX + 1, &request),
               UCCS_ERR_INVALID);
  CHECK_STATUS(uccs_put_contiguous_nb(peers[0], UCCS_REGION_SYMMETRIC, data, data, 8, &request),
               UCCS_ERR_ADDRESS);
  CHECK_STATUS(uccs_get_contiguous_nb(peers[0], UCCS_REGION_SYMMETRIC, data, data, 8, &request),
               UCCS_ERR_ADDRESS);
  uint64_t word = 0;
  CHECK_STATUS(uccs_atomic_inc_uint64_nb(peers[0], UCCS_REGION_SYMMETRIC, &word, &request),
               UCCS_ERR_ADDRESS);
  size_t counts[10] = {1, 1, 1, 1, 1, 1, 1, 1, 1, 1};
  ptrdiff_t strides[10] = {0};
  CHECK_STATUS(uccs_put_strided_nb(peers[0], UCCS_REGION_STATIC, heard, strides, data, strides,
                                   counts, UCCS_STRIDED_LEVELS_MAX + 1, &request),
               UCCS_ERR_INVALID);
  CHECK_STATUS(uccs_put_strided_nb(peers[0], UCCS_REGION_STATIC, heard, NULL, data, strides, counts,
                                   1, &request),
               UCCS_ERR_INVALID);
  CHECK_STATUS(uccs_put_gather_nb(peers[0], UCCS_REGION_STATIC, heard, NULL, 1, &request),
               UCCS_ERR_INVALID);

  /* Regions: blobs are checked, ranges and owners too. */
  uccs_region_t region;
  CHECK_STATUS(uccs_region_alloc(context, 0, 0, &region), UCCS_ERR_INVALID);
  CHECK_STATUS(uccs_region_alloc(context, 8, 3, &region), UCCS_ERR_INVALID);
  CHECK_STATUS(uccs_region_register(context, NULL, 8, &region), UCCS_ERR_INVALID);
  CHECK_STATUS(uccs_region_register(context, data, 0, &region), UCCS_ERR_INVALID);
  CHECK_OK(uccs_region_register(context, data, 64, &region));
  unsigned char blob[UCCS_REGION_BLOB_MAX];
  size_t bytes;
  CHECK_STATUS(uccs_region_export(region, blob, 10, &bytes), UCCS_ERR_INVALID);
  CHECK_STATUS(uccs_region_export(UCCS_REGION_HEAP, blob, sizeof blob, &bytes), UCCS_ERR_INVALID);
  CHECK_OK(uccs_region_export(region, blob, sizeof blob, &bytes));
  uccs_region_t imported;
  CHECK_STATUS(uccs_region_import(context, blob, bytes - 1, &imported), UCCS_ERR_INVALID);
  for (size_t i = 0; i < 8; ++i) { /* magic and owner */
    blob[i] ^= 0x80;
    CHECK_STATUS(uccs_region_import(context, blob, bytes, &imported), UCCS_ERR_INVALID);
    blob[i] ^= 0x80;
  }
  CHECK_OK(uccs_region_import(context, blob, bytes, &imported));
  CHECK_STATUS(uccs_get_contiguous_nb(peers[me], imported, heard, data + 60, 8, &request),
               UCCS_ERR_ADDRESS); /* beyond its end */
  if (n > 1)
    CHECK_STATUS(uccs_get_contiguous_nb(peers[(me + 1) % n], imported, heard, data, 8, &request),
                 UCCS_ERR_ADDRESS); /* another's */
  CHECK_STATUS(uccs_region_query(UCCS_REGION_SYMMETRIC, NULL), UCCS_ERR_INVALID);
  CHECK_OK(uccs_region_release(imported));
  CHECK_OK(uccs_region_release(region));
  CHECK(request == UCCS_REQUEST_NULL);
  barrier();
  stop();
}

int main(int argc, char** argv) {
  static const test_case_t cases[] = {
      {"many", test_many}, {"again", test_again}, {"misuse", test_misuse}, {NULL, NULL}};
  return run_case(argc, argv, cases);
}
