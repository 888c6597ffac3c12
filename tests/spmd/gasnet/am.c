// SPDX-License-Identifier: BSD-3-Clause
/* Active messages (specification 2.3): each category with each number of arguments, as request and
 * as reply; sizes; sources; floods in both directions. */
#include "common.h"

#define ARGUMENT(i, from, round) \
  ((gasnet_handlerarg_t)((i)*0x01010101 ^ (int)(from)*7919 ^ (round)))
enum { SHORT, SHORT_REPLY, MEDIUM, MEDIUM_REPLY, LONG, LONG_REPLY };
#define INDEX(kind, m) (128 + (kind)*17 + (m))
enum { kRoom = 1 << 16 }; /* of the segment for each sender */
static int round_now;
static int requests, replies;
static int seen(int* counter) { return __atomic_load_n(counter, __ATOMIC_ACQUIRE); }
static void count(int* counter) { __atomic_fetch_add(counter, 1, __ATOMIC_RELEASE); }

static void check_arguments(gasnet_node_t from, const gasnet_handlerarg_t* a, int m) {
  for (int i = 0; i < m; ++i) CHECK(a[i] == ARGUMENT(i, from, round_now));
}
static gasnet_node_t source_of(gasnet_token_t token) {
  gasnet_node_t from = n;
  CHECK_OK(gasnet_AMGetMsgSource(token, &from));
  CHECK(from < n);
  return from;
}
/* Payloads of requests say who sent them; replies send back what came. */
static size_t payload_bytes;
static void check_payload(const void* buffer, size_t bytes, gasnet_node_t from, int is_medium) {
  CHECK(bytes == payload_bytes);
  CHECK(holds(buffer, bytes, (int)from, round_now));
  if (is_medium && bytes > 0) CHECK((uintptr_t)buffer % 16 == 0);
}

#define P0
#define A0
#define P1 P0, gasnet_handlerarg_t a0
#define A1 A0 a0,
#define P2 P1, gasnet_handlerarg_t a1
#define A2 A1 a1,
#define P3 P2, gasnet_handlerarg_t a2
#define A3 A2 a2,
#define P4 P3, gasnet_handlerarg_t a3
#define A4 A3 a3,
#define P5 P4, gasnet_handlerarg_t a4
#define A5 A4 a4,
#define P6 P5, gasnet_handlerarg_t a5
#define A6 A5 a5,
#define P7 P6, gasnet_handlerarg_t a6
#define A7 A6 a6,
#define P8 P7, gasnet_handlerarg_t a7
#define A8 A7 a7,
#define P9 P8, gasnet_handlerarg_t a8
#define A9 A8 a8,
#define P10 P9, gasnet_handlerarg_t a9
#define A10 A9 a9,
#define P11 P10, gasnet_handlerarg_t a10
#define A11 A10 a10,
#define P12 P11, gasnet_handlerarg_t a11
#define A12 A11 a11,
#define P13 P12, gasnet_handlerarg_t a12
#define A13 A12 a12,
#define P14 P13, gasnet_handlerarg_t a13
#define A14 A13 a13,
#define P15 P14, gasnet_handlerarg_t a14
#define A15 A14 a14,
#define P16 P15, gasnet_handlerarg_t a15
#define A16 A15 a15,
#define V(i) ARGUMENT(i, me, round_now)
#define V0
#define V1 V0, V(0)
#define V2 V1, V(1)
#define V3 V2, V(2)
#define V4 V3, V(3)
#define V5 V4, V(4)
#define V6 V5, V(5)
#define V7 V6, V(6)
#define V8 V7, V(7)
#define V9 V8, V(8)
#define V10 V9, V(9)
#define V11 V10, V(10)
#define V12 V11, V(11)
#define V13 V12, V(12)
#define V14 V13, V(13)
#define V15 V14, V(14)
#define V16 V15, V(15)
/* Handlers and senders for M arguments. A reply carries the arguments of the replying node. */
#define FOR(M)                                                                                  \
  static void on_short_reply##M(gasnet_token_t token P##M) {                                    \
    const gasnet_handlerarg_t a[] = {A##M 0};                                                   \
    check_arguments(source_of(token), a, M);                                                    \
    count(&replies);                                                                            \
  }                                                                                             \
  static void on_short##M(gasnet_token_t token P##M) {                                          \
    const gasnet_handlerarg_t a[] = {A##M 0};                                                   \
    check_arguments(source_of(token), a, M);                                                    \
    count(&requests);                                                                           \
    CHECK_OK(gasnet_AMReplyShort##M(token, INDEX(SHORT_REPLY, M) V##M));                        \
  }                                                                                             \
  static void on_medium_reply##M(gasnet_token_t token, void* buffer, size_t bytes P##M) {       \
    const gasnet_handlerarg_t a[] = {A##M 0};                                                   \
    check_arguments(source_of(token), a, M);                                                    \
    check_payload(buffer, bytes, me, 1);                                                        \
    count(&replies);                                                                            \
  }                                                                                             \
  static void on_medium##M(gasnet_token_t token, void* buffer, size_t bytes P##M) {             \
    const gasnet_handlerarg_t a[] = {A##M 0};                                                   \
    check_arguments(source_of(token), a, M);                                                    \
    check_payload(buffer, bytes, source_of(token), 1);                                          \
    count(&requests);                                                                           \
    CHECK_OK(gasnet_AMReplyMedium##M(token, INDEX(MEDIUM_REPLY, M), buffer, bytes V##M));       \
  }                                                                                             \
  static void on_long_reply##M(gasnet_token_t token, void* buffer, size_t bytes P##M) {         \
    const gasnet_handlerarg_t a[] = {A##M 0};                                                   \
    const gasnet_node_t from = source_of(token);                                                \
    check_arguments(from, a, M);                                                                \
    if (bytes > 0) CHECK(buffer == at(me, (n + from) * (size_t)kRoom));                         \
    check_payload(buffer, bytes, me, 0);                                                        \
    count(&replies);                                                                            \
  }                                                                                             \
  static void on_long##M(gasnet_token_t token, void* buffer, size_t bytes P##M) {               \
    const gasnet_handlerarg_t a[] = {A##M 0};                                                   \
    const gasnet_node_t from = source_of(token);                                                \
    check_arguments(from, a, M);                                                                \
    if (bytes > 0) CHECK(buffer == at(me, from * (size_t)kRoom));                               \
    check_payload(buffer, bytes, from, 0);                                                      \
    count(&requests);                                                                           \
    CHECK_OK(gasnet_AMReplyLong##M(token, INDEX(LONG_REPLY, M), buffer, bytes,                  \
                                   at(from, (n + me) * (size_t)kRoom) V##M));                   \
  }                                                                                             \
  static void send##M(gasnet_node_t to, int kind, void* payload) {                              \
    void* const dest = at(to, me * (size_t)kRoom);                                              \
    if (kind == 0) CHECK_OK(gasnet_AMRequestShort##M(to, INDEX(SHORT, M) V##M));                \
    if (kind == 1)                                                                              \
      CHECK_OK(gasnet_AMRequestMedium##M(to, INDEX(MEDIUM, M), payload, payload_bytes V##M));   \
    if (kind == 2)                                                                              \
      CHECK_OK(gasnet_AMRequestLong##M(to, INDEX(LONG, M), payload, payload_bytes, dest V##M)); \
    if (kind == 3)                                                                              \
      CHECK_OK(                                                                                 \
          gasnet_AMRequestLongAsync##M(to, INDEX(LONG, M), payload, payload_bytes, dest V##M)); \
  }
FOR(0)
FOR(1)
FOR(2)
FOR(3)
FOR(4)
FOR(5)
FOR(6)
FOR(7)
FOR(8)
FOR(9)
FOR(10)
FOR(11)
FOR(12)
FOR(13)
FOR(14)
FOR(15)
FOR(16)

#define ENTRY(kind, m, name) \
  { INDEX(kind, m), (void (*)())name }
#define ENTRIES(M)                                                                \
  ENTRY(SHORT, M, on_short##M), ENTRY(SHORT_REPLY, M, on_short_reply##M),         \
      ENTRY(MEDIUM, M, on_medium##M), ENTRY(MEDIUM_REPLY, M, on_medium_reply##M), \
      ENTRY(LONG, M, on_long##M), ENTRY(LONG_REPLY, M, on_long_reply##M)
static gasnet_handlerentry_t table[] = {
    ENTRIES(0),  ENTRIES(1),  ENTRIES(2),  ENTRIES(3),  ENTRIES(4),  ENTRIES(5),
    ENTRIES(6),  ENTRIES(7),  ENTRIES(8),  ENTRIES(9),  ENTRIES(10), ENTRIES(11),
    ENTRIES(12), ENTRIES(13), ENTRIES(14), ENTRIES(15), ENTRIES(16)};
typedef void (*sender_t)(gasnet_node_t, int, void*);
static const sender_t senders[] = {send0,  send1,  send2,  send3,  send4,  send5,
                                   send6,  send7,  send8,  send9,  send10, send11,
                                   send12, send13, send14, send15, send16};

/* Sends to every node, and waits until all of it has been answered and all has come. */
static void round_trip(int kind, int m, size_t bytes) {
  static unsigned char payload[kRoom];
  payload_bytes = bytes;
  requests = replies = 0;
  ++round_now;
  fill(payload, bytes, (int)me, round_now);
  barrier();
  for (gasnet_node_t to = 0; to < n; ++to) senders[m](to, kind, payload);
  GASNET_BLOCKUNTIL(seen(&replies) == (int)n && seen(&requests) == (int)n);
  barrier();
}

static void test_arguments(void) {
  for (int kind = 0; kind < 4; ++kind)
    for (int m = 0; m <= 16; ++m) round_trip(kind, m, 100);
}

static void test_sizes(void) {
  const size_t mediums[] = {0, 1, 7, 8, 15, 16, 23, 40, 47, 48, 55, 56, 63, 64, 512, 4097};
  for (size_t i = 0; i < sizeof mediums / sizeof *mediums; ++i)
    for (int m = 0; m <= 16; m += 4)
      for (int kind = 1; kind < 4; ++kind) round_trip(kind, m, mediums[i]);
  for (int m = 0; m <= 16; m += 8) {
    round_trip(1, m, gasnet_AMMaxMedium());
    round_trip(2, m, gasnet_AMMaxLongReply() < kRoom ? gasnet_AMMaxLongReply() : kRoom);
  }
  CHECK(gasnet_AMMaxArgs() >= 2 * sizeof(void*) && gasnet_AMMaxMedium() >= 512);
  CHECK(gasnet_AMMaxLongRequest() >= 512 && gasnet_AMMaxLongReply() >= 512);
}

/* Everybody sends to everybody without looking, more than inboxes and buffers hold. */
static void test_flood(void) {
  static unsigned char payload[1000];
  const int each = 2000;
  for (int kind = 0; kind < 3; ++kind) {
    payload_bytes = sizeof payload;
    requests = replies = 0;
    ++round_now;
    fill(payload, sizeof payload, (int)me, round_now);
    barrier();
    for (int i = 0; i < each; ++i) senders[i % 17]((me + 1) % n, kind, payload);
    GASNET_BLOCKUNTIL(seen(&replies) == each && seen(&requests) == each);
    barrier();
  }
}

/* What core calls answer to wrong arguments. */
static void test_errors(void) {
  static char payload[16];
  CHECK(gasnet_AMRequestShort0(n, 128) == GASNET_ERR_BAD_ARG);
  CHECK(gasnet_AMRequestShort0(me, 127) == GASNET_ERR_BAD_ARG);
  CHECK(gasnet_AMRequestMedium0(me, 128, payload, gasnet_AMMaxMedium() + 1) == GASNET_ERR_BAD_ARG);
  CHECK(gasnet_AMReplyShort0(NULL, 128) == GASNET_ERR_BAD_ARG);
#ifndef GASNET_SEGMENT_EVERYTHING
  CHECK(gasnet_AMRequestLong0(me, 128, payload, 16, at(me, SEGMENT_BYTES - 15)) ==
        GASNET_ERR_BAD_ARG);
  CHECK(gasnet_AMRequestLong0(me, 128, payload, 1, payload) == GASNET_ERR_BAD_ARG);
#endif
  gasnet_node_t from;
  CHECK(gasnet_AMGetMsgSource(NULL, &from) == GASNET_ERR_BAD_ARG);
  CHECK(gasnet_set_waitmode(77) == GASNET_ERR_BAD_ARG);
  CHECK_OK(gasnet_set_waitmode(GASNET_WAIT_SPIN));
  round_trip(0, 3, 0);
  CHECK_OK(gasnet_set_waitmode(GASNET_WAIT_BLOCK));
  round_trip(1, 11, 8);
  CHECK_OK(gasnet_set_waitmode(GASNET_WAIT_SPINBLOCK));
}

int main(int argc, char** argv) {
  start(&argc, &argv, table, sizeof table / sizeof *table);
  CHECK(2 * n * (size_t)kRoom <= SEGMENT_BYTES);
  const char* what = argc > 1 ? argv[1] : "";
  if (!strcmp(what, "arguments")) test_arguments();
  if (!strcmp(what, "sizes")) test_sizes();
  if (!strcmp(what, "flood")) test_flood();
  if (!strcmp(what, "errors")) test_errors();
  stop();
}
