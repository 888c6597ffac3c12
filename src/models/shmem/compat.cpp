// SPDX-License-Identifier: BSD-3-Clause
// The names that atomics had before OpenSHMEM 1.4.
#include "models/shmem/atomics.hpp"

using namespace uccs::shmem;

#define UCCS_OLD_SWAP_TYPE(NAME, TYPE)                                              \
  UCCS_SHMEM(TYPE, NAME##_fetch, (const TYPE* source, int pe)) {                    \
    return atomic_fetch(SHMEM_CTX_DEFAULT, source, pe, "shmem_" #NAME "_fetch");    \
  }                                                                                 \
  UCCS_SHMEM(void, NAME##_set, (TYPE * dest, TYPE value, int pe)) {                 \
    atomic_set(SHMEM_CTX_DEFAULT, dest, value, pe, "shmem_" #NAME "_set");          \
  }                                                                                 \
  UCCS_SHMEM(TYPE, NAME##_swap, (TYPE * dest, TYPE value, int pe)) {                \
    return atomic_swap(SHMEM_CTX_DEFAULT, dest, value, pe, "shmem_" #NAME "_swap"); \
  }
#define UCCS_OLD_AMO_TYPE(NAME, TYPE)                                                              \
  UCCS_SHMEM(TYPE, NAME##_cswap, (TYPE * dest, TYPE cond, TYPE value, int pe)) {                   \
    return atomic_compare_swap(SHMEM_CTX_DEFAULT, dest, cond, value, pe, "shmem_" #NAME "_cswap"); \
  }                                                                                                \
  UCCS_SHMEM(TYPE, NAME##_finc, (TYPE * dest, int pe)) {                                           \
    return atomic_fetch_add(SHMEM_CTX_DEFAULT, dest, static_cast<TYPE>(1), pe,                     \
                            "shmem_" #NAME "_finc");                                               \
  }                                                                                                \
  UCCS_SHMEM(void, NAME##_inc, (TYPE * dest, int pe)) {                                            \
    atomic_add(SHMEM_CTX_DEFAULT, dest, static_cast<TYPE>(1), pe, "shmem_" #NAME "_inc");          \
  }                                                                                                \
  UCCS_SHMEM(TYPE, NAME##_fadd, (TYPE * dest, TYPE value, int pe)) {                               \
    return atomic_fetch_add(SHMEM_CTX_DEFAULT, dest, value, pe, "shmem_" #NAME "_fadd");           \
  }                                                                                                \
  UCCS_SHMEM(void, NAME##_add, (TYPE * dest, TYPE value, int pe)) {                                \
    atomic_add(SHMEM_CTX_DEFAULT, dest, value, pe, "shmem_" #NAME "_add");                         \
  }
#include "gen/types.def"
