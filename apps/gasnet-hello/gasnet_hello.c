// SPDX-License-Identifier: BSD-3-Clause
// The first GASNet program: every node says hello to node 0 by an active message, which answers.
//
//   gasnet-cc gasnet_hello.c -o gasnet_hello && uccsrun -n 4 ./gasnet_hello
#define GASNET_SEQ 1
#include <gasnet.h>
#include <stdio.h>

enum { kHello = 200, kWelcome = 201 };  // indices of handlers: 128 to 255 are ours

static int greeted, welcomed;

// Handlers run inside GASNet calls. A request handler may reply once.
static void on_hello(gasnet_token_t token, void* text, size_t bytes) {
  gasnet_node_t from;
  gasnet_AMGetMsgSource(token, &from);
  printf("node %u says: %.*s\n", from, (int)bytes, (char*)text);
  ++greeted;
  gasnet_AMReplyShort1(token, kWelcome, (gasnet_handlerarg_t)from);
}

static void on_welcome(gasnet_token_t token, gasnet_handlerarg_t number) {
  (void)token;
  if (number == (gasnet_handlerarg_t)gasnet_mynode()) ++welcomed;
}

int main(int argc, char** argv) {
  if (gasnet_init(&argc, &argv) != GASNET_OK) return 1;
  gasnet_handlerentry_t handlers[] = {{kHello, (void (*)())on_hello},
                                      {kWelcome, (void (*)())on_welcome}};
  if (gasnet_attach(handlers, 2, 0, 0) != GASNET_OK) gasnet_exit(1);

  char text[64];
  const int bytes = snprintf(text, sizeof text, "hello, we are %u", gasnet_nodes());
  gasnet_AMRequestMedium0(0, kHello, text, (size_t)bytes);
  GASNET_BLOCKUNTIL(welcomed == 1);

  gasnet_barrier_notify(0, GASNET_BARRIERFLAG_ANONYMOUS);
  gasnet_barrier_wait(0, GASNET_BARRIERFLAG_ANONYMOUS);
  if (gasnet_mynode() == 0) puts(greeted == (int)gasnet_nodes() ? "VERIFIED" : "FAILED");
  gasnet_exit(gasnet_mynode() == 0 && greeted != (int)gasnet_nodes());
}
