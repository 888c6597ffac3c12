// SPDX-License-Identifier: BSD-3-Clause
/* CHECK(claim): ends the whole job with a message unless the claim holds. */
#ifndef TESTS_SPMD_CHECK_H
#define TESTS_SPMD_CHECK_H
#include <shmem.h>
#include <stdio.h>

#define CHECK(claim)                                                                              \
  do {                                                                                            \
    if (!(claim)) {                                                                               \
      fprintf(stderr, "PE %d: %s:%d: not true: %s\n", shmem_my_pe(), __FILE__, __LINE__, #claim); \
      shmem_global_exit(1);                                                                       \
    }                                                                                             \
  } while (0)
#endif
