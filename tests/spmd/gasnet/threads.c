// SPDX-License-Identifier: BSD-3-Clause
/* Many threads per node (GASNET_PAR): all send, answer, put, get and sync at once. */
#include <pthread.h>

#include "common.h"

enum { kMaxThreads = 8, kMessages = 400, kWords = 200 };
static int threads;
static struct {
  int replies;
  char apart[60];
} received[kMaxThreads];
static gasnet_hsl_t lock = GASNET_HSL_INITIALIZER;
static long guarded, handled;

static void on_reply(gasnet_token_t token, gasnet_handlerarg_t thread) {
  (void)token;
  __atomic_fetch_add(&received[thread].replies, 1, __ATOMIC_RELEASE);
}
static void on_long_reply(gasnet_token_t token, void* buffer, size_t bytes,
                          gasnet_handlerarg_t thread, gasnet_handlerarg_t round) {
  CHECK(holds(buffer, bytes, thread, round));
  on_reply(token, thread);
}
static void note(void) {
  gasnet_hsl_lock(&lock);
  ++guarded;
  ++handled;
  gasnet_hsl_unlock(&lock);
}
static void on_short(gasnet_token_t token, gasnet_handlerarg_t thread) {
  note();
  CHECK_OK(gasnet_AMReplyShort1(token, 200, thread));
}
static void on_medium(gasnet_token_t token, void* buffer, size_t bytes, gasnet_handlerarg_t thread,
                      gasnet_handlerarg_t round) {
  note();
  gasnet_node_t from;
  CHECK_OK(gasnet_AMGetMsgSource(token, &from));
  CHECK(holds(buffer, bytes, thread, round));
  unsigned char* const dest = at(from, ((size_t)me * kMaxThreads + (size_t)thread) * 4096);
  CHECK_OK(gasnet_AMReplyLong2(token, 201, buffer, bytes, dest, thread, round));
}
static gasnet_handlerentry_t table[] = {{200, (void (*)())on_reply},
                                        {201, (void (*)())on_long_reply},
                                        {202, (void (*)())on_short},
                                        {203, (void (*)())on_medium}};

static void wait_for_replies(int thread, int wanted) {
  GASNET_BLOCKUNTIL(__atomic_load_n(&received[thread].replies, __ATOMIC_ACQUIRE) >= wanted);
}

static void* run_messages(void* argument) {
  const int thread = (int)(intptr_t)argument;
  unsigned char payload[2000];
  int sent = 0;
  for (int i = 0; i < kMessages; ++i) {
    const gasnet_node_t to = (me + (gasnet_node_t)i) % n;
    if (i % 4 != 0) {
      CHECK_OK(gasnet_AMRequestShort1(to, 202, thread));
    } else {
      /* a long reply of this node lands where the last one did: one at a time */
      wait_for_replies(thread, sent);
      fill(payload, sizeof payload, thread, i);
      CHECK_OK(gasnet_AMRequestMedium2(to, 203, payload, sizeof payload, thread, i));
      wait_for_replies(thread, sent + 1);
    }
    ++sent;
  }
  wait_for_replies(thread, sent);
  return NULL;
}

/* Every thread has words of its own at every node. */
static void* run_transfers(void* argument) {
  const size_t thread = (size_t)(intptr_t)argument;
  gasnet_handle_t handles[kWords];
  long values[kWords], back[kWords];
  for (gasnet_node_t node = 0; node < n; ++node) {
    long* const words = (long*)(void*)at(node, (me * (size_t)kMaxThreads + thread) * 4096);
    for (int i = 0; i < kWords; ++i) {
      values[i] = (long)(me * 1000000 + thread * 10000 + (size_t)i);
      handles[i] = gasnet_put_nb(node, words + i, values + i, sizeof(long));
    }
    gasnet_wait_syncnb_all(handles, kWords);
    for (int i = 0; i < kWords; ++i) gasnet_get_nbi(back + i, node, words + i, sizeof(long));
    gasnet_wait_syncnbi_gets();
    CHECK(memcmp(values, back, sizeof values) == 0);
    gasnet_begin_nbi_accessregion();
    for (int i = 0; i < kWords; ++i)
      gasnet_put_nbi_val(node, words + i, (gasnet_register_value_t)(values[i] + 1), sizeof(long));
    const gasnet_handle_t region = gasnet_end_nbi_accessregion();
    while (gasnet_try_syncnb(region) != GASNET_OK) CHECK_OK(gasnet_AMPoll());
    for (int i = 0; i < kWords; ++i)
      CHECK(gasnet_get_val(node, words + i, sizeof(long)) == (unsigned long)values[i] + 1);
  }
  return NULL;
}

/* A lock that threads and, through messages, handlers take. */
static void* run_locks(void* argument) {
  const int thread = (int)(intptr_t)argument;
  for (int i = 0; i < kMessages; ++i) {
    if (i % 2) {
      gasnet_hsl_lock(&lock);
    } else {
      while (gasnet_hsl_trylock(&lock) != GASNET_OK) CHECK_OK(gasnet_AMPoll());
    }
    ++guarded;
    gasnet_hsl_unlock(&lock);
    CHECK_OK(gasnet_AMRequestShort1((me + 1) % n, 202, thread));
  }
  wait_for_replies(thread, kMessages);
  return NULL;
}

static void run_threads(void* (*body)(void*)) {
  pthread_t all[kMaxThreads];
  for (int i = 0; i < threads; ++i)
    CHECK(pthread_create(&all[i], NULL, body, (void*)(intptr_t)i) == 0);
  for (int i = 0; i < threads; ++i) CHECK(pthread_join(all[i], NULL) == 0);
  barrier(); /* nobody needs this node's handlers any more */
}

int main(int argc, char** argv) {
  start(&argc, &argv, table, 4);
  const char* what = argc > 1 ? argv[1] : "";
  threads = argc > 2 ? atoi(argv[2]) : kMaxThreads;
  CHECK(threads <= kMaxThreads && n * kMaxThreads * (size_t)4096 <= SEGMENT_BYTES);
  barrier();
  if (!strcmp(what, "messages")) {
    run_threads(run_messages);
    CHECK(handled == (long)threads * kMessages);
  }
  if (!strcmp(what, "transfers")) run_threads(run_transfers);
  if (!strcmp(what, "locks")) {
    run_threads(run_locks);
    CHECK(guarded == 2L * threads * kMessages);
  }
  stop();
}
