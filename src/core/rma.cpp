// SPDX-License-Identifier: BSD-3-Clause
/// Contiguous puts and gets, gather and scatter, put with signal.
#include "uccs/rma.h"

#include <atomic>

#include "core/burst.hpp"
#include "core/transfer.hpp"
#include "mem/copy.hpp"

namespace uccs::core {
namespace {

enum class Size { kShort, kMedium, kAny };

constexpr size_t limit_of(Size size) {
  return size == Size::kShort    ? size_t{UCCS_RMA_SHORT_MAX}
         : size == Size::kMedium ? size_t{UCCS_RMA_MEDIUM_MAX}
                                 : SIZE_MAX;
}

/// One store for the sizes of a word: what most puts and gets of irregular programs are.
[[gnu::always_inline]] inline void copy(void* dest, const void* source, size_t bytes) {
  if (bytes == 8) [[likely]] {
    memcpy(dest, source, 8);
  } else if (bytes > 0) {  // addresses may be null when there is nothing to copy
    mem::copy(dest, source, bytes);
  }
}

/// Of models: those who quiet or fence flush the job's context, so no request has to follow it.
uccs_status_t put_to_be_flushed(Endpoint* endpoint, const net::Remote& dest, const void* source,
                                size_t bytes) {
  if (Pack* const pack = pack_for(endpoint->context)) {
    const WireAddress there = wire_address(dest.area, dest.offset);
    const uccs_status_t status = pack->put(endpoint->ec, there, source, bytes);
    if (status != UCCS_ERR_UNSUPPORTED) return answer_packed(endpoint->context, status);
  }
  Channel* channel = this_thread(endpoint->context).channel;
  if (!channel->lock.try_lock()) return UCCS_AGAIN;
  const uccs_status_t status = endpoint->link->table->put(
      channel->paths[endpoint->link_index], endpoint->ec, dest, source, bytes, nullptr);
  channel->lock.unlock();
  return status;
}

/// What is not mapped symmetric memory. Not inlined: the path above it stays short.
[[gnu::noinline]] uccs_status_t slow_put(Endpoint* endpoint, uccs_region_t region, void* dest,
                                         const void* source, size_t bytes, bool leaves_source,
                                         uccs_request_t* request_out) {
  if (bytes == 0) return answer_done(request_out);
  Target target;
  const uccs_status_t found = resolve(endpoint, region, dest, bytes, &target);
  if (found != UCCS_OK) return found;
  if (target.mapped) {
    mem::copy(target.mapped, source, bytes);
    return answer_done(request_out);
  }
  const net::Capabilities& limits = endpoint->link->limits;
  if (!request_out && endpoint->context->is_of_job && limits.has_flushed_puts &&
      bytes <= limits.inject_max && target.remote.area != net::Area::kRegistered) {
    const uccs_status_t status = put_to_be_flushed(endpoint, target.remote, source, bytes);
    if (status != UCCS_ERR_UNSUPPORTED) return status;
  }
  // The walk reads from the source only.
  const Walk walk = Walk::contiguous(const_cast<void*>(source), 0, bytes);
  return start_transfer(endpoint, true, target, walk, leaves_source, nullptr, request_out);
}

[[gnu::noinline]] uccs_status_t slow_get(Endpoint* endpoint, uccs_region_t region, void* dest,
                                         const void* source, size_t bytes,
                                         uccs_request_t* request_out) {
  if (bytes == 0) return answer_done(request_out);
  Target target;
  const uccs_status_t found = resolve(endpoint, region, source, bytes, &target);
  if (found != UCCS_OK) return found;
  if (target.mapped) {
    mem::copy(dest, target.mapped, bytes);
    return answer_done(request_out);
  }
  const Walk walk = Walk::contiguous(dest, 0, bytes);
  return start_transfer(endpoint, false, target, walk, false, nullptr, request_out);
}

template <Size kSize>
[[gnu::always_inline]] inline uccs_status_t put(Endpoint* endpoint, uccs_region_t region,
                                                void* dest, const void* source, size_t bytes,
                                                uccs_request_t* request_out) {
  if (bytes > limit_of(kSize)) return UCCS_ERR_INVALID;
  if (void* at = direct(endpoint, region, dest)) [[likely]] {
    copy(at, source, bytes);
    return answer_done(request_out);
  }
  return slow_put(endpoint, region, dest, source, bytes, kSize != Size::kAny, request_out);
}

template <Size kSize>
[[gnu::always_inline]] inline uccs_status_t get(Endpoint* endpoint, uccs_region_t region,
                                                void* dest, const void* source, size_t bytes,
                                                uccs_request_t* request_out) {
  if (bytes > limit_of(kSize)) return UCCS_ERR_INVALID;
  if (const void* at = direct(endpoint, region, source)) [[likely]] {
    copy(dest, at, bytes);
    return answer_done(request_out);
  }
  return slow_get(endpoint, region, dest, source, bytes, request_out);
}

/// Moves the runs of `walk` between local memory and `mapped`.
void copy_runs(Walk walk, std::byte* mapped, bool is_put) {
  for (Run run; walk.next(&run);) {
    if (is_put) {
      mem::copy(mapped + run.remote, run.local, run.bytes);
    } else {
      mem::copy(run.local, mapped + run.remote, run.bytes);
    }
  }
}

size_t sum_of(const uccs_piece_t pieces[], size_t count) {
  size_t sum = 0;
  for (size_t i = 0; i < count; ++i) sum += pieces[i].bytes;
  return sum;
}

uccs_status_t move_list(Endpoint* endpoint, bool is_put, uccs_region_t region, const void* remote,
                        const uccs_piece_t pieces[], size_t count, uccs_request_t* request_out) {
  if (!pieces && count > 0) return UCCS_ERR_INVALID;
  const size_t bytes = sum_of(pieces, count);
  if (bytes == 0) return answer_done(request_out);
  Target target;
  const uccs_status_t found = resolve(endpoint, region, remote, bytes, &target);
  if (found != UCCS_OK) return found;
  const Walk walk = Walk::list(pieces, count, 0);
  if (!target.mapped)
    return start_transfer(endpoint, is_put, target, walk, false, nullptr, request_out);
  copy_runs(walk, target.mapped, is_put);
  return answer_done(request_out);
}

/// Release: who sees the new value of the signal sees the data before it.
void signal(void* word, uint64_t value, uccs_signal_op_t op) {
  std::atomic_ref<uint64_t> target(*static_cast<uint64_t*>(word));
  if (op == UCCS_SIGNAL_SET) {
    target.store(value, std::memory_order_release);
  } else {
    target.fetch_add(value, std::memory_order_release);
  }
}

}  // namespace
}  // namespace uccs::core

extern "C" {

using namespace uccs::core;

uccs_status_t uccs_put_contiguous_nb(uccs_endpoint_t endpoint, uccs_region_t region, void* dest,
                                     const void* source, size_t bytes,
                                     uccs_request_t* request_out) {
  return put<Size::kAny>(endpoint, region, dest, source, bytes, request_out);
}
uccs_status_t uccs_put_contiguous_short_nb(uccs_endpoint_t endpoint, uccs_region_t region,
                                           void* dest, const void* source, size_t bytes,
                                           uccs_request_t* request_out) {
  return put<Size::kShort>(endpoint, region, dest, source, bytes, request_out);
}
uccs_status_t uccs_put_contiguous_medium_nb(uccs_endpoint_t endpoint, uccs_region_t region,
                                            void* dest, const void* source, size_t bytes,
                                            uccs_request_t* request_out) {
  return put<Size::kMedium>(endpoint, region, dest, source, bytes, request_out);
}
uccs_status_t uccs_put_contiguous_large_nb(uccs_endpoint_t endpoint, uccs_region_t region,
                                           void* dest, const void* source, size_t bytes,
                                           uccs_request_t* request_out) {
  return put<Size::kAny>(endpoint, region, dest, source, bytes, request_out);
}

uccs_status_t uccs_get_contiguous_nb(uccs_endpoint_t endpoint, uccs_region_t region, void* dest,
                                     const void* source, size_t bytes,
                                     uccs_request_t* request_out) {
  return get<Size::kAny>(endpoint, region, dest, source, bytes, request_out);
}
uccs_status_t uccs_get_contiguous_short_nb(uccs_endpoint_t endpoint, uccs_region_t region,
                                           void* dest, const void* source, size_t bytes,
                                           uccs_request_t* request_out) {
  return get<Size::kShort>(endpoint, region, dest, source, bytes, request_out);
}
uccs_status_t uccs_get_contiguous_medium_nb(uccs_endpoint_t endpoint, uccs_region_t region,
                                            void* dest, const void* source, size_t bytes,
                                            uccs_request_t* request_out) {
  return get<Size::kMedium>(endpoint, region, dest, source, bytes, request_out);
}
uccs_status_t uccs_get_contiguous_large_nb(uccs_endpoint_t endpoint, uccs_region_t region,
                                           void* dest, const void* source, size_t bytes,
                                           uccs_request_t* request_out) {
  return get<Size::kAny>(endpoint, region, dest, source, bytes, request_out);
}

uccs_status_t uccs_put_gather_nb(uccs_endpoint_t endpoint, uccs_region_t region, void* dest,
                                 const uccs_piece_t pieces[], size_t count,
                                 uccs_request_t* request_out) {
  return move_list(endpoint, true, region, dest, pieces, count, request_out);
}
uccs_status_t uccs_get_scatter_nb(uccs_endpoint_t endpoint, uccs_region_t region,
                                  const uccs_piece_t pieces[], size_t count, const void* source,
                                  uccs_request_t* request_out) {
  return move_list(endpoint, false, region, source, pieces, count, request_out);
}

uccs_status_t uccs_put_signal_nb(uccs_endpoint_t endpoint, uccs_region_t region, void* dest,
                                 const void* source, size_t bytes, uccs_region_t signal_region,
                                 uint64_t* word, uint64_t value, uccs_signal_op_t op,
                                 uccs_request_t* request_out) {
  if (op != UCCS_SIGNAL_SET && op != UCCS_SIGNAL_ADD) return UCCS_ERR_INVALID;
  Target data = {}, flag;
  uccs_status_t found = resolve(endpoint, signal_region, word, sizeof *word, &flag);
  if (found == UCCS_OK && bytes > 0) found = resolve(endpoint, region, dest, bytes, &data);
  if (found != UCCS_OK) return found;
  const bool is_there = bytes == 0 || data.mapped;
  if (is_there && flag.mapped) {
    if (bytes > 0) copy(data.mapped, source, bytes);
    signal(flag.mapped, value, op);
    return answer_done(request_out);
  }
  const auto kind = op == UCCS_SIGNAL_SET ? uccs::base::AtomicOp::kSet : uccs::base::AtomicOp::kAdd;
  Epilogue epilogue = {};
  epilogue.kind = Epilogue::Kind::kSignal;
  epilogue.target = flag.remote;
  epilogue.mapped_target = flag.mapped;
  epilogue.arguments = {kind, uccs::base::AtomicType::kUint64, value, 0};
  if (is_there) {
    if (bytes > 0) uccs::mem::copy(data.mapped, source, bytes);
    return start_epilogue(endpoint, epilogue, request_out);
  }
  const Walk walk = Walk::contiguous(const_cast<void*>(source), 0, bytes);
  return start_transfer(endpoint, true, data, walk, false, &epilogue, request_out);
}

}  // extern "C"
