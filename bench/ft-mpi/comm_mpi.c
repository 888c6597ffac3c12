// SPDX-License-Identifier: BSD-3-Clause
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

#include "comm.h"

const char kCommTitle[] = "FT-MPI";

enum { kAlignment = 128 };

void comm_start(int* argc, char*** argv) { MPI_Init(argc, argv); }

void comm_stop(void) { MPI_Finalize(); }

int comm_my_pe(void) {
  int rank;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  return rank;
}

int comm_num_pes(void) {
  int size;
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  return size;
}

void* comm_allocate(size_t bytes) {
  void* memory = aligned_alloc(kAlignment, (bytes + kAlignment - 1) / kAlignment * kAlignment);
  if (comm_max(memory == NULL) == 0) return memory;
  free(memory);
  return NULL;
}

void comm_free(void* memory) { free(memory); }

void comm_explain_shortage(size_t bytes) {
  fprintf(stderr, "ft: %zu bytes of memory are needed in each of %d processes; use more machines\n",
          bytes, comm_num_pes());
}

// Sends may complete as late as the receiver cares to look, so no plane is reused before the end.
int comm_planes_in_flight(int num_planes) { return num_planes; }

void comm_barrier(void) { MPI_Barrier(MPI_COMM_WORLD); }

void comm_sum(double* values, int count) {
  double sums[kMaxSum];
  MPI_Reduce(values, sums, count, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
  if (comm_my_pe() != 0) return;
  for (int i = 0; i < count; ++i) values[i] = sums[i];
}

double comm_max(double value) {
  double most;
  MPI_Allreduce(&value, &most, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
  return most;
}

void comm_broadcast(void* data, size_t bytes) {
  MPI_Bcast(data, (int)bytes, MPI_BYTE, 0, MPI_COMM_WORLD);
}
