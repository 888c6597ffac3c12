// SPDX-License-Identifier: BSD-3-Clause
// MPI and OpenSHMEM in one program, initialised in either order. OpenSHMEM spans all processes;
// MPI spans what its own launcher gave it, which under oshrun is each process alone.
//
//   mpicc.openmpi mpi_shmem.c -o mpi_shmem $(pkg-config --cflags --libs uccs)
//   OMPI_MCA_ess_singleton_isolated=1 oshrun -n 2 ./mpi_shmem [mpi|shmem]    (who starts first)
//   mpirun -n 1 ./mpi_shmem
//
// oshmem, which Open MPI brings along, is another OpenSHMEM: use its mpicc, not its oshcc.
#include <mpi.h>
#include <shmem.h>
#include <stdio.h>
#include <string.h>

enum { kWords = 1000 };

static long exchanged[kWords];  // symmetric: OpenSHMEM writes it, MPI reads it
static int errors;

static void expect(int is_true, const char* what) {
  if (is_true) return;
  printf("PE %d: FAILED: %s\n", shmem_my_pe(), what);
  ++errors;
}

static void start_mpi(int* argc, char*** argv) {
  int provided;
  MPI_Init_thread(argc, argv, MPI_THREAD_FUNNELED, &provided);
}

int main(int argc, char** argv) {
  const int is_shmem_first = argc > 1 && strcmp(argv[1], "shmem") == 0;
  if (is_shmem_first) shmem_init();
  start_mpi(&argc, &argv);
  if (!is_shmem_first) shmem_init();

  int rank, size;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  const int me = shmem_my_pe(), pes = shmem_n_pes();
  expect(size == 1 || size == pes, "MPI and OpenSHMEM see different jobs");
  if (size == pes) expect(rank == me, "MPI and OpenSHMEM number the processes differently");

  // OpenSHMEM moves data to the right-hand neighbour; MPI sums what came, out of the same memory.
  long words[kWords], sums[kWords];
  for (int i = 0; i < kWords; ++i) words[i] = (me + 1) * 1000000L + i;
  shmem_long_put(exchanged, words, kWords, (me + 1) % pes);
  shmem_barrier_all();
  MPI_Allreduce(exchanged, sums, kWords, MPI_LONG, MPI_SUM, MPI_COMM_WORLD);
  const long left = (me + pes - 1) % pes;
  const long base = size == 1 ? left + 1 : (long)pes * (pes + 1) / 2;
  for (int i = 0; i < kWords; ++i)
    if (sums[i] != base * 1000000L + (long)size * i) {
      expect(0, "a sum is wrong");
      break;
    }

  // And the other way: MPI receives into symmetric memory, OpenSHMEM fetches it from there.
  MPI_Request request;
  shmem_barrier_all();
  MPI_Irecv(exchanged, kWords, MPI_LONG, rank, 7, MPI_COMM_WORLD, &request);
  MPI_Send(words, kWords, MPI_LONG, rank, 7, MPI_COMM_WORLD);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  shmem_barrier_all();
  shmem_long_get(words, exchanged, kWords, (int)left);
  expect(words[0] == (left + 1) * 1000000L && words[kWords - 1] == words[0] + kWords - 1,
         "what MPI received is not what OpenSHMEM fetched");

  shmem_barrier_all();
  if (me == 0 && errors == 0)
    printf("VERIFIED: %d PEs, MPI of %d, %s first\n", pes, size,
           is_shmem_first ? "OpenSHMEM" : "MPI");
  if (is_shmem_first) MPI_Finalize();  // ends in the order of a stack, as most programs do
  shmem_finalize();
  if (!is_shmem_first) MPI_Finalize();
  return errors != 0;
}
