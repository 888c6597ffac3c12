// SPDX-License-Identifier: BSD-3-Clause
/* Start, segments, queries, and ways to end a job (specification 2.1, 2.2); ends.py runs the last.
 */
#include <signal.h>
#include <unistd.h>

#include "common.h"

static void nothing(gasnet_token_t token) { (void)token; }

static void test_queries(int argc, char** argv) {
  CHECK(gasnet_attach(NULL, 0, 0, 0) == GASNET_ERR_NOT_INIT);
  CHECK(gasnet_AMPoll() == GASNET_ERR_NOT_INIT);
  CHECK_OK(gasnet_init(&argc, &argv));
  CHECK(gasnet_init(&argc, &argv) == GASNET_ERR_NOT_INIT);
  me = gasnet_mynode();
  n = gasnet_nodes();
  CHECK(me < n && n <= GASNET_MAXNODES);
  CHECK(gasnet_getenv("PATH") && strcmp(gasnet_getenv("PATH"), getenv("PATH")) == 0);
  CHECK(gasnet_getenv("NO_SUCH_VARIABLE") == NULL);
  CHECK(gasnet_getMaxLocalSegmentSize() % GASNET_PAGESIZE == 0);
  CHECK(gasnet_getMaxGlobalSegmentSize() <= gasnet_getMaxLocalSegmentSize());
  CHECK(gasnet_getMaxGlobalSegmentSize() >= (uintptr_t)64 << 20);
  gasnet_seginfo_t table[4];
  CHECK(gasnet_getSegmentInfo(table, 1) == GASNET_ERR_NOT_INIT);
  CHECK(gasnet_AMRequestShort0(0, 128) == GASNET_ERR_NOT_INIT);

  gasnet_handlerentry_t handlers[5] = {{200, (void (*)())nothing},
                                       {0, (void (*)())nothing},
                                       {128, (void (*)())nothing},
                                       {0, (void (*)())nothing},
                                       {255, (void (*)())nothing}};
  CHECK(gasnet_attach(handlers, -1, 0, 0) == GASNET_ERR_BAD_ARG);
  CHECK(gasnet_attach(NULL, 1, 0, 0) == GASNET_ERR_BAD_ARG);
  CHECK(gasnet_attach(handlers, 5, GASNET_PAGESIZE + 1, 0) == GASNET_ERR_BAD_ARG);
  /* every node another size, one none */
  CHECK_OK(gasnet_attach(handlers, 5, me * (uintptr_t)GASNET_PAGESIZE, 1 << 20));
  CHECK(gasnet_attach(handlers, 5, 0, 0) == GASNET_ERR_NOT_INIT);
  const int first = handlers[1].index, second = handlers[3].index;
  CHECK(first > 128 && second > 128 && first != second && first != 200 && second != 200);
  CHECK(first != 255 && second != 255);

  gasnet_seginfo_t all[64] = {{NULL, 0}};
  all[n].size = 12345;
  CHECK_OK(gasnet_getSegmentInfo(all, 64));
  CHECK(all[n].size == 12345);
  for (gasnet_node_t node = 0; node < n; ++node) {
    CHECK(all[node].size == node * (uintptr_t)GASNET_PAGESIZE);
    CHECK((uintptr_t)all[node].addr % GASNET_PAGESIZE == 0);
    if (all[node].size > 0) {
      char* const last = (char*)all[node].addr + all[node].size - 1 - me;
      gasnet_put_val(node, last, me + 1, 1);
      CHECK(gasnet_get_val(node, last, 1) == me + 1);
    }
  }
  table[0].size = 99;
  CHECK_OK(gasnet_getSegmentInfo(table, 0));
  CHECK(table[0].size == 99);
  CHECK(gasnet_getSegmentInfo(NULL, 1) == GASNET_ERR_BAD_ARG);
  barrier();
  for (gasnet_node_t node = 0; me > 0 && node < n; ++node)
    CHECK(((unsigned char*)all[me].addr)[all[me].size - 1 - node] == node + 1);

  gasnet_nodeinfo_t places[64];
  CHECK_OK(gasnet_getNodeInfo(places, 64));
  CHECK(gasnet_getNodeInfo(NULL, 1) == GASNET_ERR_BAD_ARG);
  const char* const played = getenv("UCCS_NODE_SIZE"); /* nodes that share memory */
  const gasnet_node_t sharing = played ? (gasnet_node_t)atoi(played) : n;
  for (gasnet_node_t node = 1; node < n; ++node) {
    CHECK(places[node].host == places[0].host);
    CHECK(places[node].supernode == node / sharing * sharing);
    if (node / sharing == me / sharing)
      CHECK(((unsigned char*)all[node].addr + places[node].offset)[all[node].size - 1] == 1);
  }
  const int errors[] = {GASNET_OK,
                        GASNET_ERR_NOT_INIT,
                        GASNET_ERR_RESOURCE,
                        GASNET_ERR_BAD_ARG,
                        GASNET_ERR_NOT_READY,
                        GASNET_ERR_BARRIER_MISMATCH,
                        4711};
  for (size_t i = 0; i < sizeof errors / sizeof *errors; ++i)
    CHECK(strlen(gasnet_ErrorName(errors[i])) > 3 && strlen(gasnet_ErrorDesc(errors[i])) > 3);
  CHECK(strcmp(gasnet_ErrorName(GASNET_ERR_BAD_ARG), "GASNET_ERR_BAD_ARG") == 0);
  CHECK(GASNET_SPEC_VERSION_MAJOR == 1 && GASNET_SPEC_VERSION_MINOR == 8 && GASNET_VERSION == 1);
  CHECK(strstr(GASNET_CONFIG_STRING, "SEQ") != NULL);
  CHECK(SIZEOF_GASNET_REGISTER_VALUE_T == sizeof(gasnet_register_value_t));
  GASNET_BEGIN_FUNCTION();
  gasnet_hold_interrupts();
  gasnet_resume_interrupts();
  gasnet_hsl_t lock;
  gasnet_hsl_init(&lock);
  CHECK_OK(gasnet_hsl_trylock(&lock));
  CHECK(gasnet_hsl_trylock(&lock) == GASNET_ERR_NOT_READY);
  gasnet_hsl_unlock(&lock);
  gasnet_hsl_destroy(&lock);
  stop();
}

/* The largest segment there is, touched at its ends. */
static void test_largest(int argc, char** argv) {
  CHECK_OK(gasnet_init(&argc, &argv));
  me = gasnet_mynode();
  n = gasnet_nodes();
  const uintptr_t largest = gasnet_getMaxGlobalSegmentSize();
  CHECK_OK(gasnet_attach(NULL, 0, largest + GASNET_PAGESIZE, 0)); /* more gives what there is */
  gasnet_seginfo_t all[64];
  CHECK_OK(gasnet_getSegmentInfo(all, 64));
  const gasnet_node_t next = (me + 1) % n;
  for (gasnet_node_t node = 0; node < n; ++node) CHECK(all[node].size == largest);
  gasnet_put_val(next, all[next].addr, me + 1, 4);
  gasnet_put_val(next, (char*)all[next].addr + largest - 4, me + 1, 4);
  barrier();
  const gasnet_node_t previous = (me + n - 1) % n;
  CHECK(*(uint32_t*)all[me].addr == previous + 1);
  CHECK(((uint32_t*)all[me].addr)[largest / 4 - 1] == previous + 1);
  stop();
}

static void on_quit(int signal) {
  (void)signal;
  static const char text[] = "node was told\n";
  if (write(1, text, sizeof text - 1) > 0) gasnet_exit(0);
}

int main(int argc, char** argv) {
  const char* what = argc > 1 ? argv[1] : "";
  const int status = argc > 2 ? atoi(argv[2]) : 0;
  if (!strcmp(what, "queries")) test_queries(argc, argv);
  if (!strcmp(what, "largest")) test_largest(argc, argv);
  if (!strcmp(what, "exit-before-init")) gasnet_exit(status);
  gasnet_handlerentry_t table[] = {{128, (void (*)())nothing}};
  start(&argc, &argv, table, 1);
  if (!strcmp(what, "all")) {
    printf("node %u unflushed", me);
    barrier();
    gasnet_exit(status);
  }
  if (!strcmp(what, "return")) return status;
  if (!strcmp(what, "return-late")) { /* the others still need what the first left */
    if (me == 0) return 0;
    gasnet_put_val(0, at(0, 0), 1, 1);
    CHECK_OK(gasnet_AMRequestShort0(0, 128));
    usleep(300000);
    return 0;
  }
  if (!strcmp(what, "one")) {
    if (me == n - 1) gasnet_exit(status);
    while (1) gasnet_AMPoll();
  }
  if (!strcmp(what, "one-in-barrier") && me == n - 1) gasnet_exit(status);
  if (!strcmp(what, "signal")) {
    signal(SIGQUIT, on_quit);
    barrier();
    if (me == 0) gasnet_exit(status);
    while (1) sleep(1);
  }
  if (!strcmp(what, "absent") && me == 0) sleep(60);
  if (!strcmp(what, "exit") && me == n - 1) exit(status);
  if (!strcmp(what, "abort") && me == n - 1) abort();
  if (!strcmp(what, "notify-twice")) gasnet_barrier_notify(0, 0);
  if (!strcmp(what, "notify-twice")) gasnet_barrier_notify(0, 0);
  if (!strcmp(what, "wait-alone")) gasnet_barrier_wait(0, 0);
  if (!strcmp(what, "put-node")) gasnet_put_val(n, at(0, 0), 0, 1);
  if (!strcmp(what, "put-outside")) gasnet_put_val(0, &table, 0, 1);
  if (!strcmp(what, "get-beyond")) gasnet_get(table, 0, at(0, SEGMENT_BYTES), 8);
  if (!strcmp(what, "value-size")) gasnet_put_val(0, at(0, 0), 0, 9);
  if (!strcmp(what, "no-handler")) {
    CHECK_OK(gasnet_AMRequestShort0(0, 129));
    while (1) gasnet_AMPoll();
  }
  if (!strcmp(what, "region-twice")) gasnet_begin_nbi_accessregion();
  if (!strcmp(what, "region-twice")) gasnet_begin_nbi_accessregion();
  if (!strcmp(what, "region-end")) gasnet_end_nbi_accessregion();
  gasnet_hsl_t lock = GASNET_HSL_INITIALIZER;
  if (!strcmp(what, "lock-twice")) gasnet_hsl_lock(&lock);
  if (!strcmp(what, "lock-twice")) gasnet_hsl_lock(&lock);
  if (!strcmp(what, "unlock")) gasnet_hsl_unlock(&lock);
  stop();
}
