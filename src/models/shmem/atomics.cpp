// SPDX-License-Identifier: BSD-3-Clause
#include "models/shmem/atomics.hpp"

using namespace uccs::shmem;

#define DEFINE_SWAPS(CTX, NAME, TYPE)                                                             \
  UCCS_SHMEM_HOT(TYPE, CTX##NAME##_atomic_fetch,                                                  \
                 (UCCS_CTX_PARAMETER_##CTX const TYPE* source, int pe)) {                         \
    return atomic_fetch(UCCS_CTX_##CTX, source, pe, "shmem_" #CTX #NAME "_atomic_fetch");         \
  }                                                                                               \
  UCCS_SHMEM_HOT(void, CTX##NAME##_atomic_fetch_nbi,                                              \
                 (UCCS_CTX_PARAMETER_##CTX TYPE * fetch, const TYPE* source, int pe)) {           \
    atomic_fetch_nbi(UCCS_CTX_##CTX, fetch, source, pe, "shmem_" #CTX #NAME "_atomic_fetch_nbi"); \
  }                                                                                               \
  UCCS_SHMEM_HOT(void, CTX##NAME##_atomic_set,                                                    \
                 (UCCS_CTX_PARAMETER_##CTX TYPE * dest, TYPE value, int pe)) {                    \
    atomic_set(UCCS_CTX_##CTX, dest, value, pe, "shmem_" #CTX #NAME "_atomic_set");               \
  }                                                                                               \
  UCCS_SHMEM_HOT(TYPE, CTX##NAME##_atomic_swap,                                                   \
                 (UCCS_CTX_PARAMETER_##CTX TYPE * dest, TYPE value, int pe)) {                    \
    return atomic_swap(UCCS_CTX_##CTX, dest, value, pe, "shmem_" #CTX #NAME "_atomic_swap");      \
  }                                                                                               \
  UCCS_SHMEM_HOT(void, CTX##NAME##_atomic_swap_nbi,                                               \
                 (UCCS_CTX_PARAMETER_##CTX TYPE * fetch, TYPE * dest, TYPE value, int pe)) {      \
    atomic_swap_nbi(UCCS_CTX_##CTX, fetch, dest, value, pe,                                       \
                    "shmem_" #CTX #NAME "_atomic_swap_nbi");                                      \
  }
#define UCCS_SWAP_TYPE(NAME, TYPE) UCCS_SHMEM_BOTH(DEFINE_SWAPS, NAME, TYPE)

#define DEFINE_ADDS(CTX, NAME, TYPE)                                                               \
  UCCS_SHMEM_HOT(TYPE, CTX##NAME##_atomic_compare_swap,                                            \
                 (UCCS_CTX_PARAMETER_##CTX TYPE * dest, TYPE cond, TYPE value, int pe)) {          \
    return atomic_compare_swap(UCCS_CTX_##CTX, dest, cond, value, pe,                              \
                               "shmem_" #CTX #NAME "_atomic_compare_swap");                        \
  }                                                                                                \
  UCCS_SHMEM_HOT(                                                                                  \
      void, CTX##NAME##_atomic_compare_swap_nbi,                                                   \
      (UCCS_CTX_PARAMETER_##CTX TYPE * fetch, TYPE * dest, TYPE cond, TYPE value, int pe)) {       \
    atomic_compare_swap_nbi(UCCS_CTX_##CTX, fetch, dest, cond, value, pe,                          \
                            "shmem_" #CTX #NAME "_atomic_compare_swap_nbi");                       \
  }                                                                                                \
  UCCS_SHMEM_HOT(TYPE, CTX##NAME##_atomic_fetch_inc,                                               \
                 (UCCS_CTX_PARAMETER_##CTX TYPE * dest, int pe)) {                                 \
    return atomic_fetch_add(UCCS_CTX_##CTX, dest, static_cast<TYPE>(1), pe,                        \
                            "shmem_" #CTX #NAME "_atomic_fetch_inc");                              \
  }                                                                                                \
  UCCS_SHMEM_HOT(void, CTX##NAME##_atomic_fetch_inc_nbi,                                           \
                 (UCCS_CTX_PARAMETER_##CTX TYPE * fetch, TYPE * dest, int pe)) {                   \
    atomic_fetch_add_nbi(UCCS_CTX_##CTX, fetch, dest, static_cast<TYPE>(1), pe,                    \
                         "shmem_" #CTX #NAME "_atomic_fetch_inc_nbi");                             \
  }                                                                                                \
  UCCS_SHMEM_HOT(void, CTX##NAME##_atomic_inc, (UCCS_CTX_PARAMETER_##CTX TYPE * dest, int pe)) {   \
    atomic_add(UCCS_CTX_##CTX, dest, static_cast<TYPE>(1), pe, "shmem_" #CTX #NAME "_atomic_inc"); \
  }                                                                                                \
  UCCS_SHMEM_HOT(TYPE, CTX##NAME##_atomic_fetch_add,                                               \
                 (UCCS_CTX_PARAMETER_##CTX TYPE * dest, TYPE value, int pe)) {                     \
    return atomic_fetch_add(UCCS_CTX_##CTX, dest, value, pe,                                       \
                            "shmem_" #CTX #NAME "_atomic_fetch_add");                              \
  }                                                                                                \
  UCCS_SHMEM_HOT(void, CTX##NAME##_atomic_fetch_add_nbi,                                           \
                 (UCCS_CTX_PARAMETER_##CTX TYPE * fetch, TYPE * dest, TYPE value, int pe)) {       \
    atomic_fetch_add_nbi(UCCS_CTX_##CTX, fetch, dest, value, pe,                                   \
                         "shmem_" #CTX #NAME "_atomic_fetch_add_nbi");                             \
  }                                                                                                \
  UCCS_SHMEM_HOT(void, CTX##NAME##_atomic_add,                                                     \
                 (UCCS_CTX_PARAMETER_##CTX TYPE * dest, TYPE value, int pe)) {                     \
    atomic_add(UCCS_CTX_##CTX, dest, value, pe, "shmem_" #CTX #NAME "_atomic_add");                \
  }
#define UCCS_AMO_TYPE(NAME, TYPE) UCCS_SHMEM_BOTH(DEFINE_ADDS, NAME, TYPE)

#define LOGIC(CTX, NAME, TYPE, ROUTINE, OPERATION, OP, IS_FETCHING, ORDER)                        \
  atomically<uccs::base::AtomicOp::OP, IS_FETCHING>(                                              \
      UCCS_CTX_##CTX, dest, pe, "shmem_" #CTX #NAME "_atomic_" #ROUTINE, OneOperand<TYPE>{value}, \
      [](TYPE* at, OneOperand<TYPE> given) {                                                      \
        return __atomic_fetch_##OPERATION(at, given.value, ORDER);                                \
      })
#define LOGIC_NBI(CTX, NAME, TYPE, OPERATION, OP)                                              \
  atomically_nbi<uccs::base::AtomicOp::OP>(                                                    \
      UCCS_CTX_##CTX, fetch, dest, pe, "shmem_" #CTX #NAME "_atomic_fetch_" #OPERATION "_nbi", \
      OneOperand<TYPE>{value}, [](TYPE* at, OneOperand<TYPE> given) {                          \
        return __atomic_fetch_##OPERATION(at, given.value, __ATOMIC_ACQUIRE);                  \
      })
#define DEFINE_LOGIC(CTX, NAME, TYPE, OPERATION, OP)                                         \
  UCCS_SHMEM_HOT(TYPE, CTX##NAME##_atomic_fetch_##OPERATION,                                 \
                 (UCCS_CTX_PARAMETER_##CTX TYPE * dest, TYPE value, int pe)) {               \
    return LOGIC(CTX, NAME, TYPE, fetch_##OPERATION, OPERATION, OP, true, __ATOMIC_ACQUIRE); \
  }                                                                                          \
  UCCS_SHMEM_HOT(void, CTX##NAME##_atomic_fetch_##OPERATION##_nbi,                           \
                 (UCCS_CTX_PARAMETER_##CTX TYPE * fetch, TYPE * dest, TYPE value, int pe)) { \
    LOGIC_NBI(CTX, NAME, TYPE, OPERATION, OP);                                               \
  }                                                                                          \
  UCCS_SHMEM_HOT(void, CTX##NAME##_atomic_##OPERATION,                                       \
                 (UCCS_CTX_PARAMETER_##CTX TYPE * dest, TYPE value, int pe)) {               \
    LOGIC(CTX, NAME, TYPE, OPERATION, OPERATION, OP, false, __ATOMIC_RELAXED);               \
  }
#define UCCS_LOGIC_TYPE(NAME, TYPE)                    \
  UCCS_SHMEM_BOTH(DEFINE_LOGIC, NAME, TYPE, and, kAnd) \
  UCCS_SHMEM_BOTH(DEFINE_LOGIC, NAME, TYPE, or, kOr)   \
  UCCS_SHMEM_BOTH(DEFINE_LOGIC, NAME, TYPE, xor, kXor)
#include "gen/types.def"
