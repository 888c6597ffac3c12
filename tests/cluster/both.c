// SPDX-License-Identifier: BSD-3-Clause
/// OpenSHMEM and MPI in one program.  both FIRST LAST, each `mpi` or `shmem`: who is initialized
/// first and finalized last.
#include <mpi.h>
#include <shmem.h>
#include <stdio.h>
#include <string.h>

static long sum;

int main(int argc, char** argv) {
  const int is_mpi_first = argc > 1 && strcmp(argv[1], "mpi") == 0;
  const int is_mpi_last = argc > 2 && strcmp(argv[2], "mpi") == 0;
  if (is_mpi_first) MPI_Init(&argc, &argv);
  shmem_init();
  if (!is_mpi_first) MPI_Init(&argc, &argv);
  int size;
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  const long mine = shmem_my_pe() + 1;
  long mpi_sum = 0;
  MPI_Allreduce(&mine, &mpi_sum, 1, MPI_LONG, MPI_SUM, MPI_COMM_WORLD);
  shmem_long_atomic_add(&sum, mine, 0);
  shmem_barrier_all();
  const long shmem_sum = shmem_long_g(&sum, 0);
  const long expected = (long)size * (size + 1) / 2;
  if (size != shmem_n_pes() || mpi_sum != expected || shmem_sum != expected) {
    fprintf(stderr, "%d processes of MPI, %d PEs; sums %ld and %ld\n", size, shmem_n_pes(), mpi_sum,
            shmem_sum);
    shmem_global_exit(1);
  }
  MPI_Barrier(MPI_COMM_WORLD);
  if (is_mpi_last) shmem_finalize();
  MPI_Finalize();
  if (!is_mpi_last) {
    shmem_barrier_all();
    shmem_finalize();
  }
  puts("both");
  return 0;
}
