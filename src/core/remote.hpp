// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include "core/request.hpp"

namespace uccs::core {

/// The job context's endpoint to an EC of another node, made at first use and kept. Ends the job
/// when there is no way to it. Threads: any.
Endpoint* remote_endpoint(int ec);

/// An atomic operation on symmetric memory of EC `ec`, which is on another node. Answers as every
/// posting call. `result_out`: the old value in its low bytes, may be nullptr.
uccs_status_t remote_atomic(int ec, base::AtomicOp op, base::AtomicType type, const void* symmetric,
                            uint64_t operand, uint64_t expected, uint64_t* result_out,
                            uccs_request_t* request_out);

/// Writes a word of symmetric memory of EC `ec`, which is on another node: at once, and whole. No
/// flush waits for it, only who reads it there. UCCS_AGAIN: not now.
uccs_status_t remote_store(int ec, void* symmetric, uint64_t value);

/// The name of the host of EC `ec`, for messages.
const char* host_of(int ec);

/// Why there is no job context where the job spans nodes.
const char* why_no_network();

/// From now on connections that break are no failure: the job has come to its end, and processes
/// leave without closing their contexts.
void expect_departures();

/// Forgets all of them; their context frees them.
void forget_remote_endpoints();

}  // namespace uccs::core
