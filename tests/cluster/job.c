// SPDX-License-Identifier: BSD-3-Clause
/// What the launcher tests start: symmetric globals and heap, then the end that is asked for.
///   job [EC END]   END: kill, exit STATUS, quit (exit 0 without finalize), end STATUS, wrong-pe
#define _GNU_SOURCE
#include <shmem.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { ROUNDS = 200, BIG = 1 << 22 };

static long counter;

static void end(const char* how, int status, long* heap) {
  if (strcmp(how, "kill") == 0) kill(getpid(), SIGKILL);
  if (strcmp(how, "exit") == 0) _exit(status);
  if (strcmp(how, "quit") == 0) _exit(0);
  if (strcmp(how, "end") == 0) shmem_global_exit(status);
  if (strcmp(how, "wrong-pe") == 0) shmem_long_p(heap, 1, 999);
}

int main(int argc, char** argv) {
  shmem_init();
  const int me = shmem_my_pe(), n = shmem_n_pes(), next = (me + 1) % n;
  long* heap = shmem_calloc(1, sizeof(long));
  char* big = shmem_malloc(BIG);
  memset(big, me, BIG);
  shmem_barrier_all();
  for (int i = 0; i < ROUNDS; ++i) {
    shmem_long_atomic_inc(&counter, next);
    shmem_long_atomic_inc(heap, next);
  }
  shmem_barrier_all();
  char last = 0;
  shmem_getmem(&last, big + BIG - 1, 1, next);
  if (counter != ROUNDS || *heap != ROUNDS || last != (char)next) {
    fprintf(stderr, "PE %d: %ld and %ld, not %d; %d, not %d\n", me, counter, *heap, ROUNDS, last,
            next);
    shmem_global_exit(99);
  }
  if (shmem_addr_accessible(heap, next) != 1) shmem_global_exit(98);
  if (argc > 2 && me == atoi(argv[1])) end(argv[2], argc > 3 ? atoi(argv[3]) : 0, heap);
  if (argc > 2) shmem_barrier_all();
  printf("PE %d of %d\n", me, n);
  shmem_free(big);
  shmem_finalize();
  return 0;
}
