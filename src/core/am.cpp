// SPDX-License-Identifier: BSD-3-Clause
/// Active messages: sending, delivering, replying.
#include "uccs/am.h"

#include <algorithm>

#include "base/log.hpp"
#include "core/dispatch.hpp"
#include "core/job.hpp"
#include "core/pack.hpp"
#include "core/post.hpp"
#include "core/progress.hpp"
#include "core/transfer.hpp"
#include "mem/copy.hpp"

namespace uccs::core {
namespace {

constexpr size_t kLargeHeaderMax = net::kHeadReadable - sizeof(LargeHead);
static_assert(kLargeHeaderMax == UCCS_AM_HEADER_MAX && net::kHeadReadable == UCCS_AM_SHORT_MAX);

/// The lane for a message to any lane of an EC with `there` lanes in use. With as many threads here
/// as there, each keeps to a lane, so that no two senders meet; fewer take turns through lanes of
/// their own, so that no receiver is favoured.
[[gnu::noinline]] int choose_lane(const Context* context, ThreadSlot& thread, uint32_t there) {
  const auto here = static_cast<uint32_t>(context->pollers.load(std::memory_order_relaxed));
  if (here >= there) return static_cast<int>(thread.lane % there);
  thread.turn += std::max(here, 1u);
  if (thread.turn >= there) thread.turn = thread.lane % std::max(here, 1u);
  return static_cast<int>(thread.turn);
}

/// The envelope of a request to the endpoint's lane, which may be any.
[[gnu::always_inline]] inline net::Envelope request_envelope(const Endpoint* endpoint,
                                                             ThreadSlot& thread, Kind kind,
                                                             int id) {
  int lane = endpoint->lane;
  if (lane < 0) {
    const uint32_t there = endpoint->lanes_there->in_use.load(std::memory_order_relaxed);
    lane = there <= 1 ? 0 : choose_lane(endpoint->context, thread, there);
  }
  return make_envelope(net::Traffic::kRequest, kind, lane, thread.lane, id);
}

[[gnu::always_inline]] inline bool is_id(int id) { return static_cast<unsigned>(id) < UCCS_AM_IDS; }

/// Posts one message on the thread's channel; UCCS_AGAIN also when another thread is at the
/// channel.
uccs_status_t post_owned(Endpoint* endpoint, ThreadSlot& thread, net::Envelope envelope,
                         const void* head, size_t head_bytes, const net::Payload* payload) {
  Channel* channel = thread.channel;
  if (!channel->lock.try_lock()) return UCCS_AGAIN;
  const uccs_status_t status = post_message(channel, endpoint->link_index, endpoint->ec, envelope,
                                            head, head_bytes, payload);
  channel->lock.unlock();
  return status;
}

/// A short message by a link that wants its channel owned.
[[gnu::noinline]] uccs_status_t post_far(Endpoint* endpoint, ThreadSlot& thread,
                                         net::Envelope envelope, const void* data, size_t bytes) {
  if (endpoint->context->pack && endpoint->lane < 0 && !endpoint->context->packs_bursts) {
    const uccs_status_t status =
        endpoint->context->pack->message(endpoint->ec, envelope.id(), data, bytes);
    if (status != UCCS_ERR_UNSUPPORTED) return status;
  }
  return post_owned(endpoint, thread, envelope, data, bytes, nullptr);
}

/// The head of a large message: where the payload is, then the caller's header.
size_t large_head(const Target& target, size_t bytes, const void* header, size_t header_bytes,
                  std::byte* head_out) {
  const LargeHead large = {wire_address(target.remote.area, target.remote.offset), bytes};
  memcpy(head_out, &large, sizeof large);
  if (header_bytes > 0) memcpy(head_out + sizeof large, header, header_bytes);
  return sizeof large + header_bytes;
}

/// What is wrong with replying to `message`; marks it as replied to when nothing is.
uccs_status_t begin_reply(const uccs_am_t* message, int id) {
  if (!message || !is_id(id)) return UCCS_ERR_INVALID;
  const Delivery& delivery = delivery_of(message);
  if (!delivery.is_request || delivery.has_replied) return UCCS_ERR_STATE;
  delivery.has_replied = true;
  return UCCS_OK;
}

uccs_status_t send_reply(const uccs_am_t* message, int id, Kind kind, const void* head,
                         size_t head_bytes, const net::Payload* payload) {
  ThreadSlot& thread = this_thread(message->context);
  const net::Envelope envelope =
      make_envelope(net::Traffic::kReply, kind, message->source_lane, thread.lane, id);
  return post_reply(message->context, thread, delivery_of(message).link, message->source, envelope,
                    head, head_bytes, payload);
}

/// Where the payload of a large reply lies at `ec`, and where that is mapped here, if it is.
uccs_status_t resolve_reply(const uccs_am_t* message, uccs_region_t region, const void* dest,
                            Target* target_out) {
  auto* at =
      static_cast<std::byte*>(is_private(region) ? nullptr : translate(dest, message->source));
  if (!at && (is_private(region) || !job.is_spread || !translate(dest, job.me)))
    return UCCS_ERR_ADDRESS;
  const auto address = reinterpret_cast<uintptr_t>(dest);
  const bool is_heap = address - direct_map.heap_low < direct_map.heap_bytes;
  target_out->remote = {is_heap ? net::Area::kHeap : net::Area::kStatic,
                        address - (is_heap ? direct_map.heap_low : direct_map.static_low), 0};
  target_out->mapped = at;
  return UCCS_OK;
}

/// Puts the payload of a large reply through the link and waits until it is there. As in
/// post_reply, only replies are delivered meanwhile.
void put_for_reply(const uccs_am_t* message, const net::Remote& dest, const void* payload,
                   size_t bytes) {
  Context* context = message->context;
  ThreadSlot& thread = this_thread(context);
  const int link = delivery_of(message).link;
  const net::Transport* table = context->links[link].table;
  struct Done : net::Completion {
    std::atomic<int> status = UCCS_IN_PROGRESS;
  } completion;
  completion.done = [](net::Completion* self, uccs_status_t status) {
    static_cast<Done*>(self)->status.store(status, std::memory_order_release);
  };
  uccs_status_t posted = UCCS_AGAIN;
  for (Waiter waiter(context, thread);; waiter.idle()) {
    if (posted == UCCS_AGAIN && thread.channel->lock.try_lock()) {
      posted = table->put(thread.channel->paths[link], message->source, dest, payload, bytes,
                          &completion);
      thread.channel->lock.unlock();
    }
    if (posted == UCCS_OK ||
        (posted == UCCS_IN_PROGRESS &&
         completion.status.load(std::memory_order_acquire) != UCCS_IN_PROGRESS))
      break;
    if (posted < 0) break;
    (void)progress_replies(context, thread);
  }
  const int status = posted == UCCS_IN_PROGRESS ? completion.status.load() : posted;
  if (status < 0)
    base::fatal("uccs_am_reply_large: the payload cannot be put at EC %d: %s", message->source,
                uccs_status_string(static_cast<uccs_status_t>(status)));
}

}  // namespace

uccs_status_t put_before_reply(const uccs_am_t* message, void* dest, const void* payload,
                               size_t bytes) {
  Target target;
  const uccs_status_t found = resolve_reply(message, UCCS_REGION_SYMMETRIC, dest, &target);
  if (found != UCCS_OK || bytes == 0) return found;
  if (target.mapped)
    mem::copy(target.mapped, payload, bytes);
  else
    put_for_reply(message, target.remote, payload, bytes);
  return UCCS_OK;
}

void run_callback(Context* context, ThreadSlot& thread, Kept& kept) {
  const net::Arrival& arrival = kept.arrival;
  const Handler& handler = context->handlers[arrival.envelope.id()];
  const uccs_am_callback_t callback = handler.callback.load(std::memory_order_acquire);
  if (!callback) [[unlikely]]
    base::fatal(
        "an active message from EC %d names handler %d, which is not registered here: call "
        "uccs_am_register on all ECs, then uccs_barrier, before the first message",
        arrival.source, arrival.envelope.id());
  Delivery delivery = {.message = {.context = context,
                                   .source = arrival.source,
                                   .source_lane = arrival.envelope.source_lane(),
                                   .lane = arrival.envelope.lane(),
                                   .id = arrival.envelope.id(),
                                   .header = arrival.head,
                                   .header_bytes = arrival.head_bytes,
                                   .payload = const_cast<std::byte*>(arrival.payload),
                                   .bytes = arrival.payload_bytes},
                       .link = kept.link,
                       .is_request = arrival.envelope.traffic() == net::Traffic::kRequest,
                       .is_large = kind_of(arrival) == Kind::kAmLarge,
                       .has_replied = false};
  if (delivery.is_large) {
    const auto large = head_of<LargeHead>(arrival);
    delivery.message.header = arrival.head + sizeof large;
    delivery.message.header_bytes = arrival.head_bytes - sizeof large;
    delivery.message.payload = own_address(large.payload);
    delivery.message.bytes = large.bytes;
  }
  ++thread.callbacks;
  callback(&delivery.message, handler.user);
  --thread.callbacks;
  context->links[kept.link].release(arrival);
}

}  // namespace uccs::core

extern "C" {

using namespace uccs;
using namespace uccs::core;

uccs_status_t uccs_am_register(uccs_context_t context, int id, uccs_am_callback_t callback,
                               uccs_am_class_t am_class, void* user) {
  if (!context || !is_id(id) || (am_class != UCCS_AM_USER && am_class != UCCS_AM_PROTOCOL))
    return UCCS_ERR_INVALID;
  Handler& handler = context->handlers[id];
  handler.user = user;
  handler.am_class.store(am_class, std::memory_order_relaxed);
  handler.callback.store(callback, std::memory_order_release);  // pairs with run_callback
  return UCCS_OK;
}

uccs_status_t uccs_am_short_nb(uccs_endpoint_t endpoint, int id, const void* data, size_t bytes,
                               uccs_request_t* request_out) {
  if (!is_id(id) || bytes > UCCS_AM_SHORT_MAX) return UCCS_ERR_INVALID;
  ThreadSlot& thread = this_thread(endpoint->context);
  const net::Envelope envelope = request_envelope(endpoint, thread, Kind::kAmShort, id);
  const Link& link = *endpoint->link;
  const uccs_status_t status =
      link.limits.short_is_shared
          ? link.table->message(thread.channel->paths[endpoint->link_index], endpoint->ec, envelope,
                                data, bytes, nullptr)
          : post_far(endpoint, thread, envelope, data, bytes);
  return status == UCCS_OK ? answer_done(request_out) : status;
}

uccs_status_t uccs_am_medium_nb(uccs_endpoint_t endpoint, int id, const void* header,
                                size_t header_bytes, const void* payload, size_t bytes,
                                uccs_request_t* request_out) {
  if (!is_id(id) || header_bytes > UCCS_AM_HEADER_MAX || bytes > UCCS_AM_MEDIUM_MAX)
    return UCCS_ERR_INVALID;
  ThreadSlot& thread = this_thread(endpoint->context);
  const net::Envelope envelope = request_envelope(endpoint, thread, Kind::kAmMedium, id);
  const net::Piece piece = {payload, bytes};
  const net::Payload packed = {&piece, 1, bytes};
  const uccs_status_t status =
      post_owned(endpoint, thread, envelope, header, header_bytes, &packed);
  return status == UCCS_OK ? answer_done(request_out) : status;
}

uccs_status_t uccs_am_large_nb(uccs_endpoint_t endpoint, int id, const void* header,
                               size_t header_bytes, uccs_region_t region, void* dest,
                               const void* payload, size_t bytes, uccs_request_t* request_out) {
  if (!is_id(id) || header_bytes > UCCS_AM_HEADER_MAX) return UCCS_ERR_INVALID;
  Target target;
  const uccs_status_t found = resolve(endpoint, region, dest, bytes, &target);
  if (found != UCCS_OK) return found;
  ThreadSlot& thread = this_thread(endpoint->context);
  Epilogue epilogue = {};
  epilogue.kind = Epilogue::Kind::kMessage;
  epilogue.envelope = request_envelope(endpoint, thread, Kind::kAmLarge, id);
  epilogue.head_bytes =
      static_cast<uint8_t>(large_head(target, bytes, header, header_bytes, epilogue.head));
  if (bytes > 0 && !target.mapped) {
    const Walk walk = Walk::contiguous(const_cast<void*>(payload), 0, bytes);
    return start_transfer(endpoint, true, target, walk, false, &epilogue, request_out);
  }
  if (bytes > 0) mem::copy(target.mapped, payload, bytes);
  const uccs_status_t status =
      post_owned(endpoint, thread, epilogue.envelope, epilogue.head, epilogue.head_bytes, nullptr);
  if (status == UCCS_OK) return answer_done(request_out);
  // The payload is there: rather than have it put again, send the message later.
  return status == UCCS_AGAIN ? start_epilogue(endpoint, epilogue, request_out) : status;
}

uccs_status_t uccs_am_reply_short(const uccs_am_t* message, int id, const void* data,
                                  size_t bytes) {
  if (bytes > UCCS_AM_SHORT_MAX) return UCCS_ERR_INVALID;
  const uccs_status_t wrong = begin_reply(message, id);
  return wrong ? wrong : send_reply(message, id, Kind::kAmShort, data, bytes, nullptr);
}

uccs_status_t uccs_am_reply_medium(const uccs_am_t* message, int id, const void* header,
                                   size_t header_bytes, const void* payload, size_t bytes) {
  if (header_bytes > UCCS_AM_HEADER_MAX || bytes > UCCS_AM_MEDIUM_MAX) return UCCS_ERR_INVALID;
  const uccs_status_t wrong = begin_reply(message, id);
  if (wrong) return wrong;
  const net::Piece piece = {payload, bytes};
  const net::Payload packed = {&piece, 1, bytes};
  return send_reply(message, id, Kind::kAmMedium, header, header_bytes, &packed);
}

uccs_status_t uccs_am_reply_large(const uccs_am_t* message, int id, const void* header,
                                  size_t header_bytes, uccs_region_t region, void* dest,
                                  const void* payload, size_t bytes) {
  if (!message || header_bytes > UCCS_AM_HEADER_MAX) return UCCS_ERR_INVALID;
  Target target;
  const uccs_status_t found = resolve_reply(message, region, dest, &target);
  if (found != UCCS_OK) return found;
  const uccs_status_t wrong = begin_reply(message, id);
  if (wrong) return wrong;
  if (bytes > 0 && target.mapped)
    mem::copy(target.mapped, payload, bytes);
  else if (bytes > 0)
    put_for_reply(message, target.remote, payload, bytes);
  std::byte head[net::kHeadReadable];
  const size_t head_bytes = large_head(target, bytes, header, header_bytes, head);
  return send_reply(message, id, Kind::kAmLarge, head, head_bytes, nullptr);
}

}  // extern "C"
