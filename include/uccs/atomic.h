// SPDX-License-Identifier: BSD-3-Clause
/// Remote atomic operations. Include `uccs/uccs.h` in programs.
#ifndef UCCS_ATOMIC_H
#define UCCS_ATOMIC_H

#include "uccs/types.h"

#ifdef __cplusplus
extern "C" {
#endif

/// The element types: X(suffix, C type). All calls of this file, and what implements them, come
/// from these two lists and the list of operations below.
#define UCCS_ATOMIC_INTEGER_TYPES(X) \
  X(int32, int32_t) X(int64, int64_t) X(uint32, uint32_t) X(uint64, uint64_t)
#define UCCS_ATOMIC_FLOAT_TYPES(X) X(float, float) X(double, double)

/// The operations on one type: UPDATE(name, ...) take an operand, COUNT none, FETCH give the old
/// value too, READ gives the value, COUNT_FETCH takes none and gives the old value, SWAP_IF
/// compares first.
///
///     set    *target = operand                  swap   the same, and the old value
///     add    *target += operand                 fadd   the same, and the old value
///     inc    *target += 1                       finc   the same, and the old value
///     and, or, xor  *target op= operand         fand, for, fxor   the same, and the old value
///     fetch  the value                          cswap  *target = operand if it is `expected`;
///                                                      the old value in any case
#define UCCS_ATOMIC_FLOAT_OPERATIONS(UPDATE, FETCH, READ, name, type) \
  UPDATE(set, name, type)                                             \
  UPDATE(add, name, type)                                             \
  FETCH(swap, name, type) FETCH(fadd, name, type) READ(fetch, name, type)
#define UCCS_ATOMIC_INTEGER_OPERATIONS(UPDATE, COUNT, FETCH, READ, COUNT_FETCH, SWAP_IF, name, \
                                       type)                                                   \
  UCCS_ATOMIC_FLOAT_OPERATIONS(UPDATE, FETCH, READ, name, type)                                \
  UPDATE(and, name, type)                                                                      \
  UPDATE(or, name, type)                                                                       \
  UPDATE(xor, name, type)                                                                      \
  FETCH(fand, name, type)                                                                      \
  FETCH(for, name, type)                                                                       \
  FETCH(fxor, name, type)                                                                      \
  COUNT(inc, name, type) COUNT_FETCH(finc, name, type) SWAP_IF(cswap, name, type)

/// uccs_atomic_<operation>_<type>_nb: applies the operation to the naturally aligned `*target` at
/// the endpoint's EC.
/// `region`, `target`: the remote word (uccs_region_info_t says how it is named).
/// `operand`, `expected`: of the element's type. `result_out`: local, receives the old value; not
/// NULL. Completion: the update is visible at the target, and *result_out is written. Atomic with
/// respect to all calls of this file on the same word, from any EC and by any path, and, in memory
/// of this node, to the CPU's own atomics. Ordered with nothing else. Returns: as the calls of
/// rma.h. Threads: any. Progress: runs no callbacks, does not block; legal in callbacks. Cost:
/// about 30 instructions, one of them atomic, for symmetric memory on this node.
#define UCCS_ATOMIC_DECLARE_UPDATE(op, name, type)                                \
  UCCS_API UCCS_NODISCARD uccs_status_t uccs_atomic_##op##_##name##_nb(           \
      uccs_endpoint_t endpoint, uccs_region_t region, type* target, type operand, \
      uccs_request_t* request_out);
#define UCCS_ATOMIC_DECLARE_COUNT(op, name, type)                       \
  UCCS_API UCCS_NODISCARD uccs_status_t uccs_atomic_##op##_##name##_nb( \
      uccs_endpoint_t endpoint, uccs_region_t region, type* target, uccs_request_t* request_out);
#define UCCS_ATOMIC_DECLARE_FETCH(op, name, type)                                 \
  UCCS_API UCCS_NODISCARD uccs_status_t uccs_atomic_##op##_##name##_nb(           \
      uccs_endpoint_t endpoint, uccs_region_t region, type* target, type operand, \
      type* result_out, uccs_request_t* request_out);
#define UCCS_ATOMIC_DECLARE_READ(op, name, type)                                      \
  UCCS_API UCCS_NODISCARD uccs_status_t uccs_atomic_##op##_##name##_nb(               \
      uccs_endpoint_t endpoint, uccs_region_t region, type* target, type* result_out, \
      uccs_request_t* request_out);
#define UCCS_ATOMIC_DECLARE_SWAP_IF(op, name, type)                                              \
  UCCS_API UCCS_NODISCARD uccs_status_t uccs_atomic_##op##_##name##_nb(                          \
      uccs_endpoint_t endpoint, uccs_region_t region, type* target, type expected, type operand, \
      type* result_out, uccs_request_t* request_out);

#define UCCS_ATOMIC_DECLARE_INTEGER(name, type)                                         \
  UCCS_ATOMIC_INTEGER_OPERATIONS(                                                       \
      UCCS_ATOMIC_DECLARE_UPDATE, UCCS_ATOMIC_DECLARE_COUNT, UCCS_ATOMIC_DECLARE_FETCH, \
      UCCS_ATOMIC_DECLARE_READ, UCCS_ATOMIC_DECLARE_READ, UCCS_ATOMIC_DECLARE_SWAP_IF, name, type)
#define UCCS_ATOMIC_DECLARE_FLOAT(name, type)                                         \
  UCCS_ATOMIC_FLOAT_OPERATIONS(UCCS_ATOMIC_DECLARE_UPDATE, UCCS_ATOMIC_DECLARE_FETCH, \
                               UCCS_ATOMIC_DECLARE_READ, name, type)

UCCS_ATOMIC_INTEGER_TYPES(UCCS_ATOMIC_DECLARE_INTEGER)
UCCS_ATOMIC_FLOAT_TYPES(UCCS_ATOMIC_DECLARE_FLOAT)

#ifdef __cplusplus
}
#endif
#endif
