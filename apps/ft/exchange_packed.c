// SPDX-License-Identifier: BSD-3-Clause
// Algorithm 1, packed slabs: all planes first, then one put per PE.
#include <shmem.h>

#include "clock.h"
#include "exchange.h"

void exchange_packed(Transform* transform) {
  const Block planes = transform->planes;
  const size_t nx = (size_t)transform->nx;
  const size_t slab_stride = transform->slab_stride;
  const size_t per_pe = (size_t)planes.count * slab_stride;

  for (int i = 0; i < planes.count; ++i) {
    Complex* plane = transform_plane(transform, i);
    for (int pe = 0; pe < transform->num_pes; ++pe) {
      const Block rows = transform_rows_of(transform, pe);
      Complex* slab = transform->packed + (size_t)pe * per_pe + (size_t)i * slab_stride;
      for (int r = 0; r < rows.count; ++r) {
        transform_row_to(transform, plane + (size_t)(rows.first + r) * nx, slab + (size_t)r * nx);
      }
    }
  }

  const double start = clock_seconds();
  Complex* target = transform->output + (size_t)planes.first * slab_stride;
  for (int i = 1; i <= transform->num_pes; ++i) {
    const int pe = (transform->my_pe + i) % transform->num_pes;  // not everybody to PE 0 first
    if (transform_rows_of(transform, pe).count == 0) continue;
    shmem_putmem_nbi(target, transform->packed + (size_t)pe * per_pe, per_pe * sizeof(Complex), pe);
  }
  shmem_quiet();
  shmem_barrier_all();
  transform->communication += clock_seconds() - start;
}
