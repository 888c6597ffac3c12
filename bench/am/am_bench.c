// SPDX-License-Identifier: BSD-3-Clause
/* Active messages beside the cache line they travel in: 2 ECs, a round trip of request and reply,
 * and a one-way flood. The line's round trip is measured before every figure, between the same
 * processes. `oshrun -n 2 --bind core am_bench [rounds]` */
#include <shmem.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <uccs/uccs.h>

enum { kMaxRounds = 101, kPing = 1, kPong = 2, kCount = 3 };

static long flag[8] __attribute__((aligned(64)));
static uccs_context_t context;
static uccs_endpoint_t peer_endpoint;
static int me, peer, rounds = 15;
static atomic_long answered, counted;

static double now_ns(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

static int by_value(const void* a, const void* b) {
  const double x = *(const double*)a, y = *(const double*)b;
  return (x > y) - (x < y);
}

static void check(uccs_status_t status, const char* call) {
  if (status == UCCS_OK) return;
  fprintf(stderr, "am_bench: %s: %s\n", call, uccs_status_string(status));
  shmem_global_exit(1);
}
#define CHECK(call) check(call, #call)

static void on_ping(const uccs_am_t* message, void* user) {
  (void)user;
  CHECK(uccs_am_reply_short(message, kPong, message->header, message->header_bytes));
}

static void on_pong(const uccs_am_t* message, void* user) {
  (void)message, (void)user;
  atomic_fetch_add_explicit(&answered, 1, memory_order_relaxed);
}

static void on_count(const uccs_am_t* message, void* user) {
  (void)message, (void)user;
  atomic_fetch_add_explicit(&counted, 1, memory_order_relaxed);
}

static void send(int id) {
  const long value = 1;
  uccs_status_t status;
  while ((status = uccs_am_short_nb(peer_endpoint, id, &value, sizeof value, NULL)) == UCCS_AGAIN)
    uccs_progress(context);
  check(status, "uccs_am_short_nb");
}

static double line_round_trip(int calls) {
  _Atomic long *in = (_Atomic long*)flag, *out = (_Atomic long*)shmem_ptr(flag, peer);
  atomic_store(in, 0);
  shmem_barrier_all();
  const double start = now_ns();
  for (int i = 1; i <= calls; ++i) {
    if (me == 0) atomic_store_explicit(out, i, memory_order_release);
    while (atomic_load_explicit(in, memory_order_acquire) != i) __builtin_ia32_pause();
    if (me == 1) atomic_store_explicit(out, i, memory_order_release);
  }
  const double each = (now_ns() - start) / calls;
  shmem_barrier_all();
  return each;
}

static double message_round_trip(int calls) {
  shmem_barrier_all();
  const double start = now_ns();
  if (me == 0)
    for (int i = 0; i < calls; ++i) {
      const long goal = atomic_load(&answered) + 1;
      send(kPing);
      while (atomic_load_explicit(&answered, memory_order_relaxed) < goal) uccs_progress(context);
    }
  const double each = (now_ns() - start) / calls;
  shmem_barrier_all(); /* EC 1 makes progress in here */
  return each;
}

static double flood(int calls) {
  const long goal = atomic_load(&counted) + calls;
  shmem_barrier_all();
  const double start = now_ns();
  if (me == 0)
    for (int i = 0; i < calls; ++i) send(kCount);
  else
    while (atomic_load_explicit(&counted, memory_order_relaxed) < goal) uccs_progress(context);
  const double each = (now_ns() - start) / calls;
  shmem_barrier_all();
  if (me == 0) atomic_store(&counted, goal); /* both count alike */
  return each;
}

static double median(double* v) {
  qsort(v, (size_t)rounds, sizeof *v, by_value);
  return v[rounds / 2];
}

int main(int argc, char** argv) {
  shmem_init();
  me = shmem_my_pe();
  peer = 1 - me;
  if (shmem_n_pes() != 2) {
    if (me == 0)
      fprintf(stderr, "am_bench: needs exactly 2 PEs: oshrun -n 2 --bind core am_bench\n");
    shmem_global_exit(2);
  }
  if (argc > 1) rounds = atoi(argv[1]);
  if (rounds < 1 || rounds > kMaxRounds) rounds = 15;
  CHECK(uccs_context_create(NULL, &context));
  CHECK(uccs_endpoint_create(context, peer, UCCS_LANE_ANY, &peer_endpoint));
  CHECK(uccs_am_register(context, kPing, on_ping, UCCS_AM_PROTOCOL, NULL));
  CHECK(uccs_am_register(context, kPong, on_pong, UCCS_AM_PROTOCOL, NULL));
  CHECK(uccs_am_register(context, kCount, on_count, UCCS_AM_PROTOCOL, NULL));
  shmem_barrier_all();

  double line[kMaxRounds], trip[kMaxRounds], one_way[kMaxRounds];
  for (int r = 0; r < rounds; ++r) {
    line[r] = line_round_trip(10000);
    trip[r] = message_round_trip(10000);
    one_way[r] = flood(100000);
  }
  const double base = median(line), round_trip = median(trip), each = median(one_way);
  if (me == 0) {
    printf("cache-line round trip       %8.1f ns\n", base);
    printf("message and reply, 8 B      %8.1f ns  ratio %5.2f  target <= 2.50  %s\n", round_trip,
           round_trip / base, round_trip / base <= 2.5 ? "ok" : "FALLS SHORT");
    printf("one-way flood, per message  %8.1f ns               target <= 60 ns %s\n", each,
           each <= 60 ? "ok" : "FALLS SHORT");
  }
  uccs_context_destroy(context);
  shmem_finalize();
  return 0;
}
