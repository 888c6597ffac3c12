// SPDX-License-Identifier: BSD-3-Clause
// Heat flowing in a square plate with cold edges. Every PE owns some rows of the plate; in each
// step it needs the rows next to its own, which the neighbours put straight into its memory.
//
//   oshcc heat.c -o heat -lm && oshrun -n 4 ./heat
#include <math.h>
#include <shmem.h>
#include <stdint.h>
#include <stdio.h>

enum { kSize = 400, kWidth = kSize + 2, kSteps = 600 };  // points inside, and with the edges; steps
static const double kRate = 0.2;  // how much heat flows per step; up to 0.25 is stable

// Static variables are symmetric: they exist on every PE, and the others can write them.
static uint64_t from_above, from_below;  // flags: the last step whose row has arrived from there
static double mine, largest;             // of a reduction: the argument and the result

int main(void) {
  shmem_init();
  const int me = shmem_my_pe(), pes = shmem_n_pes(), above = me - 1, below = me + 1;
  if (pes > kSize) {
    if (me == 0) fprintf(stderr, "heat: at most %d PEs, so that each has a row\n", kSize);
    shmem_finalize();
    return 2;
  }
  // Of the rows 1 .. kSize of the plate, mine start with `first`. In memory they are rows 1 .. rows
  // of a grid. Its rows 0 and rows + 1, the halo, are copies of the neighbours' rows, or the cold
  // edge.
  const int first = kSize * me / pes + 1;
  const int rows = kSize * (me + 1) / pes - first + 1;
  const int rows_above = first - 1 - kSize * above / pes;  // of PE `above`, if there is one

  // All PEs allocate symmetric memory together and of the same size, so it has to do for the
  // largest part. Two grids, as a step reads one and writes the other; calloc sets them to zero.
  const size_t grid_size = (size_t)((kSize + pes - 1) / pes + 2) * kWidth;
  double* memory = shmem_calloc(2 * grid_size, sizeof *memory);
  if (memory == NULL) {
    fprintf(stderr, "heat: PE %d: out of memory, raise SHMEM_SYMMETRIC_SIZE\n", me);
    shmem_global_exit(1);
  }
  double(*grid[2])[kWidth] = {(double(*)[kWidth])memory, (double(*)[kWidth])(memory + grid_size)};

  // This initial state keeps its shape, a step only multiplies it by `decay`: the solution is
  // known.
  const double angle = acos(-1.0) / (kSize + 1);
  const double decay = 1.0 - 4.0 * kRate * (1.0 - cos(angle));
  for (int i = 0; i <= rows + 1; ++i) {
    for (int j = 1; j <= kSize; ++j) grid[0][i][j] = sin((first + i - 1) * angle) * sin(j * angle);
  }
  shmem_barrier_all();  // nobody puts anything here before I am ready

  for (int step = 1; step <= kSteps; ++step) {
    double(*old)[kWidth] = grid[(step - 1) % 2], (*new)[kWidth] = grid[step % 2];
    mine = 0.0;
    for (int i = 1; i <= rows; ++i) {
      for (int j = 1; j <= kSize; ++j) {
        const double flow = old[i - 1][j] + old[i + 1][j] + old[i][j - 1] + old[i][j + 1];
        new[i][j] = old[i][j] + kRate*(flow - 4.0 * old[i][j]);
        mine = fmax(mine, fabs(new[i][j] - old[i][j]));
      }
    }
    // Put my outer rows into the neighbours' halos; the flag follows when the row is there. A place
    // in the memory of another PE is named by the address of the same place in mine.
    if (above >= 0) {
      shmem_double_put_signal(new[rows_above + 1], new[1], kWidth, &from_below, (uint64_t)step,
                              SHMEM_SIGNAL_SET, above);
    }
    if (below < pes) {
      shmem_double_put_signal(new[0], new[rows], kWidth, &from_above, (uint64_t)step,
                              SHMEM_SIGNAL_SET, below);
    }
    // No barrier: the neighbours are enough. Their flags also say that they no longer read the halo
    // that my next step is going to write.
    if (above >= 0) shmem_signal_wait_until(&from_above, SHMEM_CMP_GE, (uint64_t)step);
    if (below < pes) shmem_signal_wait_until(&from_below, SHMEM_CMP_GE, (uint64_t)step);

    if (step % 200 == 0) {
      // The largest `mine` of all PEs goes to `largest` on all PEs. Everybody has to call it.
      shmem_double_max_reduce(SHMEM_TEAM_WORLD, &largest, &mine, 1);
      if (me == 0) printf("step %d: largest change of a point %.6e\n", step, largest);
    }
  }

  mine = 0.0;
  for (int i = 1; i <= rows; ++i) {
    for (int j = 1; j <= kSize; ++j) {
      const double solution = pow(decay, kSteps) * sin((first + i - 1) * angle) * sin(j * angle);
      mine = fmax(mine, fabs(grid[kSteps % 2][i][j] - solution));
    }
  }
  shmem_double_max_reduce(SHMEM_TEAM_WORLD, &largest, &mine, 1);
  const int good = largest < 1e-12;
  if (me == 0) printf("error %.1e, %d PEs : %s\n", largest, pes, good ? "VERIFIED" : "FAILED");
  shmem_free(memory);
  shmem_finalize();
  return good ? 0 : 1;
}
