// SPDX-License-Identifier: BSD-3-Clause
// POSIX threads that are addressed one by one: thread k of a PE passes a token to thread k of the
// next PE, all rings turning at once, each thread waiting for its own word with put-with-signal.
//
//   oshcc pthreads_shmem.c -o pthreads_shmem -pthread && oshrun -n 3 ./pthreads_shmem 4
#include <pthread.h>
#include <shmem.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

enum { kMaxThreads = 64, kRounds = 100, kWords = 16 };

// What a thread receives. A line of its own, so that no thread waits for another's traffic.
struct mailbox {
  uint64_t signal;
  long words[kWords];
} __attribute__((aligned(128)));

static struct mailbox mailboxes[kMaxThreads];
static int me, pes;

// In each round PE 0 starts, every other PE adds one, and the last one's words come back to PE 0.
static void* turn(void* argument) {
  const int thread = (int)(intptr_t)argument;
  struct mailbox* box = &mailboxes[thread];
  const int right = (me + 1) % pes;
  long words[kWords];
  intptr_t errors = 0;
  for (uint64_t round = 1; round <= kRounds; ++round) {
    if (me != 0) {
      shmem_uint64_wait_until(&box->signal, SHMEM_CMP_EQ, round);
      for (int i = 0; i < kWords; ++i) words[i] = box->words[i] + 1;
    } else {
      for (int i = 0; i < kWords; ++i) words[i] = (long)round + i + thread;
    }
    shmem_long_put_signal(box->words, words, kWords, &box->signal, round, SHMEM_SIGNAL_SET, right);
    if (me != 0) continue;
    shmem_uint64_wait_until(&box->signal, SHMEM_CMP_EQ, round);
    for (int i = 0; i < kWords; ++i)
      if (box->words[i] != (long)round + i + thread + pes - 1) ++errors;
  }
  return (void*)errors;
}

int main(int argc, char** argv) {
  const int threads = argc > 1 ? atoi(argv[1]) : 4;
  int provided;
  if (shmem_init_thread(SHMEM_THREAD_MULTIPLE, &provided) || provided < SHMEM_THREAD_MULTIPLE) {
    fprintf(stderr, "pthreads_shmem: threads may not communicate here\n");
    return 1;
  }
  me = shmem_my_pe();
  pes = shmem_n_pes();
  if (threads < 1 || threads > kMaxThreads) {
    if (me == 0) fprintf(stderr, "usage: pthreads_shmem [threads, 1 to %d]\n", kMaxThreads);
    shmem_global_exit(2);
  }
  pthread_t others[kMaxThreads];
  for (intptr_t t = 1; t < threads; ++t)
    if (pthread_create(&others[t], NULL, turn, (void*)t)) shmem_global_exit(1);
  intptr_t errors = (intptr_t)turn(NULL);
  for (int t = 1; t < threads; ++t) {
    void* found;
    pthread_join(others[t], &found);
    errors += (intptr_t)found;
  }
  shmem_barrier_all();
  if (errors) printf("PE %d: FAILED, %ld errors\n", me, (long)errors);
  if (me == 0 && !errors)
    printf("VERIFIED: %d rings over %d PEs, %d rounds\n", threads, pes, kRounds);
  shmem_finalize();
  return errors != 0;
}
