// SPDX-License-Identifier: BSD-3-Clause
/// Of the launcher tests, with the runtime environment only:
///   probe child PROGRAM   says who it is, and so does a copy of PROGRAM that it starts
///   probe who             says who it is
///   probe wait            in phase initialized, waits in a collective that never completes
#include <shmem.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "uccs/rte.h"

static void say_who(void) {
  if (strcmp(rte_get_backend(), "single") == 0)
    puts("single");
  else
    printf("pe%dof%d\n", rte_get_my_ec(), rte_get_num_ecs());
  fflush(stdout);
}

int main(int argc, char** argv) {
  const char* mode = argc > 1 ? argv[1] : "who";
  if (rte_init() != UCCS_OK) return 2;
  if (strcmp(mode, "wait") == 0) {
    static long never;
    shmem_init();
    puts("waiting");
    fflush(stdout);
    shmem_long_wait_until(&never, SHMEM_CMP_EQ, 1);
  }
  say_who();
  if (strcmp(mode, "child") == 0) {
    char command[4096];
    snprintf(command, sizeof command, "%s who", argv[2]);
    if (system(command) != 0) return 3;
  }
  return rte_finalize() == UCCS_OK ? 0 : 4;
}
