// SPDX-License-Identifier: BSD-3-Clause
// Pi by throwing darts at a square: the part that hits the quarter circle in it tends to pi / 4.
// Who does what is not fixed beforehand: PEs draw batches of work from a common counter until none
// is left, so that faster PEs do more.
//
//   oshcc pi_monte_carlo.c -o pi_monte_carlo && oshrun -n 4 ./pi_monte_carlo
#include <math.h>
#include <shmem.h>
#include <stdint.h>
#include <stdio.h>

enum { kBatches = 200, kDartsPerBatch = 100000 };

// Symmetric, as they are static: every PE has them. Only those of PE 0 are used.
static long next_batch;
static long hits;

// A random number in [0, 1), by the generator splitmix64.
static double random_number(uint64_t* state) {
  uint64_t z = (*state += UINT64_C(0x9e3779b97f4a7c15));
  z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
  z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
  return (double)((z ^ (z >> 31)) >> 11) * 0x1p-53;
}

int main(void) {
  shmem_init();
  const int me = shmem_my_pe();

  long my_hits = 0;
  for (;;) {
    // Reads the counter on PE 0 and adds one to it, in one step: no two PEs get the same batch.
    const long batch = shmem_long_atomic_fetch_inc(&next_batch, 0);
    if (batch >= kBatches) break;
    // Each batch has its own random numbers, whoever does it: the result never changes.
    uint64_t state = (uint64_t)batch << 32;
    for (int i = 0; i < kDartsPerBatch; ++i) {
      const double x = random_number(&state);
      const double y = random_number(&state);
      my_hits += x * x + y * y < 1.0;
    }
  }
  // Once per PE, not once per hit: keep work local, and communicate its result.
  shmem_long_atomic_add(&hits, my_hits, 0);
  shmem_barrier_all();  // all additions have arrived when it ends

  int good = 1;
  if (me == 0) {
    // With 2e7 darts, one standard deviation is 3.7e-4.
    const double pi = 4.0 * (double)hits / ((double)kBatches * kDartsPerBatch);
    const double error = fabs(pi - 3.14159265358979323846);
    good = error < 1.5e-3;
    printf("pi = %.7f, error %.1e, by %d PEs : %s\n", pi, error, shmem_n_pes(),
           good ? "VERIFIED" : "FAILED");
  }
  shmem_finalize();
  return good ? 0 : 1;
}
