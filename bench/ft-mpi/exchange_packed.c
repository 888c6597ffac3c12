// SPDX-License-Identifier: BSD-3-Clause
// Algorithm 1, packed slabs: all planes first, then one MPI_Alltoallv.
#include <mpi.h>
#include <stdlib.h>

#include "clock.h"
#include "exchange.h"

// Counts and displacements are ints; in units of 8 elements, which divide nx and the strides of all
// classes, they reach 256 GiB.
enum { kUnit = 8 };

static int units(size_t elements) { return (int)(elements / kUnit); }

static void all_to_all(const Transform* transform) {
  const int num_pes = transform->num_pes;
  const size_t slab_stride = transform->slab_stride;
  int* lists = malloc(4 * (size_t)num_pes * sizeof *lists);
  if (lists == NULL) MPI_Abort(MPI_COMM_WORLD, EXIT_FAILURE);
  int* const send_counts = lists;
  int* const send_starts = lists + num_pes;
  int* const receive_counts = lists + 2 * num_pes;
  int* const receive_starts = lists + 3 * num_pes;
  const size_t per_pe = (size_t)transform->planes.count * slab_stride;
  for (int pe = 0; pe < num_pes; ++pe) {
    const Block planes = problem_block(transform->num_planes, pe, num_pes);
    send_counts[pe] = transform_rows_of(transform, pe).count > 0 ? units(per_pe) : 0;
    send_starts[pe] = units((size_t)pe * per_pe);
    receive_counts[pe] = transform->rows.count > 0 ? units((size_t)planes.count * slab_stride) : 0;
    receive_starts[pe] = units((size_t)planes.first * slab_stride);
  }
  MPI_Datatype unit;
  MPI_Type_contiguous(2 * kUnit, MPI_DOUBLE, &unit);
  MPI_Type_commit(&unit);
  MPI_Alltoallv(transform->packed, send_counts, send_starts, unit, transform->output,
                receive_counts, receive_starts, unit, MPI_COMM_WORLD);
  MPI_Type_free(&unit);
  free(lists);
}

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
  all_to_all(transform);
  transform->communication += clock_seconds() - start;
}
