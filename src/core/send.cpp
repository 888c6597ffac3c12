// SPDX-License-Identifier: BSD-3-Clause
/// Sends, receives and probes: the public calls. Short and medium messages are copied at once;
/// longer ones, and medium ones for which no buffer is free, are offered to the receiver
/// (rendezvous.cpp).
#include <algorithm>

#include "core/dispatch.hpp"
#include "core/job.hpp"
#include "core/post.hpp"
#include "core/progress.hpp"
#include "core/region.hpp"
#include "uccs/message.h"

namespace uccs::core {
namespace {

constexpr size_t kEagerMax = UCCS_AM_MEDIUM_MAX;
/// Lists of more pieces are never copied at once: their addresses have to be rewritten on the
/// stack.
constexpr size_t kEagerPieces = 32;
static_assert(sizeof(EagerHead) + UCCS_SEND_SHORT_MAX == net::kHeadReadable);

net::Envelope envelope_of(const Endpoint* endpoint, const ThreadSlot& thread, Kind kind) {
  return make_envelope(net::Traffic::kSend, kind, std::max<int>(endpoint->lane, 0), thread.lane);
}

uccs_status_t send_short(Endpoint* endpoint, uint64_t tag, const uccs_piece_t pieces[],
                         size_t count, size_t bytes) {
  ThreadSlot& thread = this_thread(endpoint->context);
  std::byte head[net::kHeadReadable];
  memcpy(head, &tag, sizeof tag);
  std::byte* at = head + sizeof(EagerHead);
  for (size_t i = 0; i < count; ++i) {
    if (pieces[i].bytes > 0) memcpy(at, pieces[i].base, pieces[i].bytes);
    at += pieces[i].bytes;
  }
  const bool needs_channel = !endpoint->link->limits.short_is_shared;
  if (needs_channel && !thread.channel->lock.try_lock()) return UCCS_AGAIN;
  const uccs_status_t status = post_message(thread.channel, endpoint->link_index, endpoint->ec,
                                            envelope_of(endpoint, thread, Kind::kEager), head,
                                            sizeof(EagerHead) + bytes, nullptr);
  if (needs_channel) thread.channel->lock.unlock();
  return status;
}

/// With the channel's lock held.
uccs_status_t send_buffered(Endpoint* endpoint, const ThreadSlot& thread, uint64_t tag,
                            const uccs_piece_t pieces[], size_t count, size_t bytes) {
  net::Piece rewritten[kEagerPieces];
  for (size_t i = 0; i < count; ++i) rewritten[i] = {pieces[i].base, pieces[i].bytes};
  const net::Payload payload = {rewritten, count, bytes};
  const EagerHead head = {tag};
  return post_message(thread.channel, endpoint->link_index, endpoint->ec,
                      envelope_of(endpoint, thread, Kind::kEager), &head, sizeof head, &payload);
}

/// Offers the message to the receiver. With the channel's lock held.
uccs_status_t offer(Endpoint* endpoint, const ThreadSlot& thread, uint64_t tag,
                    const uccs_piece_t pieces[], size_t count, size_t bytes, bool is_list,
                    uccs_request_t* request_out) {
  const bool is_implicit = request_out == nullptr;
  Request* request =
      take_request(endpoint->context, thread, is_implicit ? endpoint : nullptr, is_implicit);
  if (!request) return UCCS_AGAIN;
  const net::Envelope envelope = envelope_of(endpoint, thread, Kind::kRendezvous);
  request->send = {};
  request->send.walk =
      is_list ? Walk::list(pieces, count, 0) : Walk::contiguous(pieces[0].base, 0, bytes);
  request->send.dest = endpoint->ec;
  request->send.link = endpoint->link_index;
  const RendezvousHead head = {
      .tag = tag,
      .bytes = bytes,
      .request = hand_out(request),
      .source = is_list ? WireAddress{} : where_is(reinterpret_cast<uint64_t>(pieces[0].base)),
      .is_pullable = !is_list};
  const uccs_status_t status = post_message(thread.channel, endpoint->link_index, endpoint->ec,
                                            envelope, &head, sizeof head, nullptr);
  if (status == UCCS_OK) return answer_started(request, request_out);
  drop_request(request);
  return status;
}

/// A list outlives the call only if the caller says so (`is_list`).
uccs_status_t send(Endpoint* endpoint, uint64_t tag, const uccs_piece_t pieces[], size_t count,
                   size_t bytes, bool is_list, uccs_request_t* request_out) {
  if (bytes <= UCCS_SEND_SHORT_MAX) {
    const uccs_status_t status = send_short(endpoint, tag, pieces, count, bytes);
    return status == UCCS_OK ? answer_done(request_out) : status;
  }
  ThreadSlot& thread = this_thread(endpoint->context);
  if (!thread.channel->lock.try_lock()) return UCCS_AGAIN;
  uccs_status_t status = UCCS_AGAIN;
  if (bytes <= kEagerMax && count <= kEagerPieces)
    status = send_buffered(endpoint, thread, tag, pieces, count, bytes);
  const bool is_sent = status == UCCS_OK;
  if (status == UCCS_AGAIN)
    status = offer(endpoint, thread, tag, pieces, count, bytes, is_list, request_out);
  thread.channel->lock.unlock();
  return is_sent ? answer_done(request_out) : status;
}

bool is_lane(const Context* context, int lane) {
  return lane >= UCCS_LANE_ANY && lane < context->shape.lanes;
}
bool is_source(int source) { return source == UCCS_EC_ANY || (source >= 0 && source < job.size); }

}  // namespace
}  // namespace uccs::core

extern "C" {

using namespace uccs::core;

uccs_status_t uccs_send_contiguous_short_nb(uccs_endpoint_t endpoint, uint64_t tag,
                                            const void* source, size_t bytes,
                                            uccs_request_t* request_out) {
  if (bytes > UCCS_SEND_SHORT_MAX) return UCCS_ERR_INVALID;
  const uccs_piece_t piece = {const_cast<void*>(source), bytes};
  const uccs_status_t status = send_short(endpoint, tag, &piece, 1, bytes);
  return status == UCCS_OK ? answer_done(request_out) : status;
}

uccs_status_t uccs_send_contiguous_nb(uccs_endpoint_t endpoint, uint64_t tag, const void* source,
                                      size_t bytes, uccs_request_t* request_out) {
  const uccs_piece_t piece = {const_cast<void*>(source), bytes};
  return send(endpoint, tag, &piece, 1, bytes, false, request_out);
}

uccs_status_t uccs_send_nb(uccs_endpoint_t endpoint, uint64_t tag, const uccs_piece_t pieces[],
                           size_t count, uccs_request_t* request_out) {
  if (!pieces && count > 0) return UCCS_ERR_INVALID;
  size_t bytes = 0;
  for (size_t i = 0; i < count; ++i) bytes += pieces[i].bytes;
  return send(endpoint, tag, pieces, count, bytes, true, request_out);
}

uccs_status_t uccs_recv_nb(uccs_context_t context, int lane, int source, uint64_t tag,
                           uint64_t mask, void* dest, size_t bytes, uccs_message_info_t* info_out,
                           uccs_request_t* request_out) {
  if (!context || !request_out || !is_lane(context, lane) || !is_source(source))
    return UCCS_ERR_INVALID;
  if (!dest && bytes > 0) return UCCS_ERR_INVALID;
  ThreadSlot& thread = this_thread(context);
  if (!thread.channel->lock.try_lock()) return UCCS_AGAIN;
  Request* request = take_request(context, thread, nullptr, false);
  thread.channel->lock.unlock();
  if (!request) return UCCS_AGAIN;
  open_lane(context, std::max(lane, 0));
  Matcher& matcher = context->lanes[std::max(lane, 0)].matcher;
  request->receive = {};
  request->receive.matcher = &matcher;
  request->receive.source = source;
  request->receive.tag = tag;
  request->receive.mask = mask;
  request->receive.dest = static_cast<std::byte*>(dest);
  request->receive.capacity = bytes;
  request->receive.info = info_out;
  *request_out = request;
  Unexpected* message = matcher.post(request);
  if (!message) return UCCS_IN_PROGRESS;
  const uccs::net::Arrival& arrival = message->kept.arrival;
  if (kind_of(arrival) == Kind::kRendezvous) {
    begin_pull(context, request, arrival, message->kept.link);
    matcher.release(message);
    return look(request_out);
  }
  const uccs_status_t status =
      deliver_eager(context, request->receive, arrival, message->kept.link);
  matcher.release(message);
  drop_request(request);
  *request_out = UCCS_REQUEST_NULL;
  return status;
}

uccs_status_t uccs_probe(uccs_context_t context, int lane, int source, uint64_t tag, uint64_t mask,
                         uccs_message_info_t* info_out) {
  if (!context || !is_lane(context, lane) || !is_source(source)) return UCCS_ERR_INVALID;
  open_lane(context, std::max(lane, 0));
  Matcher& matcher = context->lanes[std::max(lane, 0)].matcher;
  // An inbox is taken out in parts: what has arrived is found, however much came before it.
  ThreadSlot& thread = this_thread(context);
  do {
    if (matcher.find(source, tag, mask, info_out)) return UCCS_OK;
  } while (progress(context, thread) > 0);
  return matcher.find(source, tag, mask, info_out) ? UCCS_OK : UCCS_AGAIN;
}

uccs_status_t uccs_recv_cancel(uccs_request_t* request) {
  if (!*request) return UCCS_ERR_STATE;
  if (!(*request)->receive.matcher->cancel(*request)) return UCCS_ERR_STATE;
  drop_request(*request);
  *request = UCCS_REQUEST_NULL;
  return UCCS_OK;
}

}  // extern "C"
