// SPDX-License-Identifier: BSD-3-Clause
/// Operations with a handle. They are done when they return, as those with _nbi are, so the handle
/// says so.
#include <shmemx.h>

#include "models/shmem/atomics.hpp"
#include "models/shmem/order.hpp"
#include "models/shmem/rma.hpp"

using namespace uccs::shmem;

namespace {

[[gnu::always_inline]] inline void complete(shmemx_request_handle_t* desc) {
  if (desc != nullptr) *desc = SHMEMX_REQUEST_NULL;
}

}  // namespace

#define DEFINE_COPIES(CTX, BEFORE, TYPE, AFTER, PUT, GET)                                       \
  UCCS_SHMEMX(void, CTX##BEFORE##put##AFTER##_nb,                                               \
              (UCCS_CTX_PARAMETER_##CTX TYPE * dest, const TYPE* source, size_t nelems, int pe, \
               shmemx_request_handle_t* desc)) {                                                \
    PUT(UCCS_CTX_##CTX, dest, source, nelems, pe, "shmemx_" #CTX #BEFORE "put" #AFTER "_nb");   \
    complete(desc);                                                                             \
  }                                                                                             \
  UCCS_SHMEMX(void, CTX##BEFORE##get##AFTER##_nb,                                               \
              (UCCS_CTX_PARAMETER_##CTX TYPE * dest, const TYPE* source, size_t nelems, int pe, \
               shmemx_request_handle_t* desc)) {                                                \
    GET(UCCS_CTX_##CTX, dest, source, nelems, pe, "shmemx_" #CTX #BEFORE "get" #AFTER "_nb");   \
    complete(desc);                                                                             \
  }
#define UCCS_RMA_TYPE(NAME, TYPE) \
  UCCS_SHMEM_BOTH(DEFINE_COPIES, NAME##_, TYPE, , put<sizeof(TYPE)>, get<sizeof(TYPE)>)
#define UCCS_SIZE(BITS) UCCS_SHMEM_BOTH(DEFINE_COPIES, , void, BITS, put<BITS / 8>, get<BITS / 8>)

#define DEFINE_SWAPS(CTX, NAME, TYPE)                                                         \
  UCCS_SHMEMX(void, CTX##NAME##_fetch_nb,                                                     \
              (UCCS_CTX_PARAMETER_##CTX TYPE * fetch, const TYPE* target, int pe,             \
               shmemx_request_handle_t* desc)) {                                              \
    *fetch = atomic_fetch(UCCS_CTX_##CTX, target, pe, "shmemx_" #CTX #NAME "_fetch_nb");      \
    complete(desc);                                                                           \
  }                                                                                           \
  UCCS_SHMEMX(void, CTX##NAME##_swap_nb,                                                      \
              (UCCS_CTX_PARAMETER_##CTX TYPE * fetch, TYPE * target, TYPE value, int pe,      \
               shmemx_request_handle_t* desc)) {                                              \
    *fetch = atomic_swap(UCCS_CTX_##CTX, target, value, pe, "shmemx_" #CTX #NAME "_swap_nb"); \
    complete(desc);                                                                           \
  }
#define UCCS_SWAP_TYPE(NAME, TYPE) UCCS_SHMEM_BOTH(DEFINE_SWAPS, NAME, TYPE)

#define DEFINE_ADDS(CTX, NAME, TYPE)                                                               \
  UCCS_SHMEMX(void, CTX##NAME##_cswap_nb,                                                          \
              (UCCS_CTX_PARAMETER_##CTX TYPE * fetch, TYPE * target, TYPE cond, TYPE value,        \
               int pe, shmemx_request_handle_t* desc)) {                                           \
    *fetch = atomic_compare_swap(UCCS_CTX_##CTX, target, cond, value, pe,                          \
                                 "shmemx_" #CTX #NAME "_cswap_nb");                                \
    complete(desc);                                                                                \
  }                                                                                                \
  UCCS_SHMEMX(void, CTX##NAME##_fadd_nb,                                                           \
              (UCCS_CTX_PARAMETER_##CTX TYPE * fetch, TYPE * target, TYPE value, int pe,           \
               shmemx_request_handle_t* desc)) {                                                   \
    *fetch = atomic_fetch_add(UCCS_CTX_##CTX, target, value, pe, "shmemx_" #CTX #NAME "_fadd_nb"); \
    complete(desc);                                                                                \
  }                                                                                                \
  UCCS_SHMEMX(void, CTX##NAME##_finc_nb,                                                           \
              (UCCS_CTX_PARAMETER_##CTX TYPE * fetch, TYPE * target, int pe,                       \
               shmemx_request_handle_t* desc)) {                                                   \
    *fetch = atomic_fetch_add(UCCS_CTX_##CTX, target, static_cast<TYPE>(1), pe,                    \
                              "shmemx_" #CTX #NAME "_finc_nb");                                    \
    complete(desc);                                                                                \
  }                                                                                                \
  UCCS_SHMEMX(void, CTX##NAME##_add_nb,                                                            \
              (UCCS_CTX_PARAMETER_##CTX TYPE * target, TYPE value, int pe,                         \
               shmemx_request_handle_t* desc)) {                                                   \
    atomic_add(UCCS_CTX_##CTX, target, value, pe, "shmemx_" #CTX #NAME "_add_nb");                 \
    complete(desc);                                                                                \
  }                                                                                                \
  UCCS_SHMEMX(void, CTX##NAME##_inc_nb,                                                            \
              (UCCS_CTX_PARAMETER_##CTX TYPE * target, int pe, shmemx_request_handle_t* desc)) {   \
    atomic_add(UCCS_CTX_##CTX, target, static_cast<TYPE>(1), pe, "shmemx_" #CTX #NAME "_inc_nb");  \
    complete(desc);                                                                                \
  }
#define UCCS_AMO_TYPE(NAME, TYPE) UCCS_SHMEM_BOTH(DEFINE_ADDS, NAME, TYPE)
#include "gen/types.def"
UCCS_SHMEM_BOTH(DEFINE_COPIES, , void, mem, put_bytes, get_bytes)

// What is left of an operation is what the CPU's store buffer holds.
UCCS_SHMEMX(void, wait_req, (shmemx_request_handle_t)) { quiet_everywhere(); }
UCCS_SHMEMX(void, test_req, (shmemx_request_handle_t, int* flag)) {
  quiet_everywhere();
  *flag = 1;
}
