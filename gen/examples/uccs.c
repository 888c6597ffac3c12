// SPDX-License-Identifier: BSD-3-Clause
#include <stdio.h>
#include <stdlib.h>
#include <uccs/uccs.h>

// The end of every call that can fail.
static void check(uccs_status_t status, const char* what) {
  if (status >= 0) return;
  fprintf(stderr, "%s: %s\n", what, uccs_status_string(status));
  exit(1);
}

int main(void) {
  uccs_context_t context;
  check(uccs_context_create(NULL, &context), "uccs_context_create");
  uccs_context_info_t info;
  check(uccs_context_query(context, &info), "uccs_context_query");
  const int next = (info.ec + 1) % info.num_ecs;

  uccs_endpoint_t endpoint;
  check(uccs_endpoint_create(context, next, UCCS_LANE_ANY, &endpoint), "uccs_endpoint_create");
  uccs_region_t region;  // symmetric: all ECs allocate it together
  check(uccs_region_alloc(context, sizeof(int), 64, &region), "uccs_region_alloc");
  uccs_region_info_t place;
  check(uccs_region_query(region, &place), "uccs_region_query");
  int* const inbox = place.base;

  // Puts this EC's number into the next one's inbox; NULL: completed by uccs_flush.
  uccs_status_t status;
  do {
    status = uccs_put_contiguous_nb(endpoint, region, inbox, &info.ec, sizeof info.ec, NULL);
    if (status == UCCS_AGAIN) uccs_progress(context);
  } while (status == UCCS_AGAIN);
  check(status, "uccs_put_contiguous_nb");
  check(uccs_flush(&endpoint, 1), "uccs_flush");
  check(uccs_barrier(uccs_group_world()), "uccs_barrier");
  printf("EC %d heard from EC %d\n", info.ec, *inbox);

  check(uccs_region_release(region), "uccs_region_release");
  check(uccs_endpoint_destroy(endpoint), "uccs_endpoint_destroy");
  check(uccs_context_destroy(context), "uccs_context_destroy");
  return 0;
}
