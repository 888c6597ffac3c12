// SPDX-License-Identifier: BSD-3-Clause
// The OpenSHMEM 1.5 routines of pi and heat, for libraries that stop at 1.4 (Open MPI 4):
//
//   oshcc -include ../compat/shmem_1_5.h heat.c -o heat -lm
//
// Not needed with UCCS, and only as good as these programs need it: the world team, one element.
#ifndef APPS_COMPAT_SHMEM_1_5_H_
#define APPS_COMPAT_SHMEM_1_5_H_

#include <shmem.h>
#include <stdint.h>

#if SHMEM_MAJOR_VERSION == 1 && SHMEM_MINOR_VERSION < 5

#define SHMEM_TEAM_WORLD 0
#define SHMEM_SIGNAL_SET 0

static long compat_sync[SHMEM_REDUCE_SYNC_SIZE];
static double compat_work[SHMEM_REDUCE_MIN_WRKDATA_SIZE + 1];

// Active-set reductions want this before the first one, on all PEs.
static inline void compat_prepare(void) {
  for (int i = 0; i < SHMEM_REDUCE_SYNC_SIZE; ++i) compat_sync[i] = SHMEM_SYNC_VALUE;
  shmem_barrier_all();
}

static inline int shmem_double_sum_reduce(int team, double* target, const double* source,
                                          size_t n) {
  (void)team;
  compat_prepare();
  shmem_double_sum_to_all(target, source, (int)n, 0, 0, shmem_n_pes(), compat_work, compat_sync);
  return 0;
}

static inline int shmem_double_max_reduce(int team, double* target, const double* source,
                                          size_t n) {
  (void)team;
  compat_prepare();
  shmem_double_max_to_all(target, source, (int)n, 0, 0, shmem_n_pes(), compat_work, compat_sync);
  return 0;
}

static inline void shmem_double_put_signal(double* target, const double* source, size_t n,
                                           uint64_t* flag, uint64_t value, int operation, int pe) {
  (void)operation;
  shmem_double_put(target, source, n, pe);
  shmem_fence();
  shmem_ulong_atomic_set((unsigned long*)flag, value, pe);
}

static inline uint64_t shmem_signal_wait_until(uint64_t* flag, int comparison, uint64_t value) {
  shmem_uint64_wait_until(flag, comparison, value);
  return *flag;
}

#endif
#endif  // APPS_COMPAT_SHMEM_1_5_H_
