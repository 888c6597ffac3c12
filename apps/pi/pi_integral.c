// SPDX-License-Identifier: BSD-3-Clause
// Pi by integrating 4 / (1 + x^2) from 0 to 1: the work is split beforehand, and a reduction adds
// up what the PEs found.
//
//   oshcc pi_integral.c -o pi_integral && oshrun -n 4 ./pi_integral
#include <math.h>
#include <shmem.h>
#include <stdio.h>

// Static and global variables are symmetric: they exist on every PE, and any PE may read and write
// them on any other. The arguments of a reduction have to be symmetric.
static double my_part;
static double pi;

int main(void) {
  shmem_init();
  const int me = shmem_my_pe();
  const int pes = shmem_n_pes();

  // The midpoint rule. PE `me` takes the intervals me, me + pes, me + 2 pes, ...
  const long intervals = 10 * 1000 * 1000;
  const double width = 1.0 / (double)intervals;
  for (long i = me; i < intervals; i += pes) {
    const double x = ((double)i + 0.5) * width;
    my_part += 4.0 / (1.0 + x * x) * width;
  }

  // Adds up my_part of all PEs and leaves the sum in pi, on all PEs. All of them have to call it.
  shmem_double_sum_reduce(SHMEM_TEAM_WORLD, &pi, &my_part, 1);

  const double error = fabs(pi - 3.14159265358979323846);
  const int good = error < 1e-11;
  if (me == 0) {
    printf("pi = %.14f, error %.1e, by %d PEs : %s\n", pi, error, pes,
           good ? "VERIFIED" : "FAILED");
  }
  shmem_finalize();
  return good ? 0 : 1;
}
