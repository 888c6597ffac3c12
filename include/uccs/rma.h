// SPDX-License-Identifier: BSD-3-Clause
/// One-sided transfers. Include `uccs/uccs.h` in programs.
#ifndef UCCS_RMA_H
#define UCCS_RMA_H

#include "uccs/types.h"

#ifdef __cplusplus
extern "C" {
#endif

/// What holds for all calls of this file.
/// `endpoint` names the target EC (its lane does not matter), `region` and the remote address the
/// memory there (uccs_region_info_t says how). The whole range must lie in the region. A size of 0
/// does nothing; addresses are not looked at then. Local and remote ranges do not overlap.
/// Completion: a put is complete when its data is visible at the target, a get when it is visible
/// here; until then the local memory belongs to the operation. The _short and _medium puts and
/// those answered with UCCS_OK have left their source on return. Operations are not ordered among
/// each other: see uccs_fence. Returns: see request.h. UCCS_ERR_ADDRESS when the remote address is
/// in no region that the target can be reached at, or the region belongs to another EC;
/// UCCS_ERR_INVALID when a size is out of range; UCCS_ERR_PEER_FAILED when the target is gone.
/// Threads: any. Progress: runs no callbacks, does not block; legal in callbacks.
/// Cost: symmetric memory on this node is reached by loads and stores: about 30 instructions and
/// the copy, no lock, no system call, nothing allocated.

/// Copies `bytes` from `source` to `dest` at the target; chooses how.
UCCS_API UCCS_NODISCARD uccs_status_t uccs_put_contiguous_nb(uccs_endpoint_t endpoint,
                                                             uccs_region_t region, void* dest,
                                                             const void* source, size_t bytes,
                                                             uccs_request_t* request_out);
/// As uccs_put_contiguous_nb for at most UCCS_RMA_SHORT_MAX bytes; the source is free on return.
UCCS_API UCCS_NODISCARD uccs_status_t uccs_put_contiguous_short_nb(uccs_endpoint_t endpoint,
                                                                   uccs_region_t region, void* dest,
                                                                   const void* source, size_t bytes,
                                                                   uccs_request_t* request_out);
/// As uccs_put_contiguous_nb for at most UCCS_RMA_MEDIUM_MAX bytes; the source is free on return.
UCCS_API UCCS_NODISCARD uccs_status_t uccs_put_contiguous_medium_nb(uccs_endpoint_t endpoint,
                                                                    uccs_region_t region,
                                                                    void* dest, const void* source,
                                                                    size_t bytes,
                                                                    uccs_request_t* request_out);
/// As uccs_put_contiguous_nb for any size; never buffered.
UCCS_API UCCS_NODISCARD uccs_status_t uccs_put_contiguous_large_nb(uccs_endpoint_t endpoint,
                                                                   uccs_region_t region, void* dest,
                                                                   const void* source, size_t bytes,
                                                                   uccs_request_t* request_out);

/// Copies `bytes` from `source` at the target to `dest`; chooses how.
UCCS_API UCCS_NODISCARD uccs_status_t uccs_get_contiguous_nb(uccs_endpoint_t endpoint,
                                                             uccs_region_t region, void* dest,
                                                             const void* source, size_t bytes,
                                                             uccs_request_t* request_out);
/// As uccs_get_contiguous_nb for at most UCCS_RMA_SHORT_MAX bytes.
UCCS_API UCCS_NODISCARD uccs_status_t uccs_get_contiguous_short_nb(uccs_endpoint_t endpoint,
                                                                   uccs_region_t region, void* dest,
                                                                   const void* source, size_t bytes,
                                                                   uccs_request_t* request_out);
/// As uccs_get_contiguous_nb for at most UCCS_RMA_MEDIUM_MAX bytes.
UCCS_API UCCS_NODISCARD uccs_status_t uccs_get_contiguous_medium_nb(uccs_endpoint_t endpoint,
                                                                    uccs_region_t region,
                                                                    void* dest, const void* source,
                                                                    size_t bytes,
                                                                    uccs_request_t* request_out);
/// As uccs_get_contiguous_nb for any size; never buffered.
UCCS_API UCCS_NODISCARD uccs_status_t uccs_get_contiguous_large_nb(uccs_endpoint_t endpoint,
                                                                   uccs_region_t region, void* dest,
                                                                   const void* source, size_t bytes,
                                                                   uccs_request_t* request_out);

/// Packs `count` local `pieces`, in order, into contiguous memory at `dest` of the target.
/// `pieces`: may be NULL when count is 0; the list itself is free on completion too.
UCCS_API UCCS_NODISCARD uccs_status_t uccs_put_gather_nb(uccs_endpoint_t endpoint,
                                                         uccs_region_t region, void* dest,
                                                         const uccs_piece_t pieces[], size_t count,
                                                         uccs_request_t* request_out);

/// Spreads contiguous memory at `source` of the target over `count` local `pieces`, in order.
UCCS_API UCCS_NODISCARD uccs_status_t uccs_get_scatter_nb(uccs_endpoint_t endpoint,
                                                          uccs_region_t region,
                                                          const uccs_piece_t pieces[], size_t count,
                                                          const void* source,
                                                          uccs_request_t* request_out);

/// Copies a section of an array of any rank.
/// `counts`: levels + 1 numbers. counts[0] bytes are contiguous; level i (1..levels) repeats what
/// is below it counts[i] times. `dest_strides`, `source_strides`: levels numbers, in bytes, from
/// one repetition of level i + 1 to the next; may be negative or zero, NULL when levels is 0.
/// `levels`: 0..UCCS_STRIDED_LEVELS_MAX. The three arrays are free on return. Blocks of one call
/// are written in no particular order.
UCCS_API UCCS_NODISCARD uccs_status_t uccs_put_strided_nb(
    uccs_endpoint_t endpoint, uccs_region_t region, void* dest, const ptrdiff_t dest_strides[],
    const void* source, const ptrdiff_t source_strides[], const size_t counts[], size_t levels,
    uccs_request_t* request_out);
/// As uccs_put_strided_nb, from the target to here.
UCCS_API UCCS_NODISCARD uccs_status_t uccs_get_strided_nb(
    uccs_endpoint_t endpoint, uccs_region_t region, void* dest, const ptrdiff_t dest_strides[],
    const void* source, const ptrdiff_t source_strides[], const size_t counts[], size_t levels,
    uccs_request_t* request_out);

/// How a signal word is updated, atomically.
typedef enum uccs_signal_op { UCCS_SIGNAL_SET = 0, UCCS_SIGNAL_ADD = 1 } uccs_signal_op_t;

/// As uccs_put_contiguous_nb; then updates `*signal` at the target. Who sees the new value sees the
/// data. `signal_region`, `signal`: an aligned 64-bit word at the same target. `bytes` may be 0:
/// the signal is updated all the same.
UCCS_API UCCS_NODISCARD uccs_status_t
uccs_put_signal_nb(uccs_endpoint_t endpoint, uccs_region_t region, void* dest, const void* source,
                   size_t bytes, uccs_region_t signal_region, uint64_t* signal, uint64_t value,
                   uccs_signal_op_t op, uccs_request_t* request_out);

#ifdef __cplusplus
}
#endif
#endif
