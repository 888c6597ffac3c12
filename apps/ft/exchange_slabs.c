// SPDX-License-Identifier: BSD-3-Clause
// Algorithm 2, slabs: for each plane, a PE's rows leave as soon as they are transformed.
#include <shmem.h>

#include "clock.h"
#include "exchange.h"

void exchange_slabs(Transform* transform) {
  const Block planes = transform->planes;
  const size_t nx = (size_t)transform->nx;

  for (int i = 0; i < planes.count; ++i) {
    if (transform_window_is_full(transform, i)) {
      const double start = clock_seconds();
      shmem_quiet();
      transform->communication += clock_seconds() - start;
    }
    Complex* plane = transform_plane(transform, i);
    Complex* target = transform->output + (size_t)(planes.first + i) * transform->slab_stride;
    for (int k = 1; k <= transform->num_pes; ++k) {
      const int pe = (transform->my_pe + k) % transform->num_pes;  // not everybody to PE 0 first
      const Block rows = transform_rows_of(transform, pe);
      Complex* slab = plane + (size_t)rows.first * nx;
      for (int r = 0; r < rows.count; ++r) transform_row(transform, slab + (size_t)r * nx);

      const double start = clock_seconds();
      shmem_putmem_nbi(target, slab, (size_t)rows.count * nx * sizeof(Complex), pe);
      transform->communication += clock_seconds() - start;
    }
  }

  const double start = clock_seconds();
  shmem_quiet();
  shmem_barrier_all();
  transform->communication += clock_seconds() - start;
}
