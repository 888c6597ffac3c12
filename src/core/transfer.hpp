// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include "core/region.hpp"
#include "core/thread.hpp"

namespace uccs::core {

/// Starts a put or get that the CPU cannot do. Runs of `walk` count from target.remote.
/// `leaves_source`: the source must be free on return (at most UCCS_RMA_MEDIUM_MAX contiguous
/// bytes). `epilogue`: may be nullptr. Answers as every posting call.
uccs_status_t start_transfer(Endpoint* endpoint, bool is_put, const Target& target,
                             const Walk& walk, bool leaves_source, const Epilogue* epilogue,
                             uccs_request_t* request_out);

/// Starts what is left when the bytes are there already: a signal through the link, or a message
/// that found the inbox full, which is sent later (UCCS_IN_PROGRESS).
uccs_status_t start_epilogue(Endpoint* endpoint, const Epilogue& epilogue,
                             uccs_request_t* request_out);

/// Runs the first step of a request that was just taken and decides what its call answers. With the
/// channel's lock held, which is released. `has_begun`: something has happened already, so the
/// answer is not UCCS_AGAIN.
uccs_status_t launch(Request* request, bool has_begun, uccs_request_t* request_out);

/// Starts an atomic operation, through the link unless the word is mapped; atomic.cpp.
uccs_status_t start_atomic(Endpoint* endpoint, uccs_region_t region, const void* target,
                           const net::AtomicArguments& arguments, void* result,
                           uccs_request_t* request_out);

/// One atomic operation as a part of `request`: UCCS_OK (old_value is set), UCCS_IN_PROGRESS
/// (part_done will come), UCCS_AGAIN or an error; atomic.cpp.
uccs_status_t post_atomic(Request* request, const net::Remote& target,
                          const net::AtomicArguments& arguments);

}  // namespace uccs::core
