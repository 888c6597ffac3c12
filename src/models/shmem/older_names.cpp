// SPDX-License-Identifier: BSD-3-Clause
/// Names that routines of the standard had before it had them.
#include <shmemx.h>

#include "models/shmem/api.hpp"

// Arguments of a call on a context, or not.
#define UCCS_CTX_ARGUMENT_
#define UCCS_CTX_ARGUMENT_ctx_ ctx,

#define DEFINE_BLOCKS(CTX, BEFORE, TYPE, AFTER)                                               \
  UCCS_SHMEMX(void, CTX##BEFORE##ibput##AFTER,                                                \
              (UCCS_CTX_PARAMETER_##CTX TYPE * dest, const TYPE* source, ptrdiff_t dst,       \
               ptrdiff_t sst, size_t bsize, size_t nblocks, int pe)) {                        \
    pshmem_##CTX##BEFORE##ibput##AFTER(UCCS_CTX_ARGUMENT_##CTX dest, source, dst, sst, bsize, \
                                       nblocks, pe);                                          \
  }                                                                                           \
  UCCS_SHMEMX(void, CTX##BEFORE##ibget##AFTER,                                                \
              (UCCS_CTX_PARAMETER_##CTX TYPE * dest, const TYPE* source, ptrdiff_t dst,       \
               ptrdiff_t sst, size_t bsize, size_t nblocks, int pe)) {                        \
    pshmem_##CTX##BEFORE##ibget##AFTER(UCCS_CTX_ARGUMENT_##CTX dest, source, dst, sst, bsize, \
                                       nblocks, pe);                                          \
  }
#define UCCS_RMA_TYPE(NAME, TYPE) UCCS_SHMEM_BOTH(DEFINE_BLOCKS, NAME##_, TYPE, )
#define UCCS_SIZE(BITS) UCCS_SHMEM_BOTH(DEFINE_BLOCKS, , void, BITS)

#define DEFINE_SCAN(NAME, TYPE, ROUTINE)                                             \
  UCCS_SHMEMX(int, NAME##_##ROUTINE,                                                 \
              (shmem_team_t team, TYPE * dest, const TYPE* source, size_t nelems)) { \
    return pshmem_##NAME##_##ROUTINE(team, dest, source, nelems);                    \
  }
#define UCCS_SUM_TYPE(NAME, TYPE)     \
  DEFINE_SCAN(NAME, TYPE, sum_inscan) \
  DEFINE_SCAN(NAME, TYPE, sum_exscan)
#include "gen/types.def"

#define DEFINE_SIGNALS(CTX)                                                                     \
  UCCS_SHMEMX(void, CTX##signal_add,                                                            \
              (UCCS_CTX_PARAMETER_##CTX uint64_t * sig_addr, uint64_t signal, int pe)) {        \
    pshmem_##CTX##signal_add(UCCS_CTX_ARGUMENT_##CTX sig_addr, signal, pe);                     \
  }                                                                                             \
  UCCS_SHMEMX(void, CTX##signal_set,                                                            \
              (UCCS_CTX_PARAMETER_##CTX uint64_t * sig_addr, uint64_t signal, int pe)) {        \
    pshmem_##CTX##signal_set(UCCS_CTX_ARGUMENT_##CTX sig_addr, signal, pe);                     \
  }                                                                                             \
  UCCS_SHMEMX(void, CTX##putmem_signal,                                                         \
              (UCCS_CTX_PARAMETER_##CTX void* dest, const void* source, size_t nelems,          \
               uint64_t* sig_addr, uint64_t signal, int pe)) {                                  \
    pshmem_##CTX##putmem_signal(UCCS_CTX_ARGUMENT_##CTX dest, source, nelems, sig_addr, signal, \
                                SHMEM_SIGNAL_SET, pe);                                          \
  }
DEFINE_SIGNALS()
DEFINE_SIGNALS(ctx_)
