// SPDX-License-Identifier: BSD-3-Clause
#include "models/shmem/rma.hpp"

using namespace uccs::shmem;

// In memory that all PEs of the node map an operation is done when it returns, so the forms with
// _nbi do the same.
#define DEFINE_PUT(CTX, NAME, TYPE, SUFFIX)                                                \
  UCCS_SHMEM_HOT(                                                                          \
      void, CTX##NAME##_put##SUFFIX,                                                       \
      (UCCS_CTX_PARAMETER_##CTX TYPE * dest, const TYPE* source, size_t nelems, int pe)) { \
    put<sizeof(TYPE)>(UCCS_CTX_##CTX, dest, source, nelems, pe,                            \
                      "shmem_" #CTX #NAME "_put" #SUFFIX);                                 \
  }
#define DEFINE_GET(CTX, NAME, TYPE, SUFFIX)                                                \
  UCCS_SHMEM_HOT(                                                                          \
      void, CTX##NAME##_get##SUFFIX,                                                       \
      (UCCS_CTX_PARAMETER_##CTX TYPE * dest, const TYPE* source, size_t nelems, int pe)) { \
    get<sizeof(TYPE)>(UCCS_CTX_##CTX, dest, source, nelems, pe,                            \
                      "shmem_" #CTX #NAME "_get" #SUFFIX);                                 \
  }
#define DEFINE_VALUES(CTX, NAME, TYPE)                                                         \
  UCCS_SHMEM_HOT(void, CTX##NAME##_p,                                                          \
                 (UCCS_CTX_PARAMETER_##CTX TYPE * dest, TYPE value, int pe)) {                 \
    put_value(UCCS_CTX_##CTX, dest, value, pe, "shmem_" #CTX #NAME "_p");                      \
  }                                                                                            \
  UCCS_SHMEM_HOT(TYPE, CTX##NAME##_g, (UCCS_CTX_PARAMETER_##CTX const TYPE* source, int pe)) { \
    return get_value(UCCS_CTX_##CTX, source, pe, "shmem_" #CTX #NAME "_g");                    \
  }
#define UCCS_RMA_TYPE(NAME, TYPE)               \
  UCCS_SHMEM_BOTH(DEFINE_PUT, NAME, TYPE, )     \
  UCCS_SHMEM_BOTH(DEFINE_PUT, NAME, TYPE, _nbi) \
  UCCS_SHMEM_BOTH(DEFINE_GET, NAME, TYPE, )     \
  UCCS_SHMEM_BOTH(DEFINE_GET, NAME, TYPE, _nbi) \
  UCCS_SHMEM_BOTH(DEFINE_VALUES, NAME, TYPE)

#define DEFINE_SIZED(CTX, BITS, SUFFIX)                                                         \
  UCCS_SHMEM_HOT(                                                                               \
      void, CTX##put##BITS##SUFFIX,                                                             \
      (UCCS_CTX_PARAMETER_##CTX void* dest, const void* source, size_t nelems, int pe)) {       \
    put<BITS / 8>(UCCS_CTX_##CTX, dest, source, nelems, pe, "shmem_" #CTX "put" #BITS #SUFFIX); \
  }                                                                                             \
  UCCS_SHMEM_HOT(                                                                               \
      void, CTX##get##BITS##SUFFIX,                                                             \
      (UCCS_CTX_PARAMETER_##CTX void* dest, const void* source, size_t nelems, int pe)) {       \
    get<BITS / 8>(UCCS_CTX_##CTX, dest, source, nelems, pe, "shmem_" #CTX "get" #BITS #SUFFIX); \
  }
#define UCCS_SIZE(BITS)                 \
  UCCS_SHMEM_BOTH(DEFINE_SIZED, BITS, ) \
  UCCS_SHMEM_BOTH(DEFINE_SIZED, BITS, _nbi)
#include "gen/types.def"

#define DEFINE_BYTES(CTX, SUFFIX)                                                         \
  UCCS_SHMEM_HOT(                                                                         \
      void, CTX##putmem##SUFFIX,                                                          \
      (UCCS_CTX_PARAMETER_##CTX void* dest, const void* source, size_t nelems, int pe)) { \
    put_bytes(UCCS_CTX_##CTX, dest, source, nelems, pe, "shmem_" #CTX "putmem" #SUFFIX);  \
  }                                                                                       \
  UCCS_SHMEM_HOT(                                                                         \
      void, CTX##getmem##SUFFIX,                                                          \
      (UCCS_CTX_PARAMETER_##CTX void* dest, const void* source, size_t nelems, int pe)) { \
    get_bytes(UCCS_CTX_##CTX, dest, source, nelems, pe, "shmem_" #CTX "getmem" #SUFFIX);  \
  }
UCCS_SHMEM_BOTH(DEFINE_BYTES, )
UCCS_SHMEM_BOTH(DEFINE_BYTES, _nbi)
