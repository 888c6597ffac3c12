// SPDX-License-Identifier: BSD-3-Clause
/// Handles and limits that all parts of the interface share. Include `uccs/uccs.h` in programs.
#ifndef UCCS_TYPES_H
#define UCCS_TYPES_H

#include <stddef.h>
#include <stdint.h>

#include "uccs/status.h"

#ifdef __cplusplus
extern "C" {
#endif

/// An isolated instance of the substrate: its own inboxes, handlers, endpoints, requests.
typedef struct uccs_context* uccs_context_t;

/// The handle to a target: an EC, and optionally one lane of it.
typedef struct uccs_endpoint* uccs_endpoint_t;

/// Memory known to the substrate.
typedef struct uccs_region* uccs_region_t;

/// One non-blocking operation that is not complete yet.
typedef struct uccs_request* uccs_request_t;

/// An ordered set of ECs that call collectives together.
typedef struct uccs_group* uccs_group_t;

/// No operation. A call that completes at once writes it instead of a handle.
#define UCCS_REQUEST_NULL ((uccs_request_t)0)

/// Whatever is symmetric: the heap and the executable's globals. The quickest way to name memory.
#define UCCS_REGION_SYMMETRIC ((uccs_region_t)0)
/// The whole symmetric heap.
#define UCCS_REGION_HEAP ((uccs_region_t)2)
/// All writable globals of the executable.
#define UCCS_REGION_STATIC ((uccs_region_t)4)

/// As a target: UCCS picks the lane. As the lane of a thread: it belongs to none.
#define UCCS_LANE_ANY (-1)
/// In a receive or a probe: a message of any EC.
#define UCCS_EC_ANY (-1)

enum {
  UCCS_AM_SHORT_MAX = 56,      ///< bytes of a short active message
  UCCS_AM_HEADER_MAX = 40,     ///< bytes of the header of a medium or large one
  UCCS_AM_MEDIUM_MAX = 8192,   ///< bytes of the payload of a medium one
  UCCS_AM_IDS = 256,           ///< handler ids are 0..UCCS_AM_IDS-1
  UCCS_RMA_SHORT_MAX = 64,     ///< bytes of a short put or get
  UCCS_RMA_MEDIUM_MAX = 8192,  ///< bytes of a medium put or get
  UCCS_SEND_SHORT_MAX = 48,    ///< bytes of a short send
  UCCS_STRIDED_LEVELS_MAX = 7,
  UCCS_REGION_BLOB_MAX = 64  ///< bytes that uccs_region_export writes at most
};

/// A piece of local memory.
typedef struct uccs_piece {
  void* base;    ///< may be NULL when bytes is 0; only read from in puts and sends
  size_t bytes;  ///< may be 0
} uccs_piece_t;

#ifdef __cplusplus
}
#endif
#endif
