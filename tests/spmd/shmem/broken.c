// SPDX-License-Identifier: BSD-3-Clause
/* The last PE stops, and its network connections break. The others must end, with an error that
 * names it, whether they work on it or wait for it. usage: shmem_broken put|get|atomic|long|wait */
#define _GNU_SOURCE
#include <signal.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "common.h"

static long word, block[1000], mine[1000];

/* In a child, which shares the connections: the parent must not notice. */
static void stop_and_cut(void) {
  if (fork() != 0)
    for (;;) pause();
  kill(getppid(), SIGSTOP);
  usleep(20000);
  for (int fd = 3; fd < 1024; ++fd) {
    struct sockaddr_storage name;
    socklen_t bytes = sizeof name;
    if (getsockname(fd, (struct sockaddr*)&name, &bytes) == 0 && name.ss_family == AF_INET)
      (void)shutdown(fd, SHUT_RDWR);
  }
  _exit(0);
}

int main(int argc, char** argv) {
  shmem_init();
  const int last = shmem_n_pes() - 1;
  const char* what = argc > 1 ? argv[1] : "put";
  shmem_long_p(&word, 1, last); /* there are connections */
  shmem_barrier_all();
  if (shmem_my_pe() == last) stop_and_cut();
  for (;;) {
    if (strcmp(what, "put") == 0) shmem_long_p(&word, 2, last);
    if (strcmp(what, "get") == 0) (void)shmem_long_g(&word, last);
    if (strcmp(what, "atomic") == 0) shmem_long_atomic_inc(&word, last);
    if (strcmp(what, "long") == 0) shmem_long_put(block, mine, 1000, last);
    if (strcmp(what, "wait") == 0) shmem_long_wait_until(&word, SHMEM_CMP_EQ, 77);
    shmem_quiet();
  }
}
