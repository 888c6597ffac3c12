// SPDX-License-Identifier: BSD-3-Clause
// The first OpenSHMEM program: every PE (processing element, one process of the job) says who it
// is.
//
//   oshcc hello.c -o hello && oshrun -n 4 ./hello
#include <shmem.h>
#include <stdio.h>
#include <unistd.h>

int main(void) {
  shmem_init();  // before any other shmem_ call

  char host[256] = "";
  gethostname(host, sizeof host - 1);
  // The lines come in any order: nothing makes one PE wait for another here.
  printf("PE %d of %d on %s\n", shmem_my_pe(), shmem_n_pes(), host);

  shmem_finalize();  // waits for all PEs
  return 0;
}
