// SPDX-License-Identifier: BSD-3-Clause
#include "models/shmem/slow.hpp"

#include "base/log.hpp"
#include "core/context.hpp"
#include "core/job.hpp"
#include "core/remote.hpp"
#include "models/shmem/waiting.hpp"
#include "uccs/rma.h"

namespace uccs::shmem {
namespace {

/// The way to PE `ec` of another node; ends the job when it is no such PE, or `symmetric` is not.
core::Endpoint* way_to(const void* symmetric, int ec, const char* call) {
  const bool is_remote = core::job.is_spread && ec >= 0 && ec < core::job.size &&
                         core::translate(symmetric, core::job.me) != nullptr;
  if (!is_remote) core::fail_translate(call, symmetric, ec);
  return core::remote_endpoint(ec);
}

[[noreturn]] void fail(const char* call, int ec, const void* symmetric, uccs_status_t status) {
  base::fatal("%s: the operation on %p of PE %d on %s failed: %s", call, symmetric, ec,
              core::host_of(ec), uccs_status_string(status));
}

/// Posts until it is taken; completes it if it gives a request.
template <class Post>
uccs_status_t complete(const char* call, const Post& post) {
  uccs_request_t request = UCCS_REQUEST_NULL;
  uccs_status_t status;
  {
    Waiting waiting(call);
    while ((status = post(&request)) == UCCS_AGAIN) waiting.pause();
  }
  if (status != UCCS_IN_PROGRESS || request == UCCS_REQUEST_NULL) return status;
  Waiting waiting(call);
  while ((status = core::look(&request)) == UCCS_IN_PROGRESS) waiting.pause();
  return status;
}

}  // namespace

void slow_put(shmem_ctx_t, void* dest, const void* source, size_t bytes, int ec, const char* call) {
  if (bytes == 0) return;
  core::Endpoint* to = way_to(dest, ec, call);
  // Short ones leave the source at once and are waited for by quiet.
  const uccs_status_t status = complete(call, [&](uccs_request_t* out) {
    return bytes <= UCCS_RMA_MEDIUM_MAX
               ? uccs_put_contiguous_medium_nb(to, UCCS_REGION_SYMMETRIC, dest, source, bytes,
                                               nullptr)
               : uccs_put_contiguous_nb(to, UCCS_REGION_SYMMETRIC, dest, source, bytes, out);
  });
  if (status < 0) fail(call, ec, dest, status);
}

void slow_get(shmem_ctx_t, void* dest, const void* source, size_t bytes, int ec, const char* call) {
  if (bytes == 0) return;
  core::Endpoint* from = way_to(source, ec, call);
  const uccs_status_t status = complete(call, [&](uccs_request_t* out) {
    return uccs_get_contiguous_nb(from, UCCS_REGION_SYMMETRIC, dest, source, bytes, out);
  });
  if (status < 0) fail(call, ec, source, status);
}

uint64_t slow_atomic(shmem_ctx_t, base::AtomicOp op, base::AtomicType type, const void* symmetric,
                     uint64_t operand, uint64_t expected, bool is_fetching, int ec,
                     const char* call) {
  (void)way_to(symmetric, ec, call);
  uint64_t old = 0;
  const uccs_status_t status = complete(call, [&](uccs_request_t* out) {
    return core::remote_atomic(ec, op, type, symmetric, operand, expected,
                               is_fetching ? &old : nullptr, is_fetching ? out : nullptr);
  });
  if (status < 0) fail(call, ec, symmetric, status);
  return old;
}

void slow_put_blocks(shmem_ctx_t ctx, void* dest, const void* source, const Blocks& blocks,
                     size_t element, int ec, const char* call) {
  const auto bytes = static_cast<ptrdiff_t>(element);
  auto* to = static_cast<std::byte*>(dest);
  auto* from = static_cast<const std::byte*>(source);
  for (size_t i = 0; i < blocks.blocks; ++i) {
    slow_put(ctx, to, from, blocks.block * element, ec, call);
    to += blocks.dest_stride * bytes;
    from += blocks.source_stride * bytes;
  }
}

void slow_get_blocks(shmem_ctx_t ctx, void* dest, const void* source, const Blocks& blocks,
                     size_t element, int ec, const char* call) {
  const auto bytes = static_cast<ptrdiff_t>(element);
  auto* to = static_cast<std::byte*>(dest);
  auto* from = static_cast<const std::byte*>(source);
  for (size_t i = 0; i < blocks.blocks; ++i) {
    slow_get(ctx, to, from, blocks.block * element, ec, call);
    to += blocks.dest_stride * bytes;
    from += blocks.source_stride * bytes;
  }
}

void quiet_network() {
  if (core::Context* const context = core::job_context()) (void)uccs_context_flush(context);
}

}  // namespace uccs::shmem
