// SPDX-License-Identifier: BSD-3-Clause
#include "models/shmem/rma.hpp"

using namespace uccs::shmem;

// One element with a stride is a block of one.
#define DEFINE_STRIDED(CTX, NAME, TYPE, KIND, WAY, BYTES)                              \
  UCCS_SHMEM(void, CTX##NAME##i##KIND,                                                 \
             (UCCS_CTX_PARAMETER_##CTX TYPE * dest, const TYPE* source, ptrdiff_t dst, \
              ptrdiff_t sst, size_t nelems, int pe)) {                                 \
    WAY<BYTES>(UCCS_CTX_##CTX, dest, source, dst, sst, 1, nelems, pe,                  \
               "shmem_" #CTX #NAME "i" #KIND);                                         \
  }                                                                                    \
  UCCS_SHMEM(void, CTX##NAME##ib##KIND,                                                \
             (UCCS_CTX_PARAMETER_##CTX TYPE * dest, const TYPE* source, ptrdiff_t dst, \
              ptrdiff_t sst, size_t bsize, size_t nblocks, int pe)) {                  \
    WAY<BYTES>(UCCS_CTX_##CTX, dest, source, dst, sst, bsize, nblocks, pe,             \
               "shmem_" #CTX #NAME "ib" #KIND);                                        \
  }
#define UCCS_RMA_TYPE(NAME, TYPE)                                                \
  UCCS_SHMEM_BOTH(DEFINE_STRIDED, NAME##_, TYPE, put, put_strided, sizeof(TYPE)) \
  UCCS_SHMEM_BOTH(DEFINE_STRIDED, NAME##_, TYPE, get, get_strided, sizeof(TYPE))
#define UCCS_SIZE(BITS)                                                     \
  UCCS_SHMEM_BOTH(DEFINE_STRIDED, , void, put##BITS, put_strided, BITS / 8) \
  UCCS_SHMEM_BOTH(DEFINE_STRIDED, , void, get##BITS, get_strided, BITS / 8)
#include "gen/types.def"
