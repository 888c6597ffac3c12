// SPDX-License-Identifier: BSD-3-Clause
/* As probe.c, for GASNet: from node 0 to node 1, but for the messages, which node 0 sends to itself
 * so that one process runs all of a round trip. */
#define GASNET_PAR 1
#define UCCS_GASNET_INLINE 1
#include <gasnet.h>
#include <stdio.h>
#include <stdlib.h>
#include <valgrind/callgrind.h>

enum { kCalls = 1000, kPing = 200, kPong = 201, kCount = 202 };

static int answered;

#define MEASURE(name, statement)                    \
  do {                                              \
    statement; /* first use may resolve a symbol */ \
    CALLGRIND_ZERO_STATS;                           \
    CALLGRIND_TOGGLE_COLLECT;                       \
    for (volatile int i = 0; i < kCalls; ++i) {     \
      statement;                                    \
    }                                               \
    CALLGRIND_TOGGLE_COLLECT;                       \
    CALLGRIND_DUMP_STATS_AT(name);                  \
  } while (0)

static void on_ping(gasnet_token_t token, gasnet_handlerarg_t a, gasnet_handlerarg_t b) {
  gasnet_AMReplyShort2(token, kPong, a, b);
}
static void on_pong(gasnet_token_t token, gasnet_handlerarg_t a, gasnet_handlerarg_t b) {
  (void)token;
  answered += a + b;
}
static void on_count(gasnet_token_t token, void* buffer, size_t bytes) {
  (void)token, (void)buffer;
  answered += (int)bytes;
}

static void round_trip(void) {
  answered = 0;
  gasnet_AMRequestShort2(0, kPing, 1, 2);
  GASNET_BLOCKUNTIL(answered == 3);
}
static void medium(size_t bytes) {
  static char payload[1024];
  answered = 0;
  gasnet_AMRequestMedium0(0, kCount, payload, bytes);
  GASNET_BLOCKUNTIL(answered == (int)bytes);
}
static void long_message(void* there) {
  static char payload[64];
  answered = 0;
  gasnet_AMRequestLong0(0, kCount, payload, sizeof payload, there);
  GASNET_BLOCKUNTIL(answered == (int)sizeof payload);
}

static void measure(gasnet_node_t peer, long* there, long* here) {
  long value = 1;
  gasnet_hsl_t lock = GASNET_HSL_INITIALIZER;
  MEASURE("loop", __asm__ volatile("" ::: "memory"));
  /* In parentheses: the library's, not the inlined ones. */
  MEASURE("gasnet_put 8", (gasnet_put)(peer, there, &value, 8));
  MEASURE("gasnet_put_nb 8, sync", (gasnet_wait_syncnb)((gasnet_put_nb)(peer, there, &value, 8)));
  MEASURE("gasnet_put_nbi 8", (gasnet_put_nbi)(peer, there, &value, 8));
  MEASURE("gasnet_put_val 8", (gasnet_put_val)(peer, there, 1, 8));
  MEASURE("gasnet_get 8", (gasnet_get)(&value, peer, there, 8));
  MEASURE("gasnet_get_val 8", value = (long)(gasnet_get_val)(peer, there, 8));
  MEASURE("gasnet_wait_syncnbi_all", gasnet_wait_syncnbi_all());
  MEASURE("inline gasnet_put 8", gasnet_put(peer, there, &value, 8));
  MEASURE("inline gasnet_put_nbi_val 8", gasnet_put_nbi_val(peer, there, 1, 8));
  MEASURE("inline gasnet_get_val 8", value = (long)gasnet_get_val(peer, there, 8));
  MEASURE("gasnet_hsl_lock, unlock", (gasnet_hsl_lock(&lock), gasnet_hsl_unlock(&lock)));
  MEASURE("gasnet_AMPoll, nothing", gasnet_AMPoll());
  MEASURE("short round trip", round_trip());
  MEASURE("medium 8, one way", medium(8));
  MEASURE("medium 1024, one way", medium(1024));
  MEASURE("long 64, one way", long_message(here));
}

int main(int argc, char** argv) {
  gasnet_handlerentry_t handlers[] = {
      {kPing, (void (*)())on_ping}, {kPong, (void (*)())on_pong}, {kCount, (void (*)())on_count}};
  gasnet_seginfo_t segments[2];
  if (gasnet_init(&argc, &argv) || gasnet_attach(handlers, 3, GASNET_PAGESIZE, 0) ||
      gasnet_nodes() != 2 || gasnet_getSegmentInfo(segments, 2))
    gasnet_exit(1);
  if (gasnet_mynode() == 0) measure(1, (long*)segments[1].addr, (long*)segments[0].addr);
  gasnet_barrier(0, GASNET_BARRIERFLAG_ANONYMOUS);
  gasnet_exit(0);
}
