// SPDX-License-Identifier: BSD-3-Clause
/* Barriers (specification 3.5): all that makes them match and mismatch, and what they order. */
#include "common.h"

enum { ANONYMOUS = GASNET_BARRIERFLAG_ANONYMOUS, MISMATCH = GASNET_BARRIERFLAG_MISMATCH };

static int pass(int id, int flags, int wait_id, int wait_flags, int tries) {
  gasnet_barrier_notify(id, flags);
  if (!tries) return gasnet_barrier_wait(wait_id, wait_flags);
  int result;
  while ((result = gasnet_barrier_try(wait_id, wait_flags)) == GASNET_ERR_NOT_READY)
    CHECK_OK(gasnet_AMPoll());
  return result;
}
static int same(int id, int flags, int tries) { return pass(id, flags, id, flags, tries); }

static void test_names(void) {
  const int names[] = {0, 1, -1, 42, INT32_MAX, INT32_MIN, 0x40000000};
  for (int tries = 0; tries < 2; ++tries) {
    for (size_t i = 0; i < sizeof names / sizeof *names; ++i) {
      CHECK_OK(same(names[i], 0, tries));
      CHECK_OK(same((int)me, ANONYMOUS, tries)); /* the name is ignored */
      /* some named and alike, the others anonymous */
      CHECK_OK(me % 2 ? same((int)me, ANONYMOUS, tries) : same(names[i], 0, tries));
      CHECK_OK(me % 2 ? same(names[i], 0, tries) : same((int)me, ANONYMOUS, tries));
    }
    CHECK_OK(pass(1, ANONYMOUS, 2, ANONYMOUS, tries));
    CHECK_OK(gasnet_barrier(7, 0));
  }
}

static void test_mismatches(void) {
  for (int tries = 0; tries < 2; ++tries)
    for (gasnet_node_t odd = 0; odd < n; ++odd) {
      /* one has another name: all see it */
      const int expected = n > 1 ? GASNET_ERR_BARRIER_MISMATCH : GASNET_OK;
      CHECK(same(me == odd ? 5 : 6, 0, tries) == expected);
      CHECK(same(me == odd ? INT32_MIN : 0, 0, tries) == expected);
      CHECK_OK(same(3, 0, tries)); /* and the next is good again */
      /* one forces it, the others anonymous, named, or both */
      CHECK(same(1, me == odd ? MISMATCH : 0, tries) == GASNET_ERR_BARRIER_MISMATCH);
      CHECK(same(1, me == odd ? MISMATCH : ANONYMOUS, tries) == GASNET_ERR_BARRIER_MISMATCH);
      CHECK(same((int)me, MISMATCH, tries) == GASNET_ERR_BARRIER_MISMATCH);
      /* one waits for another than it notified: it alone sees it */
      const int alone = me == odd ? GASNET_ERR_BARRIER_MISMATCH : GASNET_OK;
      CHECK(pass(8, 0, me == odd ? 9 : 8, 0, tries) == alone);
      CHECK(pass(8, 0, 8, me == odd ? ANONYMOUS : 0, tries) == alone);
      CHECK(pass(8, ANONYMOUS, 8, me == odd ? 0 : ANONYMOUS, tries) == alone);
      CHECK_OK(same(3, ANONYMOUS, tries));
    }
}

/* Nobody gets through before all have come, and what they put before is there. */
static void test_order(void) {
  volatile int* const counter = (volatile int*)(void*)at(me, 0);
  *counter = 0;
  barrier();
  for (int round = 1; round <= 500; ++round) {
    gasnet_put_val((me + 1) % n, at((me + 1) % n, 0), (gasnet_register_value_t)round, sizeof(int));
    gasnet_barrier_notify(round, 0);
    if (round % 3 == 0 && n > 1) /* between the phases other calls are legal */
      (void)gasnet_get_val((me + 1) % n, at((me + 1) % n, 0), sizeof(int));
    CHECK_OK(gasnet_barrier_wait(round, 0));
    CHECK(*counter == round);
    CHECK_OK(gasnet_barrier(round, ANONYMOUS));
  }
}

/* A node that waits still runs handlers. */
static int hits;
static void on_hit(gasnet_token_t token) {
  (void)token;
  __atomic_fetch_add(&hits, 1, __ATOMIC_RELEASE);
}
static void on_ask(gasnet_token_t token) { CHECK_OK(gasnet_AMReplyShort0(token, 129)); }
static void test_service(void) {
  for (int round = 1; round <= 50; ++round) {
    gasnet_barrier_notify(round, 0);
    if (me == 0) {
      for (gasnet_node_t node = 0; node < n; ++node) CHECK_OK(gasnet_AMRequestShort0(node, 128));
      GASNET_BLOCKUNTIL(__atomic_load_n(&hits, __ATOMIC_ACQUIRE) == round * (int)n);
    }
    CHECK_OK(gasnet_barrier_wait(round, 0));
    gasnet_barrier_notify(0, ANONYMOUS); /* the others wait here until node 0 has its answers */
    CHECK_OK(gasnet_barrier_wait(0, ANONYMOUS));
  }
}

int main(int argc, char** argv) {
  gasnet_handlerentry_t table[] = {{128, (void (*)())on_ask}, {129, (void (*)())on_hit}};
  start(&argc, &argv, table, 2);
  const char* what = argc > 1 ? argv[1] : "";
  if (!strcmp(what, "names")) test_names();
  if (!strcmp(what, "mismatches")) test_mismatches();
  if (!strcmp(what, "order")) test_order();
  if (!strcmp(what, "service")) test_service();
  stop();
}
