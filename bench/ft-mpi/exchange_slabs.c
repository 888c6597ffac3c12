// SPDX-License-Identifier: BSD-3-Clause
// Algorithm 2, slabs: for each plane, a PE's rows leave as soon as they are transformed.
#include "clock.h"
#include "requests.h"

void exchange_slabs(Transform* transform) {
  const Block planes = transform->planes;
  const size_t nx = (size_t)transform->nx;

  double start = clock_seconds();
  requests_open(transform, 0);
  transform->communication += clock_seconds() - start;

  for (int i = 0; i < planes.count; ++i) {
    if (transform_window_is_full(transform, i)) {
      start = clock_seconds();
      requests_flush();
      transform->communication += clock_seconds() - start;
    }
    Complex* plane = transform_plane(transform, i);
    Complex* target = transform->output + (size_t)(planes.first + i) * transform->slab_stride;
    for (int k = 1; k <= transform->num_pes; ++k) {
      const int pe = (transform->my_pe + k) % transform->num_pes;  // not everybody to PE 0 first
      const Block rows = transform_rows_of(transform, pe);
      Complex* slab = plane + (size_t)rows.first * nx;
      for (int r = 0; r < rows.count; ++r) transform_row(transform, slab + (size_t)r * nx);

      start = clock_seconds();
      requests_send(transform, slab, (size_t)rows.count * nx, pe, target);
      transform->communication += clock_seconds() - start;
    }
  }

  start = clock_seconds();
  requests_close();
  transform->communication += clock_seconds() - start;
}
