// SPDX-License-Identifier: BSD-3-Clause
/// Puts over tcp that are answered when they are there. They are active messages: the target brings
/// the bytes to their place as they come. UCX's own puts over tcp are made of pieces, each copied
/// on both sides and acknowledged by itself, and it takes a flush to know that they are visible.
/// Nor are long ones sent by rendezvous, whose answer may have to wait behind all that goes the
/// other way, and which saves no copy: they are sent in pieces that UCX does not have to put
/// together.
#include <string.h>

#include <algorithm>
#include <new>
#include <utility>

#include "base/log.hpp"
#include "net/ucx/ucx.hpp"

namespace uccs::net::ucx {

struct DeliveryBody {
  Question question;
  uint64_t operand;       ///< of the signal
  uint64_t signal_place;  ///< as place_of
  bool is_answered;       ///< only the last piece is: they come in order
  bool has_signal;
  base::AtomicOp op;  ///< on a word of 8 bytes
};
static_assert(sizeof(DeliveryBody) <= kHeadMax);

namespace {

constexpr size_t kHeadBytes = sizeof(Header) + sizeof(DeliveryBody);
static_assert(kHeadBytes + kPayloadMax <= sizeof Buffer::data);
constexpr size_t kPiecesUsual = kBatchBytes / kHeadBytes;

}  // namespace

uccs_status_t Channel::deliver(int ec, PeerState& peer, const Remote& dest, const void* source,
                               size_t bytes, const Signal* signal, Completion* completion) {
  if (!lock_->try_lock()) return UCCS_AGAIN;
  const std::lock_guard guard(*lock_, std::adopt_lock);
  Operation* operation;
  const uccs_status_t taken = take_to_ask(ec, peer, bytes, completion, &operation);
  if (taken != UCCS_OK) return taken;
  DeliveryBody body = {};
  body.question = question_of(operation, dest);
  body.is_answered = true;
  if (signal) {
    body.has_signal = true;
    body.signal_place = place_of(signal->target);
    body.op = signal->arguments.op;
    body.operand = signal->arguments.operand;
  }
  if (bytes > owner_->library_.piece_max())
    return deliver_in_pieces(operation, body, dest, static_cast<const std::byte*>(source));
  fill_question(operation, MessageKind::kDelivery, &body, sizeof body);
  if (bytes <= kPayloadMax) source = memcpy(operation->buffer->data + kHeadBytes, source, bytes);
  return send_with_data(operation, source, bytes);
}

uccs_status_t Channel::deliver_in_pieces(Operation* operation, const DeliveryBody& body,
                                         const Remote& dest, const std::byte* source) {
  const size_t whole = operation->bytes, each = piece_of(whole, owner_->library_);
  const size_t pieces = (whole + each - 1) / each;
  // A longer one than usual is good for a batch, too, later.
  std::byte* heads = pieces <= kPiecesUsual ? take_batch_buffer()
                                            : new (std::nothrow) std::byte[pieces * kHeadBytes];
  operation->batch = heads;
  Buffer* scratch = operation->buffer;
  Link& link = *operation->link;
  uccs_status_t status = heads ? UCCS_OK : UCCS_ERR_NO_MEMORY;
  ucp_request_param_t parameters =
      message_parameters(UCP_AM_SEND_FLAG_EAGER | UCP_AM_SEND_FLAG_REPLY);
  parameters.user_data = operation;
  parameters.cb.send = end_request;
  operation->waits = 1;  // for the answer
  operation->leaving = 0;
  for (size_t done = 0; done < whole && status == UCCS_OK; done += each, heads += kHeadBytes) {
    const size_t bytes = std::min(each, whole - done);
    DeliveryBody part = body;
    part.question.place = place_of({dest.area, dest.offset + done, dest.key});
    part.question.bytes = bytes;
    part.is_answered = done + bytes == whole;
    part.has_signal = body.has_signal && part.is_answered;
    fill_question(operation, MessageKind::kDelivery, &part, sizeof part);
    memcpy(heads, scratch->data, kHeadBytes);
    const ucs_status_ptr_t posted =
        ucp_am_send_nbx(link.ep, kMessageId, heads, kHeadBytes, source + done, bytes, &parameters);
    if (UCS_PTR_IS_PTR(posted)) {
      ++operation->leaving;
      ++operation->waits;
    } else {
      status = status_of(link, UCS_PTR_STATUS(posted));
    }
  }
  give_back(std::exchange(operation->buffer, nullptr));
  if (operation->leaving == 0 && operation->batch)
    give_back_batch(std::exchange(operation->batch, nullptr));
  if (operation->leaving == 0 && status != UCCS_OK) {
    give_back(operation);
    return status;
  }
  note_asked(operation);  // if the connection broke on the way, that ends it
  return go_on(operation);
}

/// In UCX's callback, with the lock held. False: that is no delivery.
bool Channel::take_delivery(const Header& header, const std::byte* body, const void* data,
                            size_t bytes, const ucp_am_recv_param_t* parameters) {
  DeliveryBody asked;
  if (header.head_bytes != sizeof asked ||
      (parameters->recv_attr & UCP_AM_RECV_ATTR_FLAG_RNDV) != 0)
    return false;
  memcpy(&asked, body, sizeof asked);
  std::byte* there = owner_->areas().at(asked.question.place, bytes);
  if (!there || asked.question.bytes != bytes) return false;
  std::byte* signal = nullptr;
  if (asked.has_signal) {
    signal = owner_->areas().at(asked.signal_place, sizeof(uint64_t));
    if (!signal || reinterpret_cast<uintptr_t>(signal) % sizeof(uint64_t) != 0 ||
        asked.op >= base::AtomicOp::kCompareSwap)
      return false;
  }
  bring(there, data, bytes);
  if (!asked.is_answered) return true;
  // Who sees the signal, in whatever thread, or is told that it is done, sees the bytes.
  std::atomic_thread_fence(std::memory_order_release);
  if (signal)
    (void)base::atomic_apply_any(asked.op, base::AtomicType::kUint64, signal, asked.operand, 0);
  Answer* answer = take_answer(parameters->reply_ep, asked.question);
  if (!answer) base::fatal("no memory to answer a put of EC %d", header.source);
  send_answer(answer, MessageKind::kResult, 0);
  return true;
}

}  // namespace uccs::net::ucx
