// SPDX-License-Identifier: BSD-3-Clause
/// Memory that peers can reach. Include `uccs/uccs.h` in programs.
#ifndef UCCS_REGION_H
#define UCCS_REGION_H

#include "uccs/types.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Remote memory is named by a region and an address, which is
///   - in symmetric memory (UCCS_REGION_SYMMETRIC, _HEAP, _STATIC, uccs_region_alloc): the address
///   at
///     which the *caller* sees its own copy, as in OpenSHMEM;
///   - in a region imported from its owner: the address at which the *owner* sees it, between
///     uccs_region_info_t::base and base + bytes.
typedef struct uccs_region_info {
  void* base;        ///< lowest address, as above
  size_t bytes;      ///< extent
  int owner;         ///< EC whose memory it is; UCCS_EC_ANY: every EC has a copy (symmetric)
  int is_symmetric;  ///< 1 when every EC has a copy at the same place
} uccs_region_info_t;

/// Takes `bytes` from the symmetric heap of every EC.
/// `bytes`: 1 or more. `alignment`: a power of two, or 0 for 64. `region_out`: the region; its
/// address by uccs_region_query. Its contents are undefined. Returns UCCS_OK, UCCS_ERR_INVALID, or
/// UCCS_ERR_NO_MEMORY (which is logged with the sizes). Collective over the job: same order and
/// arguments everywhere; does not synchronise, so call uccs_barrier before peers write to it.
/// Threads: one per EC at a time.
UCCS_API UCCS_NODISCARD uccs_status_t uccs_region_alloc(uccs_context_t context, size_t bytes,
                                                        size_t alignment,
                                                        uccs_region_t* region_out);

/// Makes private memory of the caller known, so that peers who import the region can reach it.
/// `base`: first byte, not NULL. `bytes`: 1 or more. The memory stays allocated while the region
/// lives. Returns UCCS_OK, UCCS_ERR_INVALID, UCCS_ERR_NO_MEMORY. Local. Threads: any.
UCCS_API UCCS_NODISCARD uccs_status_t uccs_region_register(uccs_context_t context, void* base,
                                                           size_t bytes, uccs_region_t* region_out);

/// Gives a region back: the heap memory of one from uccs_region_alloc, the handle of any other.
/// `region`: may be a predefined one (nothing happens). No operation on it is under way.
/// Returns UCCS_OK. Collective over the job for regions from uccs_region_alloc (same order), after
/// a barrier that follows their last use; local for others. Threads: any.
UCCS_API uccs_status_t uccs_region_release(uccs_region_t region);

/// Writes what a peer needs to import `region`, to be sent by any means.
/// `blob_out`: `capacity` bytes, UCCS_REGION_BLOB_MAX suffice. `bytes_out`: how many were written.
/// Returns UCCS_OK; UCCS_ERR_INVALID for predefined regions and small buffers. Threads: any.
UCCS_API UCCS_NODISCARD uccs_status_t uccs_region_export(uccs_region_t region, void* blob_out,
                                                         size_t capacity, size_t* bytes_out);

/// Makes the handle to another EC's region.
/// `blob`, `bytes`: what uccs_region_export wrote; checked, so foreign bytes are refused.
/// `region_out`: for operations on endpoints of the owner; release it before the owner's memory
/// goes. Returns UCCS_OK, UCCS_ERR_INVALID, UCCS_ERR_NO_MEMORY. Local. Threads: any.
UCCS_API UCCS_NODISCARD uccs_status_t uccs_region_import(uccs_context_t context, const void* blob,
                                                         size_t bytes, uccs_region_t* region_out);

/// Describes a region, predefined ones included.
/// Returns UCCS_OK, or UCCS_ERR_INVALID when info_out is NULL. Threads: any.
UCCS_API UCCS_NODISCARD uccs_status_t uccs_region_query(uccs_region_t region,
                                                        uccs_region_info_t* info_out);

/// Where this process reaches `address` of `region` at the endpoint's EC by plain loads and stores.
/// Returns NULL when it cannot: the EC is on another node, the memory is private to its owner, or
/// the address is outside of the region. Valid while the region is. Threads: any.
/// Cost: about 15 instructions.
UCCS_API void* uccs_region_pointer(uccs_endpoint_t endpoint, uccs_region_t region,
                                   const void* address);

#ifdef __cplusplus
}
#endif
#endif
