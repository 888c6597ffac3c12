// SPDX-License-Identifier: BSD-3-Clause
/* quiet of one thread completes what another one has put, which has left the library and
 * does not come back until then. */
#include <pthread.h>
#include <string.h>

#include "common.h"

enum { kWords = 5, kLong = 1 << 16, kMiddle = 3000 };
static long words[kWords], count;
static char middle[kMiddle], large[kLong], source[kLong];
static pthread_barrier_t is_put, is_seen;
static int rounds_of_all, next;

static void* put(void* unused) {
  for (long round = 1; round <= rounds_of_all; ++round) {
    memset(source, (int)round, sizeof source);
    for (int i = 0; i < kWords; ++i) shmem_long_p(&words[i], round + i, next);
    shmem_putmem_nbi(middle, source, sizeof middle, next);
    if (round % 4 == 0) shmem_putmem_nbi(large, source, sizeof large, next);
    shmem_long_atomic_inc(&count, next);
    pthread_barrier_wait(&is_put);
    pthread_barrier_wait(&is_seen);
  }
  return unused;
}

int main(void) {
  int provided;
  CHECK(shmem_init_thread(SHMEM_THREAD_MULTIPLE, &provided) == 0);
  next = (shmem_my_pe() + 1) % shmem_n_pes();
  rounds_of_all = rounds(200);
  pthread_barrier_init(&is_put, NULL, 2);
  pthread_barrier_init(&is_seen, NULL, 2);
  shmem_barrier_all();
  pthread_t other;
  CHECK(pthread_create(&other, NULL, put, NULL) == 0);
  for (long round = 1; round <= rounds_of_all; ++round) {
    pthread_barrier_wait(&is_put);
    shmem_quiet();
    /* What a get finds was there, as it may overtake what is still on its way. */
    for (int i = 0; i < kWords; ++i) CHECK(shmem_long_g(&words[i], next) == round + i);
    CHECK(shmem_char_g(&middle[kMiddle - 1], next) == (char)round);
    if (round % 4 == 0) CHECK(shmem_char_g(&large[kLong - 1], next) == (char)round);
    CHECK(shmem_long_g(&count, next) == round);
    pthread_barrier_wait(&is_seen);
  }
  CHECK(pthread_join(other, NULL) == 0);
  shmem_finalize();
  return 0;
}
