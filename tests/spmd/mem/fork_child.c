// SPDX-License-Identifier: BSD-3-Clause
/* A process forked from a PE has its own copy of the globals, may run other programs, and neither
 * its writes nor its exit disturb the job. */
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "check.h"

static int value = 1;
static char from_peer[8192];

int main(void) {
  shmem_init();
  const int me = shmem_my_pe(), next = (me + 1) % shmem_n_pes();
  shmem_putmem(from_peer + 5000, "peer", 5, next); /* a page this PE never touched itself */
  shmem_barrier_all();
  for (int round = 0; round < 3; ++round) {
    const pid_t child = fork();
    CHECK(child >= 0);
    if (child == 0) {
      const int is_right = value == 1 + round && !strcmp(from_peer + 5000, "peer");
      value = 777;
      memset(from_peer, 'x', sizeof from_peer);
      exit(is_right ? 33 : 34); /* runs exit handlers: they must not touch the job */
    }
    int status = 0;
    CHECK(waitpid(child, &status, 0) == child);
    CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 33);
    CHECK(value == 1 + round && !strcmp(from_peer + 5000, "peer"));
    ++value;
  }
  CHECK(system("exit 3") >> 8 == 3);
  shmem_barrier_all();
  shmem_finalize();
  return 0;
}
