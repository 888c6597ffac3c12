// SPDX-License-Identifier: BSD-3-Clause
// The collectives of OpenSHMEM's Fortran interface, see fortran.cpp.
#include "models/shmem/active_sets.hpp"
#include "models/shmem/api.hpp"
#include "models/shmem/collectives.hpp"
#include "models/shmem/combine.hpp"
#include "models/shmem/fortran.hpp"

using namespace uccs;
using namespace uccs::shmem;

#define SET const int *PE_start, const int *logPE_stride, const int *PE_size
#define GIVE_SET *PE_start, *logPE_stride, *PE_size
#define MOVES void *dest, const void *source
#define COUNT fortran_count(*nelems)

UCCS_FORTRAN(void, shmem_barrier_all, ()) { pshmem_barrier_all(); }
// pSync is not used, and an array of INTEGER here.
UCCS_FORTRAN(void, shmem_barrier, (SET, int*)) { pshmem_barrier(GIVE_SET, nullptr); }

#define DEFINE_JOINS(FORTRAN, BITS)                                                    \
  UCCS_FORTRAN(void, shmem_broadcast##FORTRAN,                                         \
               (MOVES, const int* nelems, const int* PE_root, SET, int*)) {            \
    pshmem_broadcast##BITS(dest, source, COUNT, *PE_root, GIVE_SET, nullptr);          \
  }                                                                                    \
  UCCS_FORTRAN(void, shmem_collect##FORTRAN, (MOVES, const int* nelems, SET, int*)) {  \
    pshmem_collect##BITS(dest, source, COUNT, GIVE_SET, nullptr);                      \
  }                                                                                    \
  UCCS_FORTRAN(void, shmem_fcollect##FORTRAN, (MOVES, const int* nelems, SET, int*)) { \
    pshmem_fcollect##BITS(dest, source, COUNT, GIVE_SET, nullptr);                     \
  }
DEFINE_JOINS(4, 32)
DEFINE_JOINS(8, 64)
DEFINE_JOINS(32, 32)
DEFINE_JOINS(64, 64)

#define DEFINE_EXCHANGES(BITS)                                                          \
  UCCS_FORTRAN(void, shmem_alltoall##BITS, (MOVES, const int* nelems, SET, int*)) {     \
    pshmem_alltoall##BITS(dest, source, COUNT, GIVE_SET, nullptr);                      \
  }                                                                                     \
  UCCS_FORTRAN(void, shmem_alltoalls##BITS,                                             \
               (MOVES, const int* dst, const int* sst, const int* nelems, SET, int*)) { \
    pshmem_alltoalls##BITS(dest, source, *dst, *sst, COUNT, GIVE_SET, nullptr);         \
  }
DEFINE_EXCHANGES(32)
DEFINE_EXCHANGES(64)

// REAL(16) has no counterpart among the C routines; on x86 not even long double, another format.
#if defined(__SIZEOF_FLOAT128__)
__extension__ typedef __float128 uccs_real16_t;
#else
typedef long double uccs_real16_t;
#endif
namespace {
template <class Operation>
void reduce_real16(uccs_real16_t* dest, const uccs_real16_t* source, int nreduce, int start,
                   int log_stride, int size, const char* call) {
  coll::allreduce(active_set(start, log_stride, size, call), dest, source, sizeof *dest,
                  fortran_count(nreduce), combine<Operation, uccs_real16_t>);
}
}  // namespace
#define DEFINE_REAL16(ROUTINE, OPERATION)                                                       \
  [[maybe_unused]] static void pshmem_real16_##ROUTINE(                                         \
      uccs_real16_t* dest, const uccs_real16_t* source, int nreduce, int start, int log_stride, \
      int size, uccs_real16_t*, long*) {                                                        \
    reduce_real16<OPERATION>(dest, source, nreduce, start, log_stride, size,                    \
                             "shmem_real16_" #ROUTINE);                                         \
  }
DEFINE_REAL16(max_to_all, Max)
DEFINE_REAL16(min_to_all, Min)
DEFINE_REAL16(sum_to_all, Sum)
DEFINE_REAL16(prod_to_all, Product)

#define REDUCE(NAME, TYPE, C_NAME, ROUTINE)                                               \
  UCCS_FORTRAN(void, shmem_##NAME##_##ROUTINE,                                            \
               (TYPE * dest, const TYPE* source, const int* nreduce, SET, TYPE*, int*)) { \
    pshmem_##C_NAME##_##ROUTINE(dest, source, *nreduce, GIVE_SET, nullptr, nullptr);      \
  }
#define UCCS_FORTRAN_BITS(NAME, TYPE, C_NAME) \
  REDUCE(NAME, TYPE, C_NAME, and_to_all)      \
  REDUCE(NAME, TYPE, C_NAME, or_to_all)       \
  REDUCE(NAME, TYPE, C_NAME, xor_to_all)
#define UCCS_FORTRAN_MAX(NAME, TYPE, C_NAME) \
  REDUCE(NAME, TYPE, C_NAME, max_to_all)     \
  REDUCE(NAME, TYPE, C_NAME, min_to_all)
#define UCCS_FORTRAN_SUM(NAME, TYPE, C_NAME) \
  REDUCE(NAME, TYPE, C_NAME, sum_to_all)     \
  REDUCE(NAME, TYPE, C_NAME, prod_to_all)
#include "gen/fortran.def"
