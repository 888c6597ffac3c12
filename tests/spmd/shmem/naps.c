// SPDX-License-Identifier: BSD-3-Clause
/* Two threads put in windows, and ring for each other's answers. The progress thread of the library
 * is not woken by that more often than it naps: it had nothing to do ten thousand times in a
 * second, and took more from the program's threads than their puts did. */
#include <dirent.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "common.h"

enum { kWindow = 64 };
static const double kSeconds = 0.5, kSleepsPerSecond = 5000;

static long words[2][kWindow];

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

/* How often a thread has slept. */
static long sleeps_of(int thread) {
  char line[256];
  snprintf(line, sizeof line, "/proc/self/task/%d/status", thread);
  FILE* status = fopen(line, "r");
  long count = 0;
  while (status && fgets(line, sizeof line, status))
    if (sscanf(line, "voluntary_ctxt_switches: %ld", &count) == 1) break;
  if (status) fclose(status);
  return count;
}

/* While the program has started no threads: the last one that the library has. */
static int progress_thread(void) {
  DIR* tasks = opendir("/proc/self/task");
  CHECK(tasks != NULL);
  int last = 0;
  for (struct dirent* entry; (entry = readdir(tasks));)
    if (atoi(entry->d_name) > last) last = atoi(entry->d_name);
  closedir(tasks);
  return last;
}

static void* put_windows(void* all) {
  long* to = all;
  for (const double end = now() + kSeconds; now() < end;) {
    for (long i = 0; i < kWindow; ++i) shmem_long_p(&to[i], i + 1, 1);
    shmem_quiet();
  }
  return NULL;
}

int main(void) {
  int provided;
  CHECK(shmem_init_thread(SHMEM_THREAD_MULTIPLE, &provided) == 0);
  CHECK(shmem_n_pes() == 2);
  shmem_barrier_all();
  if (shmem_my_pe() == 0) {
    const int thread = progress_thread();
    const long before = sleeps_of(thread);
    const double start = now();
    pthread_t threads[2];
    for (int i = 0; i < 2; ++i)
      CHECK(pthread_create(&threads[i], NULL, put_windows, words[i]) == 0);
    for (int i = 0; i < 2; ++i) CHECK(pthread_join(threads[i], NULL) == 0);
    const double most = kSleepsPerSecond * (now() - start);
    const long slept = sleeps_of(thread) - before;
    printf("the progress thread slept %ld times; %.0f are allowed\n", slept, most);
    CHECK(slept > 0 && (double)slept <= most);
  }
  shmem_barrier_all();
  for (int i = 0; i < kWindow && shmem_my_pe() == 1; ++i)
    CHECK(words[0][i] == i + 1 && words[1][i] == i + 1);
  shmem_finalize();
  return 0;
}
