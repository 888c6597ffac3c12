// SPDX-License-Identifier: BSD-3-Clause
#include "requests.h"

#include <stdlib.h>
#include <string.h>

typedef struct List {
  MPI_Request* requests;
  int count;
} List;

static List receives, sends;

static void list_open(List* list, size_t capacity) {
  list->requests = malloc((capacity + 1) * sizeof *list->requests);
  if (list->requests == NULL) MPI_Abort(MPI_COMM_WORLD, EXIT_FAILURE);
  list->count = 0;
}

static void list_wait(List* list) {
  MPI_Waitall(list->count, list->requests, MPI_STATUSES_IGNORE);
  list->count = 0;
}

static void receive_from(const Transform* transform, int plane, int pe, int per_row) {
  const size_t nx = (size_t)transform->nx;
  Complex* slab = transform->output + (size_t)plane * transform->slab_stride;
  const int messages = per_row ? transform->rows.count : transform->rows.count > 0;
  const int rows_each = per_row ? 1 : transform->rows.count;
  for (int m = 0; m < messages; ++m) {
    MPI_Irecv(slab + (size_t)m * nx, 2 * rows_each * transform->nx, MPI_DOUBLE, pe, 0,
              MPI_COMM_WORLD, &receives.requests[receives.count++]);
  }
}

void requests_open(const Transform* transform, int per_row) {
  const int num_pes = transform->num_pes;
  const int most_planes = problem_largest_block(transform->num_planes, num_pes);
  list_open(&receives,
            (size_t)transform->num_planes * (size_t)(per_row ? transform->rows.count : 1));
  list_open(&sends,
            (size_t)transform->planes.count * (size_t)(per_row ? transform->num_rows : num_pes));
  // In about the order in which they are sent: libraries search their list from its start.
  for (int i = 0; i < most_planes; ++i) {
    for (int k = 1; k < num_pes; ++k) {
      const int pe = (transform->my_pe + num_pes - k) % num_pes;
      const Block planes = problem_block(transform->num_planes, pe, num_pes);
      if (i < planes.count) receive_from(transform, planes.first + i, pe, per_row);
    }
  }
}

void requests_send(const Transform* transform, const Complex* from, size_t count, int pe,
                   Complex* self) {
  if (pe == transform->my_pe) {
    memcpy(self, from, count * sizeof(Complex));
  } else if (count > 0) {
    MPI_Isend(from, (int)(2 * count), MPI_DOUBLE, pe, 0, MPI_COMM_WORLD,
              &sends.requests[sends.count++]);
  }
}

void requests_flush(void) { list_wait(&sends); }

void requests_close(void) {
  list_wait(&receives);
  list_wait(&sends);
  free(receives.requests);
  free(sends.requests);
}
