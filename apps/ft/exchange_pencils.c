// SPDX-License-Identifier: BSD-3-Clause
// Algorithm 3, pencils: every row leaves as soon as it is transformed, to each PE in turn.
#include <shmem.h>

#include "clock.h"
#include "exchange.h"

void exchange_pencils(Transform* transform) {
  const Block planes = transform->planes;
  const size_t nx = (size_t)transform->nx;
  const int most_rows = problem_largest_block(transform->num_rows, transform->num_pes);

  for (int i = 0; i < planes.count; ++i) {
    if (transform_window_is_full(transform, i)) {
      const double start = clock_seconds();
      shmem_quiet();
      transform->communication += clock_seconds() - start;
    }
    Complex* plane = transform_plane(transform, i);
    Complex* slab = transform->output + (size_t)(planes.first + i) * transform->slab_stride;
    for (int r = 0; r < most_rows; ++r) {
      for (int k = 1; k <= transform->num_pes; ++k) {
        const int pe = (transform->my_pe + k) % transform->num_pes;
        const Block rows = transform_rows_of(transform, pe);
        if (r >= rows.count) continue;
        Complex* row = plane + (size_t)(rows.first + r) * nx;
        transform_row(transform, row);

        const double start = clock_seconds();
        shmem_putmem_nbi(slab + (size_t)r * nx, row, nx * sizeof(Complex), pe);
        transform->communication += clock_seconds() - start;
      }
    }
  }

  const double start = clock_seconds();
  shmem_quiet();
  shmem_barrier_all();
  transform->communication += clock_seconds() - start;
}
