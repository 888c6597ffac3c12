// SPDX-License-Identifier: BSD-3-Clause
/* What the programs of misuse.py share: tables of wrong calls, one of which a run makes. */
#ifndef TESTS_SPMD_SHMEM_MISUSE_H
#define TESTS_SPMD_SHMEM_MISUSE_H
#include "common.h"

struct misuse {
  const char* name;
  void (*make)(void);
};

/* Set before the call: this PE, the number of PEs, the next PE around. */
static int me, n, next;

static inline void make_misuse(const struct misuse* all, size_t count, const char* name) {
  for (size_t i = 0; i < count; ++i) {
    if (strcmp(all[i].name, name) != 0) continue;
    all[i].make();
    return;
  }
  fprintf(stderr, "there is no case %s\n", name);
  exit(99);
}

#endif
