// SPDX-License-Identifier: BSD-3-Clause
/* Runs under callgrind with 1, 2 and 4 threads that each issue the same number of operations, and
 * dumps what all of them together have executed: "put 2 100" for two threads that put 100 times. A
 * thread that shares nothing executes as much beside others as alone. Under callgrind threads take
 * turns, so what locks would cost in spinning does not show; what they cost in instructions does.
 */
#include <pthread.h>
#include <shmem.h>
#include <stdio.h>
#include <uccs/uccs.h>
#include <valgrind/callgrind.h>

/* Fewer than an inbox has slots, and than a channel has buffers for payloads beside the one of the
 * first call, so that none finds them full: when the peer empties them is chance. */
enum { kCalls = 100, kMediumCalls = 7, kThreadsMax = 4, kHandler = 1, kMedium = 1024 };

enum operation { kLoop, kPut, kGet, kFetchAdd, kAm, kAmMedium, kShmemP, kOperations };
static const char* const kNames[] = {"loop", "put",       "get",    "fetch-add",
                                     "am",   "am medium", "shmem p"};

static struct slot {
  int64_t word;
  char data[kMedium];
} __attribute__((aligned(128))) slots[kThreadsMax];

static uccs_context_t context;
static uccs_endpoint_t endpoints[kThreadsMax];
static enum operation current;
static int threads, calls, peer;
static pthread_barrier_t barrier;

static int received; /* by the peer, which has one thread */

static void count(const uccs_am_t* message, void* user) {
  (void)message, (void)user;
  ++received;
}

static void call(struct slot* slot, uccs_endpoint_t endpoint) {
  int64_t value = 1;
  uccs_status_t status = UCCS_OK;
  uccs_request_t* const none = NULL;
  switch (current) {
    case kPut:
      status = uccs_put_contiguous_nb(endpoint, UCCS_REGION_SYMMETRIC, &slot->word, &value,
                                      sizeof value, none);
      break;
    case kGet:
      status = uccs_get_contiguous_nb(endpoint, UCCS_REGION_SYMMETRIC, &value, &slot->word,
                                      sizeof value, none);
      break;
    case kFetchAdd:
      status =
          uccs_atomic_fadd_int64_nb(endpoint, UCCS_REGION_SYMMETRIC, &slot->word, 1, &value, none);
      break;
    case kAm:
      status = uccs_am_short_nb(endpoint, kHandler, &value, sizeof value, none);
      break;
    case kAmMedium:
      status = uccs_am_medium_nb(endpoint, kHandler, NULL, 0, slot->data, kMedium, none);
      break;
    case kShmemP:
      shmem_int64_p(&slot->word, value, peer);
      break;
    default:
      __asm__ volatile("" ::: "memory");
  }
  if (status != UCCS_OK) shmem_global_exit(1);
}

static void* work(void* argument) {
  const int index = (int)(long)argument;
  struct slot* slot = &slots[index];
  if (uccs_lane_bind(context, index)) shmem_global_exit(1);
  call(slot, endpoints[index]); /* the first call makes the thread known */
  pthread_barrier_wait(&barrier);
  CALLGRIND_TOGGLE_COLLECT;
  for (volatile int i = 0; i < calls; ++i) call(slot, endpoints[index]);
  CALLGRIND_TOGGLE_COLLECT;
  return NULL;
}

/* The peer empties its inboxes, so that the next measurement finds them so. */
static void receive(void) {
  const int is_message = current == kAm || current == kAmMedium;
  const int expected = is_message ? threads * (calls + 1) : 0;
  while (received < expected) uccs_progress(context);
  received = 0;
}

static void measure(void) {
  pthread_t running[kThreadsMax];
  pthread_barrier_init(&barrier, NULL, (unsigned)threads);
  CALLGRIND_ZERO_STATS;
  for (long t = 0; t < threads; ++t)
    if (pthread_create(&running[t], NULL, work, (void*)t)) shmem_global_exit(1);
  for (int t = 0; t < threads; ++t) pthread_join(running[t], NULL);
  char name[64];
  snprintf(name, sizeof name, "%s %d %d", kNames[current], threads, calls);
  CALLGRIND_DUMP_STATS_AT(name);
  pthread_barrier_destroy(&barrier);
}

int main(void) {
  int provided;
  if (shmem_init_thread(SHMEM_THREAD_MULTIPLE, &provided) || provided < SHMEM_THREAD_MULTIPLE)
    return 1;
  const int me = shmem_my_pe();
  peer = shmem_n_pes() - 1;
  uccs_context_attributes_t attributes = {.lanes = kThreadsMax, .channels = kThreadsMax};
  if (uccs_context_create(&attributes, &context)) shmem_global_exit(1);
  if (uccs_am_register(context, kHandler, count, UCCS_AM_USER, NULL)) shmem_global_exit(1);
  for (int t = 0; t < kThreadsMax; ++t)
    if (uccs_endpoint_create(context, peer, t, &endpoints[t])) shmem_global_exit(1);
  shmem_barrier_all();
  for (current = kLoop; current < kOperations; ++current)
    for (threads = 1; threads <= kThreadsMax; threads *= 2) {
      calls = current == kAmMedium ? kMediumCalls : kCalls;
      if (me == 0) measure();
      if (me == peer) receive();
      shmem_barrier_all();
    }
  uccs_context_destroy(context);
  shmem_finalize();
  return 0;
}
