// SPDX-License-Identifier: BSD-3-Clause
/// The target's side of puts, gets and atomics that no link can do by itself, and what the answers
/// do at the initiator. The initiator's side is in transfer.cpp and atomic.cpp.
#include "core/dispatch.hpp"
#include "core/progress.hpp"
#include "mem/copy.hpp"

namespace uccs::core {

void answer(Context* context, ThreadSlot& thread, const Kept& kept, Kind kind, const void* head,
            size_t head_bytes, const net::Payload* payload) {
  const net::Envelope envelope =
      make_envelope(net::Traffic::kReply, kind, kept.arrival.envelope.source_lane(), thread.lane);
  (void)post_reply(context, thread, kept.link, kept.arrival.source, envelope, head, head_bytes,
                   payload);
}

void release_payload(Context* context, const Kept& kept) {
  context->links[kept.link].release(kept.arrival);
}

void on_put(Context* context, ThreadSlot& thread, const Kept& kept) {
  const auto head = head_of<PutHead>(kept.arrival);
  memcpy(own_address(head.dest), kept.arrival.payload, kept.arrival.payload_bytes);
  release_payload(context, kept);
  const DoneHead done = {head.request, 0};
  answer(context, thread, kept, Kind::kPutDone, &done, sizeof done, nullptr);
}

void on_get(Context* context, ThreadSlot& thread, const Kept& kept) {
  const auto head = head_of<GetHead>(kept.arrival);
  const DataHead data = {head.request, head.local};
  const net::Piece piece = {own_address(head.source), head.bytes};
  const net::Payload payload = {&piece, 1, head.bytes};
  answer(context, thread, kept, Kind::kGetData, &data, sizeof data, &payload);
}

void on_atomic(Context* context, ThreadSlot& thread, const Kept& kept) {
  const auto head = head_of<AtomicHead>(kept.arrival);
  const uint64_t old = base::atomic_apply_any(
      static_cast<base::AtomicOp>(head.op), static_cast<base::AtomicType>(head.type),
      own_address(head.target), head.operand, head.expected);
  const DoneHead done = {head.request, old};
  answer(context, thread, kept, Kind::kAtomicDone, &done, sizeof done, nullptr);
}

void on_put_done(const Kept& kept) {
  part_done(handed_in(head_of<DoneHead>(kept.arrival).request), UCCS_OK);
}

void on_get_data(Context* context, const Kept& kept) {
  const auto head = head_of<DataHead>(kept.arrival);
  memcpy(reinterpret_cast<void*>(head.local), kept.arrival.payload, kept.arrival.payload_bytes);
  release_payload(context, kept);
  part_done(handed_in(head.request), UCCS_OK);
}

void on_atomic_done(const Kept& kept) {
  const auto head = head_of<DoneHead>(kept.arrival);
  Request* request = handed_in(head.request);
  request->old_value = head.value;
  part_done(request, UCCS_OK);
}

}  // namespace uccs::core
