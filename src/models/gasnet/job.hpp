// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include <gasnet.h>
#include <uccs/gasnet_inline.h>

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "uccs/uccs.h"

namespace uccs::gasnet {

/// What gasnet_attach made; constant afterwards. All zero before: there are no nodes to reach.
struct Attached {
  uccs_gasnet_map_t map = {};
  bool is_everything = false;  ///< all memory of peers is reached
  uccs_context_t context = nullptr;
  uccs_endpoint_t* endpoints = nullptr;
  gasnet_seginfo_t* segments = nullptr;
  uccs_region_t* regions = nullptr;  ///< by node: all of its memory; nullptr unless is_everything
};
extern Attached attached;

/// Shared by all nodes in the memory of node 0, but for `pid`, which each has of its own.
struct Board {
  /// Barriers, by parity of their number: bits 0-29 how many have come, bit 30: somebody named it,
  /// bit 31: mismatch, bits 32-63: the name. The last to come clears it before it tells.
  struct alignas(64) Arrivals {
    std::atomic<uint64_t> word;
  } arrivals[2];
  alignas(64) std::atomic<uint64_t> result;  ///< the last complete barrier << 1 | mismatch
  alignas(64) std::atomic<uint32_t> exits;   ///< nodes that have come to their end
  alignas(64) std::atomic<int32_t> pid;
};

/// From gasnet_init on; nullptr before.
extern Board* board;      ///< node 0's
extern Board* own_board;  ///< this node's
Board* board_of(int node);

/// Whether gasnet_init has been called.
bool is_started();

/// Sees to the implicit end of a process that returns from main.
void watch_exit();

/// Logs what is wrong with a core call and returns `error`. `format` names no call.
[[gnu::cold, gnu::format(printf, 3, 4)]] int refuse(int error, const char* call, const char* format,
                                                    ...);

/// Why a core call cannot be served before gasnet_attach.
[[gnu::cold]] int refuse_unattached(const char* call);

/// Gives every handler id of the context to the functions of `table`. Chooses indices for those
/// that have none. GASNET_OK, or GASNET_ERR_BAD_ARG (logged).
int register_handlers(uccs_context_t context, gasnet_handlerentry_t* table, int count);

}  // namespace uccs::gasnet
