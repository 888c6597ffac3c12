// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include "mem/segment.hpp"
#include "uccs/status.h"

namespace uccs::core {

/// Identity, node segment and shared static data. Runs when the library is loaded into a process
/// that a launcher started (before main, while there is one thread: globals must not change while
/// they are moved), else at the first job_start. Idempotent; errors are logged.
uccs_status_t attach_memory();

/// The memory of this node's ECs; valid after attach_memory.
const mem::NodeSegment& node_segment();

/// True in a process that was forked from an EC: it has the EC's memory, but is no EC.
bool is_forked_child();

}  // namespace uccs::core
