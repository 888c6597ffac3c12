// SPDX-License-Identifier: BSD-3-Clause
/// Long two-sided messages. The sender offers (kRendezvous), and the receiver, once a receive
/// matches,
///   - reads the source itself when it is contiguous and within reach, then says so (kFinish);
///   - else asks for fragments (kClear), which the sender sends as buffers become free (kFragment).
/// Both answers and the fragments are of class kReply: whoever gets them needs nothing more.
#include <algorithm>

#include "core/direct.hpp"
#include "core/dispatch.hpp"
#include "core/post.hpp"
#include "core/thread.hpp"
#include "mem/copy.hpp"

namespace uccs::core {
namespace {

template <typename Head>
uccs_status_t post(Request* request, int link, int ec, int lane, Kind kind, const Head& head,
                   const net::Payload* payload) {
  const net::Envelope envelope = make_envelope(net::Traffic::kReply, kind, lane, request->lane);
  return post_message(request->home, link, ec, envelope, &head, sizeof head, payload);
}

/// Where the offered bytes are mapped here; nullptr when they are not.
const std::byte* mapped_source(const Context* context, const Receive& receive) {
  const net::Area area = wire_area(receive.offer.source);
  if (area == net::Area::kRegistered || context->links[receive.link].is_wrapped()) return nullptr;
  const uintptr_t low = area == net::Area::kHeap ? direct_map.heap_low : direct_map.static_low;
  return static_cast<const std::byte*>(translate(
      reinterpret_cast<const void*>(low + wire_offset(receive.offer.source)), receive.sender));
}

using Stage = Receive::Stage;

/// Reads the source through the link. Returns the stage that follows.
Stage pull(Request* request) {
  Receive& receive = request->receive;
  const net::Remote source = {wire_area(receive.offer.source), wire_offset(receive.offer.source),
                              0};
  const net::Transport* table = request->context->links[receive.link].table;
  request->outstanding.fetch_add(1, std::memory_order_relaxed);
  const uccs_status_t status = table->get(request->home->paths[receive.link], receive.sender,
                                          source, receive.dest, receive.wanted, request);
  if (status == UCCS_IN_PROGRESS) return Stage::kPulling;
  request->outstanding.fetch_sub(1, std::memory_order_relaxed);
  if (status == UCCS_OK) return Stage::kFinish;
  // Whatever keeps the link from reading private memory, fragments bring it.
  return status == UCCS_AGAIN ? Stage::kPull : Stage::kClear;
}

/// One step of a matched receive; the stage tells what has been done.
Step advance_receive(Request* request) {
  Receive& receive = request->receive;
  const Stage before = receive.stage;
  switch (receive.stage) {
    case Stage::kPull:
      receive.stage = pull(request);
      break;
    case Stage::kPulling:
      if (request->outstanding.load(std::memory_order_acquire) > 0) return Step::kIdle;
      receive.stage =
          request->part_error.load(std::memory_order_relaxed) ? Stage::kClear : Stage::kFinish;
      break;
    case Stage::kFinish: {
      const FinishHead head = {receive.offer.request};
      const uccs_status_t status = post(request, receive.link, receive.sender, receive.sender_lane,
                                        Kind::kFinish, head, nullptr);
      return status == UCCS_AGAIN ? Step::kIdle : Step::kOver;
    }
    case Stage::kClear: {
      const ClearHead head = {receive.offer.request, hand_out(request), receive.wanted};
      const uccs_status_t status = post(request, receive.link, receive.sender, receive.sender_lane,
                                        Kind::kClear, head, nullptr);
      if (status == UCCS_OK) receive.stage = Stage::kFragments;
      break;
    }
    case Stage::kFragments:
      // Acquire: pairs with on_fragment; the bytes are there.
      if (request->received.load(std::memory_order_acquire) < receive.wanted) return Step::kIdle;
      return Step::kOver;
  }
  return receive.stage == before ? Step::kIdle : Step::kMoved;
}

/// The sender's side of kClear.
Step advance_fragments(Request* request) {
  Send& send = request->send;
  Step step = Step::kIdle;
  while (send.left > 0) {
    if (send.run.bytes == 0 && !send.walk.next(&send.run)) break;
    const size_t bytes =
        std::min({send.run.bytes, static_cast<size_t>(send.left), size_t{UCCS_AM_MEDIUM_MAX}});
    const FragmentHead head = {send.receive_request, send.run.remote};
    const net::Piece piece = {send.run.local, bytes};
    const net::Payload payload = {&piece, 1, bytes};
    const uccs_status_t status =
        post(request, send.link, send.dest, send.dest_lane, Kind::kFragment, head, &payload);
    if (status == UCCS_AGAIN) return step;
    step = Step::kMoved;
    send.run.local += bytes;
    send.run.remote += bytes;
    send.run.bytes -= bytes;
    send.left -= bytes;
  }
  return Step::kOver;
}

}  // namespace

void begin_pull(Context* context, Request* request, const net::Arrival& arrival, int link) {
  Receive& receive = request->receive;
  receive.offer = head_of<RendezvousHead>(arrival);
  receive.sender = arrival.source;
  receive.sender_lane = arrival.envelope.source_lane();
  receive.link = link;
  receive.wanted = std::min<size_t>(receive.offer.bytes, receive.capacity);
  receive.stage = receive.offer.is_pullable ? Stage::kPull : Stage::kClear;
  if (receive.info) *receive.info = {arrival.source, receive.offer.tag, receive.offer.bytes};
  request->status = receive.offer.bytes > receive.capacity ? UCCS_ERR_TRUNCATED : UCCS_OK;
  request->advance = advance_receive;
  if (receive.stage == Stage::kPull) {
    if (receive.wanted == 0) {
      receive.stage = Stage::kFinish;
    } else if (const std::byte* source = mapped_source(context, receive)) {
      mem::copy(receive.dest, source, receive.wanted);
      receive.stage = Stage::kFinish;
    }
  }
  // The rest posts on the channel, so it needs its lock; mostly it is over in one or two steps.
  Channel* channel = request->home;
  channel->lock.lock();
  Step step;
  do {
    step = advance_receive(request);
  } while (step == Step::kMoved);
  if (step == Step::kIdle) activate_locked(request);
  channel->lock.unlock();
  if (step == Step::kOver) complete(request, request->status);
}

void on_finish(const Kept& kept) {
  complete(handed_in(head_of<FinishHead>(kept.arrival).request), UCCS_OK);
}

void on_clear(const Kept& kept) {
  const auto head = head_of<ClearHead>(kept.arrival);
  Request* request = handed_in(head.send_request);
  request->send.dest_lane = kept.arrival.envelope.source_lane();
  request->send.receive_request = head.receive_request;
  request->send.left = head.bytes;
  request->advance = advance_fragments;
  activate(request);
}

void on_fragment(Context* context, const Kept& kept) {
  const auto head = head_of<FragmentHead>(kept.arrival);
  Request* request = handed_in(head.receive_request);
  const size_t bytes = kept.arrival.payload_bytes;
  memcpy(request->receive.dest + head.offset, kept.arrival.payload, bytes);
  context->links[kept.link].release(kept.arrival);
  request->received.fetch_add(bytes, std::memory_order_release);  // pairs with advance_receive
}

}  // namespace uccs::core
