// SPDX-License-Identifier: BSD-3-Clause
// Algorithm 3, pencils: every row leaves as soon as it is transformed, to each PE in turn.
#include "clock.h"
#include "requests.h"

void exchange_pencils(Transform* transform) {
  const Block planes = transform->planes;
  const size_t nx = (size_t)transform->nx;
  const int most_rows = problem_largest_block(transform->num_rows, transform->num_pes);

  double start = clock_seconds();
  requests_open(transform, 1);
  transform->communication += clock_seconds() - start;

  for (int i = 0; i < planes.count; ++i) {
    if (transform_window_is_full(transform, i)) {
      start = clock_seconds();
      requests_flush();
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

        start = clock_seconds();
        requests_send(transform, row, nx, pe, slab + (size_t)r * nx);
        transform->communication += clock_seconds() - start;
      }
    }
  }

  start = clock_seconds();
  requests_close();
  transform->communication += clock_seconds() - start;
}
