// SPDX-License-Identifier: BSD-3-Clause
// OpenMP threads that communicate: every thread of every PE adds to counters on all PEs, on a
// context of its own, and the team's iterations are shared out by a remote counter.
//
//   oshcc -fopenmp openmp_shmem.c -o openmp_shmem && OMP_NUM_THREADS=4 oshrun -n 2 ./openmp_shmem
#include <omp.h>
#include <shmem.h>
#include <stdio.h>

enum { kItems = 400, kMaxThreads = 256 };

static long next_item;               // of PE 0: the next item that nobody works on
static long sum;                     // of PE 0: what all threads have found
static long greetings[kMaxThreads];  // one per thread of the PE, from its namesake on the left

int main(void) {
  int provided;
  if (shmem_init_thread(SHMEM_THREAD_MULTIPLE, &provided) || provided < SHMEM_THREAD_MULTIPLE) {
    fprintf(stderr, "openmp_shmem: threads may not communicate here\n");
    return 1;
  }
  const int me = shmem_my_pe(), pes = shmem_n_pes(), right = (me + 1) % pes;
  int threads = 0;

#pragma omp parallel
  {
    const int thread = omp_get_thread_num();
#pragma omp single
    threads = omp_get_num_threads();
    shmem_ctx_t context;
    // No context left is no error: the default one does the same.
    if (shmem_ctx_create(SHMEM_CTX_PRIVATE, &context)) context = SHMEM_CTX_DEFAULT;

    // Dynamic scheduling over all threads of the job.
    long item, found = 0;
    while ((item = shmem_ctx_long_atomic_fetch_inc(context, &next_item, 0)) < kItems)
      found += item * item;
    shmem_ctx_long_atomic_add(context, &sum, found, 0);
    if (thread < kMaxThreads)
      shmem_ctx_long_p(context, &greetings[thread], me * 1000L + thread + 1, right);
    shmem_ctx_quiet(context);
    if (context != SHMEM_CTX_DEFAULT) shmem_ctx_destroy(context);
  }  // the barrier of the team: all threads of this PE are done
  shmem_barrier_all();

  const int left = (me + pes - 1) % pes;
  int errors = 0;
  for (int t = 0; t < threads && t < kMaxThreads; ++t)
    if (greetings[t] != left * 1000L + t + 1) ++errors;
  const long expected = (kItems - 1L) * kItems * (2L * kItems - 1) / 6;
  if (shmem_long_g(&sum, 0) != expected) ++errors;
  if (errors) printf("PE %d: FAILED, %d errors\n", me, errors);
  if (me == 0 && !errors)
    printf("VERIFIED: %d PEs x %d OpenMP threads, sum %ld\n", pes, threads, expected);
  shmem_finalize();
  return errors != 0;
}
