// SPDX-License-Identifier: BSD-3-Clause
/// From the inbox to whoever handles a message.
#include "core/dispatch.hpp"

namespace uccs::core {
namespace {

/// Does it run callbacks that only user threads run?
bool is_for_users(const Context* context, const net::Arrival& arrival) {
  if (kind_of(arrival) == Kind::kPackedAms) return has_user_ams(context, arrival);
  return kind_of(arrival) <= Kind::kAmLarge &&
         context->handlers[arrival.envelope.id()].am_class.load(std::memory_order_relaxed) ==
             UCCS_AM_USER;
}

/// Nobody will receive it, and the others wait until it is out of the way.
bool drop_at_end(Context* context, const net::Arrival& arrival, int link) {
  if (!context->is_ending.load(std::memory_order_relaxed)) return false;
  context->links[link].release(arrival);
  return true;
}

/// Two-sided messages are matched at once, with the inbox locked: that keeps them in order.
bool arrive_send(Batch* batch, const net::Arrival& arrival) {
  Context* context = batch->context;
  // A rendezvous that is matched is handled later; without room for that it waits.
  const bool is_offer = kind_of(arrival) == Kind::kRendezvous;
  if (is_offer && batch->count == Batch::kCapacity) return false;
  bool is_kept;
  Request* receive = context->lanes[batch->lane].matcher.arrive(arrival, batch->link, &is_kept);
  if (receive && is_offer) {
    batch->items[batch->count++].keep(arrival, batch->link, receive);
    return true;
  }
  if (receive)
    complete(receive, deliver_eager(context, receive->receive, arrival, batch->link));
  else if (!is_kept && !drop_at_end(context, arrival, batch->link))
    return false;
  note_handled(context, batch->lane, batch->link, 1);
  return true;
}

}  // namespace

bool arrive(void* user, const net::Arrival& arrival) {
  auto* batch = static_cast<Batch*>(user);
  const net::Traffic traffic = arrival.envelope.traffic();
  if (traffic == net::Traffic::kSend) return arrive_send(batch, arrival);
  if (!batch->runs_user && is_for_users(batch->context, arrival)) {
    Lane& lane = batch->context->lanes[batch->lane];
    return (traffic == net::Traffic::kReply ? lane.replies : lane.requests)
        .push(arrival, batch->link);
  }
  if (batch->count == Batch::kCapacity) return false;
  batch->items[batch->count++].keep(arrival, batch->link, nullptr);
  return true;
}

void handle(Context* context, ThreadSlot& thread, Kept& kept) {
  switch (kind_of(kept.arrival)) {
    case Kind::kAmShort:
    case Kind::kAmMedium:
    case Kind::kAmLarge:
      run_callback(context, thread, kept);
      return;
    case Kind::kRendezvous:
      begin_pull(context, kept.receive, kept.arrival, kept.link);
      return;
    case Kind::kFinish:
      on_finish(kept);
      return;
    case Kind::kClear:
      on_clear(kept);
      return;
    case Kind::kFragment:
      on_fragment(context, kept);
      return;
    case Kind::kPut:
      on_put(context, thread, kept);
      return;
    case Kind::kGet:
      on_get(context, thread, kept);
      return;
    case Kind::kAtomic:
      on_atomic(context, thread, kept);
      return;
    case Kind::kPutDone:
      on_put_done(kept);
      return;
    case Kind::kGetData:
      on_get_data(context, kept);
      return;
    case Kind::kAtomicDone:
      on_atomic_done(kept);
      return;
    case Kind::kPack:
      on_pack(context, thread, kept);
      return;
    case Kind::kPackDone:
      on_pack_done(context, kept);
      return;
    case Kind::kPackedAms:
      on_packed_ams(context, thread, kept);
      return;
    case Kind::kLeave:
      note_leave(context, head_of<LeaveHead>(kept.arrival));
      return;
    case Kind::kLeft:
      note_left(context, kept.arrival.envelope.id() != 0);
      return;
    case Kind::kEager:
      break;  // delivered by arrive
  }
}

std::byte* own_address(WireAddress at) {
  const uint64_t offset = wire_offset(at);
  switch (wire_area(at)) {
    case net::Area::kHeap:
      return reinterpret_cast<std::byte*>(direct_map.heap_low + offset);
    case net::Area::kStatic:
      return reinterpret_cast<std::byte*>(direct_map.static_low + offset);
    case net::Area::kRegistered:
      break;
  }
  return reinterpret_cast<std::byte*>(offset);
}

}  // namespace uccs::core
