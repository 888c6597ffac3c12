// SPDX-License-Identifier: BSD-3-Clause
// What GASNet's operations take here: a token goes round the ring of nodes, as an active message
// and as a put; then node 0 and its neighbour exchange requests and replies.
//
//   gasnet-cc -O2 gasnet_ring.c -o gasnet_ring && uccsrun -n 2 ./gasnet_ring [rounds]
#define GASNET_SEQ 1
#define UCCS_GASNET_INLINE 1
#include <gasnet.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { kToken = 200, kPing = 201, kPong = 202, kStream = 203 };

static gasnet_node_t me, n, next;
static int rounds, tokens, pongs, streamed;
static gasnet_seginfo_t* segments;

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}
static void barrier(void) {
  gasnet_barrier_notify(0, GASNET_BARRIERFLAG_ANONYMOUS);
  gasnet_barrier_wait(0, GASNET_BARRIERFLAG_ANONYMOUS);
}
static void fail(const char* what) {
  fprintf(stderr, "FAILED: %s at node %u\n", what, me);
  gasnet_exit(1);
}

// A handler cannot send a request, so it notes the token and main passes it on.
static void on_token(gasnet_token_t token, gasnet_handlerarg_t value) {
  (void)token;
  if (value != tokens) fail("the token came out of order");
  ++tokens;
}
static void on_ping(gasnet_token_t token, gasnet_handlerarg_t value) {
  gasnet_AMReplyShort1(token, kPong, value);
}
static void on_pong(gasnet_token_t token, gasnet_handlerarg_t value) {
  (void)token;
  if (value != pongs) fail("the replies came out of order");
  ++pongs;
}
static void on_stream(gasnet_token_t token) {
  (void)token;
  ++streamed;
}

static void ring_of_messages(void) {
  barrier();
  const double start = now();
  for (int i = 0; i < rounds; ++i) {
    if (me == 0) gasnet_AMRequestShort1(next, kToken, i);
    GASNET_BLOCKUNTIL(tokens == i + 1);
    if (me != 0) gasnet_AMRequestShort1(next, kToken, i);
  }
  if (me == 0) printf("token as message     %8.3f us a hop\n", 1e6 * (now() - start) / rounds / n);
}

static void wait_for_word(volatile long* word, long value) {
  for (int looks = 0; *word != value; ++looks)
    if (looks % 64 == 63) gasnet_AMPoll();  // gives the CPU away if there are too few
}
static void ring_of_puts(void) {
  volatile long* const mine = (volatile long*)segments[me].addr;
  *mine = 0;
  barrier();
  const double start = now();
  for (long i = 1; i <= rounds; ++i) {
    if (me != 0) wait_for_word(mine, i);
    gasnet_put_nbi_val(next, segments[next].addr, (gasnet_register_value_t)i, sizeof(long));
    if (me == 0) wait_for_word(mine, i);
  }
  gasnet_wait_syncnbi_puts();
  if (me == 0) printf("token as put         %8.3f us a hop\n", 1e6 * (now() - start) / rounds / n);
}

static void ping_pong(void) {
  barrier();
  const double start = now();
  if (me == 0) {
    for (int i = 0; i < rounds; ++i) {
      gasnet_AMRequestShort1(next, kPing, i);
      GASNET_BLOCKUNTIL(pongs == i + 1);
    }
    printf("request and reply    %8.3f us\n", 1e6 * (now() - start) / rounds);
  }
  barrier();
}

static void stream(void) {
  barrier();
  const double start = now();
  for (int i = 0; i < rounds; ++i) gasnet_AMRequestShort0(next, kStream);
  GASNET_BLOCKUNTIL(streamed == rounds);
  if (me == 0)
    printf("short message        %8.3f us each, one after the other\n",
           1e6 * (now() - start) / rounds);
}

static void puts_and_gets(void) {
  long* const there = (long*)segments[next].addr + 8;
  barrier();
  const double start = now();
  for (int i = 0; i < rounds; ++i)
    gasnet_put_val(next, there, (gasnet_register_value_t)i, sizeof(long));
  const double middle = now();
  for (int i = 0; i < rounds; ++i)
    if (gasnet_get_val(next, there, sizeof(long)) != (gasnet_register_value_t)(rounds - 1))
      fail("a get brought another value than was put");
  if (me != 0) return;
  printf("blocking put of 8    %8.4f us\n", 1e6 * (middle - start) / rounds);
  printf("blocking get of 8    %8.4f us\n", 1e6 * (now() - middle) / rounds);
}

int main(int argc, char** argv) {
  if (gasnet_init(&argc, &argv) != GASNET_OK) return 1;
  gasnet_handlerentry_t handlers[] = {{kToken, (void (*)())on_token},
                                      {kPing, (void (*)())on_ping},
                                      {kPong, (void (*)())on_pong},
                                      {kStream, (void (*)())on_stream}};
  if (gasnet_attach(handlers, 4, GASNET_PAGESIZE, 0) != GASNET_OK) gasnet_exit(1);
  me = gasnet_mynode();
  n = gasnet_nodes();
  next = (me + 1) % n;
  rounds = argc > 1 && atoi(argv[1]) > 0 ? atoi(argv[1]) : 10000;
  segments = malloc(n * sizeof *segments);
  if (!segments || gasnet_getSegmentInfo(segments, (int)n) != GASNET_OK) gasnet_exit(1);

  ring_of_messages();
  ring_of_puts();
  ping_pong();
  stream();
  puts_and_gets();
  barrier();
  if (me == 0) puts("VERIFIED");
  gasnet_exit(0);
}
