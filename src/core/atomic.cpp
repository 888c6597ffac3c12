// SPDX-License-Identifier: BSD-3-Clause
/// Remote atomics. All typed calls come from the lists in atomic.h: the CPU's own atomic where the
/// word is mapped, else a request.
#include "uccs/atomic.h"

#include <bit>

#include "core/burst.hpp"
#include "core/post.hpp"
#include "core/transfer.hpp"

namespace uccs::core {
namespace {

using base::AtomicOp;

Step advance_atomic(Request* request) {
  PendingAtomic& atomic = request->atomic;
  Step step = Step::kIdle;
  if (!atomic.is_posted) {
    const uccs_status_t status = post_atomic(request, atomic.target, atomic.arguments);
    if (status == UCCS_AGAIN) return Step::kIdle;
    atomic.is_posted = true;
    request->status = status < 0 ? status : UCCS_OK;
    step = Step::kMoved;
  }
  // Acquire: pairs with part_done; old_value is there.
  if (request->outstanding.load(std::memory_order_acquire) > 0) return step;
  if (request->status == UCCS_OK)
    request->status =
        static_cast<uccs_status_t>(request->part_error.load(std::memory_order_relaxed));
  if (request->status == UCCS_OK && atomic.result)
    memcpy(atomic.result, &request->old_value, base::atomic_size(atomic.arguments.type));
  return Step::kOver;
}

template <typename T>
uint64_t to_bits(T value) {
  uint64_t bits = 0;
  memcpy(&bits, &value, sizeof value);
  return bits;
}

template <AtomicOp kOp, typename T>
[[gnu::always_inline]] inline uccs_status_t post(Endpoint* endpoint, uccs_region_t region,
                                                 T* target, T operand, T expected, T* result,
                                                 uccs_request_t* request_out) {
  if (void* at = direct(endpoint, region, target)) [[likely]] {
    const T old = base::atomic_apply<kOp>(static_cast<T*>(at), operand, expected);
    if (result) *result = old;
    return answer_done(request_out);
  }
  return start_atomic(endpoint, region, target,
                      {kOp, base::atomic_type_of<T>(), to_bits(operand), to_bits(expected)}, result,
                      request_out);
}

// The operation that each name of atomic.h stands for.
constexpr AtomicOp k_set = AtomicOp::kSet, k_swap = AtomicOp::kSet, k_add = AtomicOp::kAdd,
                   k_fadd = AtomicOp::kAdd, k_inc = AtomicOp::kAdd, k_finc = AtomicOp::kAdd,
                   k_and = AtomicOp::kAnd, k_fand = AtomicOp::kAnd, k_or = AtomicOp::kOr,
                   k_for = AtomicOp::kOr, k_xor = AtomicOp::kXor, k_fxor = AtomicOp::kXor,
                   k_fetch = AtomicOp::kFetch, k_cswap = AtomicOp::kCompareSwap;

}  // namespace

/// Not inlined: the mapped path below stays short.
[[gnu::noinline]] uccs_status_t start_atomic(Endpoint* endpoint, uccs_region_t region,
                                             const void* target,
                                             const net::AtomicArguments& arguments, void* result,
                                             uccs_request_t* request_out) {
  const size_t bytes = base::atomic_size(arguments.type);
  Target where;
  const uccs_status_t found = resolve(endpoint, region, target, bytes, &where);
  if (found != UCCS_OK) return found;
  if (where.mapped) {
    const uint64_t old = base::atomic_apply_any(arguments.op, arguments.type, where.mapped,
                                                arguments.operand, arguments.expected);
    if (result) memcpy(result, &old, bytes);
    return answer_done(request_out);
  }
  Context* context = endpoint->context;
  if (Pack* const pack = request_out ? nullptr : pack_for(context)) {
    const WireAddress there = wire_address(where.remote.area, where.remote.offset);
    const uccs_status_t status = pack->atomic(endpoint->ec, arguments, there, result);
    if (status != UCCS_ERR_UNSUPPORTED) return answer_packed(context, status);
  }
  ThreadSlot& thread = this_thread(context);
  if (!thread.channel->lock.try_lock()) return UCCS_AGAIN;
  Request* request = take_request(context, thread, endpoint, request_out == nullptr);
  if (!request) {
    thread.channel->lock.unlock();
    return UCCS_AGAIN;
  }
  request->atomic = {where.remote, arguments, result, false};
  request->advance = advance_atomic;
  return launch(request, false, request_out);
}

uccs_status_t post_atomic(Request* request, const net::Remote& target,
                          const net::AtomicArguments& arguments) {
  Endpoint* endpoint = request->endpoint;
  const net::Transport* table = endpoint->link->table;
  net::Channel* path = request->home->paths[endpoint->link_index];
  request->outstanding.fetch_add(1, std::memory_order_relaxed);
  uccs_status_t status =
      table->atomic(path, endpoint->ec, target, arguments, &request->old_value, request);
  if (status == UCCS_ERR_UNSUPPORTED) {
    const AtomicHead head = {.target = wire_address(target.area, target.offset),
                             .request = hand_out(request),
                             .operand = arguments.operand,
                             .op = static_cast<uint8_t>(arguments.op),
                             .type = static_cast<uint8_t>(arguments.type),
                             .expected = arguments.expected};
    const size_t bytes =
        arguments.op == base::AtomicOp::kCompareSwap ? sizeof head : offsetof(AtomicHead, expected);
    const net::Envelope envelope = make_envelope(net::Traffic::kRequest, Kind::kAtomic,
                                                 lane_at(*endpoint, request->lane), request->lane);
    status = post_message(request->home, endpoint->link_index, endpoint->ec, envelope, &head, bytes,
                          nullptr);
    if (status == UCCS_OK) status = UCCS_IN_PROGRESS;
  }
  if (status != UCCS_IN_PROGRESS) request->outstanding.fetch_sub(1, std::memory_order_relaxed);
  return status;
}

}  // namespace uccs::core

extern "C" {

using uccs::core::post;

#define UCCS_DEFINE_UPDATE(op, name, type)                                                     \
  uccs_status_t uccs_atomic_##op##_##name##_nb(uccs_endpoint_t endpoint, uccs_region_t region, \
                                               type* target, type operand,                     \
                                               uccs_request_t* request_out) {                  \
    return post<uccs::core::k_##op, type>(endpoint, region, target, operand, type{}, nullptr,  \
                                          request_out);                                        \
  }
#define UCCS_DEFINE_COUNT(op, name, type)                                                      \
  uccs_status_t uccs_atomic_##op##_##name##_nb(uccs_endpoint_t endpoint, uccs_region_t region, \
                                               type* target, uccs_request_t* request_out) {    \
    return post<uccs::core::k_##op, type>(endpoint, region, target, type{1}, type{}, nullptr,  \
                                          request_out);                                        \
  }
#define UCCS_DEFINE_FETCH(op, name, type)                                                        \
  uccs_status_t uccs_atomic_##op##_##name##_nb(uccs_endpoint_t endpoint, uccs_region_t region,   \
                                               type* target, type operand, type* result_out,     \
                                               uccs_request_t* request_out) {                    \
    return post<uccs::core::k_##op, type>(endpoint, region, target, operand, type{}, result_out, \
                                          request_out);                                          \
  }
#define UCCS_DEFINE_READ(op, name, type)                                                         \
  uccs_status_t uccs_atomic_##op##_##name##_nb(uccs_endpoint_t endpoint, uccs_region_t region,   \
                                               type* target, type* result_out,                   \
                                               uccs_request_t* request_out) {                    \
    return post<uccs::core::k_##op, type>(endpoint, region, target, type{1}, type{}, result_out, \
                                          request_out);                                          \
  }
#define UCCS_DEFINE_SWAP_IF(op, name, type)                                                        \
  uccs_status_t uccs_atomic_##op##_##name##_nb(uccs_endpoint_t endpoint, uccs_region_t region,     \
                                               type* target, type expected, type operand,          \
                                               type* result_out, uccs_request_t* request_out) {    \
    return post<uccs::core::k_##op, type>(endpoint, region, target, operand, expected, result_out, \
                                          request_out);                                            \
  }
#define UCCS_DEFINE_INTEGER(name, type)                                                         \
  UCCS_ATOMIC_INTEGER_OPERATIONS(UCCS_DEFINE_UPDATE, UCCS_DEFINE_COUNT, UCCS_DEFINE_FETCH,      \
                                 UCCS_DEFINE_READ, UCCS_DEFINE_READ, UCCS_DEFINE_SWAP_IF, name, \
                                 type)
#define UCCS_DEFINE_FLOAT(name, type) \
  UCCS_ATOMIC_FLOAT_OPERATIONS(UCCS_DEFINE_UPDATE, UCCS_DEFINE_FETCH, UCCS_DEFINE_READ, name, type)

UCCS_ATOMIC_INTEGER_TYPES(UCCS_DEFINE_INTEGER)
UCCS_ATOMIC_FLOAT_TYPES(UCCS_DEFINE_FLOAT)

}  // extern "C"
