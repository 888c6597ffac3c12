// SPDX-License-Identifier: BSD-3-Clause
// The benchmark: memory, plans, and the timed run with its verification.
#ifndef FT_SOLVE_H_
#define FT_SOLVE_H_

#include <stdbool.h>
#include <stddef.h>

#include "exchange.h"
#include "problem.h"
#include "transform.h"

typedef struct Solver {
  const Problem* problem;
  Transform forward;
  Transform inverse;
  int forward_window;  // planes in flight if the exchange does not pack
  int inverse_window;
  Complex* memory;    // all that follows, of the communication library
  Complex* spectrum;  // the transformed initial data, [z][y of this PE][x]
  Complex* space[2];  // the grid, [y][z of this PE][x]; the iterations use them in turn
  double* scale;      // the evolution factors of one iteration: of x (each twice), z and y
} Solver;

typedef struct Result {
  const char* exchange;
  bool verified;
  double seconds;
  double communication;  // seconds, the most of any PE
  double mflops;
  // If not verified: the first iteration (from 0) whose checksum is wrong, and that checksum.
  int bad_iteration;
  Complex bad_checksum;
} Result;

// Allocates what the `count` exchanges need with `window` planes in flight (0: as many as the
// communication library prefers), and plans. Collective. False if there is not enough memory:
// comm_explain_shortage has been called.
bool solver_create(Solver* solver, const Problem* problem, const Exchange* const* exchanges,
                   int count, int window);
void solver_destroy(Solver* solver);

// Runs the problem: once in part to touch all memory, as NAS does, and once against the clock.
// Collective; the result is valid on PE 0.
Result solver_run(Solver* solver, const Exchange* exchange);

#endif  // FT_SOLVE_H_
