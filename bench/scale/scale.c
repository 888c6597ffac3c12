// SPDX-License-Identifier: BSD-3-Clause
/// What an EC spends on being one of many: private memory and sockets after the start, after its
/// first operation on one EC of another node, and after one on every EC. Largest of all ECs, said
/// by EC 0.
#include <shmem.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { PHASES = 3 };
static long mine[2 * PHASES], most[2 * PHASES];
static long word[4096];

static long private_kib(void) {
  char line[256];
  long kib = 0;
  FILE* file = fopen("/proc/self/status", "r");
  while (file && fgets(line, sizeof line, file))
    if (strncmp(line, "RssAnon:", 8) == 0) kib = atol(line + 8);
  if (file) fclose(file);
  return kib;
}

static long sockets(void) {
  char name[64], target[64];
  long count = 0;
  for (int fd = 0; fd < 16384; ++fd) {
    snprintf(name, sizeof name, "/proc/self/fd/%d", fd);
    const ssize_t bytes = readlink(name, target, sizeof target);
    count += bytes > 6 && memcmp(target, "socket", 6) == 0;
  }
  return count;
}

static void measure(int phase) {
  mine[2 * phase] = private_kib();
  mine[2 * phase + 1] = sockets();
}

int main(void) {
  shmem_init();
  const int me = shmem_my_pe(), n = shmem_n_pes();
  measure(0);
  shmem_barrier_all();
  shmem_long_p(&word[me], 1, (me + n / 2) % n);
  shmem_quiet();
  measure(1);
  shmem_barrier_all();
  for (int i = 1; i < n; ++i) shmem_long_p(&word[me], 1, (me + i) % n);
  shmem_quiet();
  measure(2);
  shmem_barrier_all();
  shmem_long_max_reduce(SHMEM_TEAM_WORLD, most, mine, 2 * PHASES);
  if (me == 0)
    printf("| %d | %ld | %ld | %ld | %ld | %ld | %ld |\n", n, most[0] >> 10, most[2] >> 10,
           most[4] >> 10, most[1], most[3], most[5]);
  shmem_finalize();
  return 0;
}
