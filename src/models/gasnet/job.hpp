// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include <gasnet.h>
#include <uccs/gasnet_inline.h>

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "models/gasnet/meeting.hpp"
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

/// What every EC has in memory that the others of its machine's node map. Meetings are held at the
/// first one's.
struct Board {
  Meeting meetings[kOccasions];
  alignas(64) std::atomic<int32_t> pid;  ///< 0 once this EC has come to its end
};

/// From gasnet_init on; nullptr before.
extern Board* board;        ///< of the first EC that shares memory with this one
extern Board* own_board;    ///< this EC's
Board* board_of(int node);  ///< nullptr where no memory is shared

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
