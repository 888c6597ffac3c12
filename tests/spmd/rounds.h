// SPDX-License-Identifier: BSD-3-Clause
/* How often a test repeats what it does: as often as it says, or less by TEST_DIVISOR, which
 * tests/cluster sets. Over tcp an operation takes a hundred times what it takes in shared memory,
 * and shows what it has to show in fewer rounds. */
#ifndef TESTS_SPMD_ROUNDS_H
#define TESTS_SPMD_ROUNDS_H
#include <stdlib.h>

static inline int rounds(int usual) {
  const char* text = getenv("TEST_DIVISOR");
  const int divisor = text ? atoi(text) : 1;
  return divisor > 1 ? (usual + divisor - 1) / divisor : usual;
}

/* For lists of cases, such as a test for every type: true for all, or across hosts for one in
 * `share`, which ones depends on what else was asked before. One thread of each PE asks, in the
 * same order everywhere. */
static inline int is_turn(int share) {
  static int number = 0;
  return rounds(2) == 2 || number++ % share == 0;
}

#endif
