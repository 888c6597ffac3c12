// SPDX-License-Identifier: BSD-3-Clause
/* What the tests of gasnet.h share: checks that end the job, a start and an end, patterns. */
#ifndef TESTS_SPMD_GASNET_COMMON_H
#define TESTS_SPMD_GASNET_COMMON_H

#include <gasnet.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static gasnet_node_t me, n;
static gasnet_seginfo_t* segments;

#define CHECK(condition)                                                                     \
  do {                                                                                       \
    if (!(condition)) {                                                                      \
      fprintf(stderr, "node %u of %u: %s:%d: %s does not hold\n", me, n, __FILE__, __LINE__, \
              #condition);                                                                   \
      gasnet_exit(1);                                                                        \
    }                                                                                        \
  } while (0)
#define CHECK_OK(call) CHECK((call) == GASNET_OK)

#define SEGMENT_BYTES ((uintptr_t)4 << 20)

#ifdef GASNET_SEGMENT_EVERYTHING
static unsigned char own_segment[SEGMENT_BYTES] __attribute__((aligned(4096)));
#endif

static inline void barrier(void) {
  gasnet_barrier_notify(0, GASNET_BARRIERFLAG_ANONYMOUS);
  CHECK_OK(gasnet_barrier_wait(0, GASNET_BARRIERFLAG_ANONYMOUS));
}

/* Without segments of the library the nodes tell each other where theirs are. */
#ifdef GASNET_SEGMENT_EVERYTHING
static int cards_received;
static void on_card(gasnet_token_t token, void* buffer, size_t bytes) {
  gasnet_node_t from;
  CHECK_OK(gasnet_AMGetMsgSource(token, &from));
  CHECK(bytes == sizeof *segments);
  memcpy(&segments[from], buffer, bytes);
  __atomic_fetch_add(&cards_received, 1, __ATOMIC_RELEASE);
}
#endif

static inline void start(int* argc, char*** argv, gasnet_handlerentry_t* table, int handlers) {
  CHECK_OK(gasnet_init(argc, argv));
  me = gasnet_mynode();
  n = gasnet_nodes();
  segments = (gasnet_seginfo_t*)calloc(n, sizeof *segments);
#ifdef GASNET_SEGMENT_EVERYTHING
  gasnet_handlerentry_t all[129];
  for (int i = 0; i < handlers; ++i) all[i] = table[i];
  all[handlers].index = 0;
  all[handlers].fnptr = (void (*)())on_card;
  CHECK_OK(gasnet_attach(all, handlers + 1, SEGMENT_BYTES, 0));
  for (int i = 0; i < handlers; ++i) table[i] = all[i];
  gasnet_seginfo_t card = {own_segment, SEGMENT_BYTES};
  for (gasnet_node_t node = 0; node < n; ++node)
    CHECK_OK(gasnet_AMRequestMedium0(node, all[handlers].index, &card, sizeof card));
  GASNET_BLOCKUNTIL(__atomic_load_n(&cards_received, __ATOMIC_ACQUIRE) == (int)n);
  barrier();
#else
  CHECK_OK(gasnet_attach(table, handlers, SEGMENT_BYTES, 0));
  CHECK_OK(gasnet_getSegmentInfo(segments, (int)n));
#endif
}

static inline void stop(void) {
  barrier();
  gasnet_exit(0);
}

/* A place in the segment of a node. */
static inline unsigned char* at(gasnet_node_t node, size_t offset) {
  return (unsigned char*)segments[node].addr + offset;
}

/* A different byte for every sender, place and round. */
static inline unsigned char pattern(int node, size_t i, int round) {
  return (unsigned char)((size_t)node * 31 + i * 7 + (i >> 8) * 13 + (size_t)round * 101 + 1);
}
static inline void fill(void* to, size_t bytes, int node, int round) {
  for (size_t i = 0; i < bytes; ++i) ((unsigned char*)to)[i] = pattern(node, i, round);
}
static inline int holds(const void* from, size_t bytes, int node, int round) {
  for (size_t i = 0; i < bytes; ++i)
    if (((const unsigned char*)from)[i] != pattern(node, i, round)) return 0;
  return 1;
}

#endif
