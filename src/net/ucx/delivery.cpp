// SPDX-License-Identifier: BSD-3-Clause
/// Puts over tcp that are answered when they are there. They are active messages: the target brings
/// the bytes to their place as they come, and those of long ones, by rendezvous, are read from the
/// socket straight to it. UCX's own puts over tcp are made of pieces, each copied on both sides
/// and acknowledged by itself, and it takes a flush to know that they are visible.
#include <string.h>

#include "base/log.hpp"
#include "mem/copy.hpp"
#include "net/ucx/ucx.hpp"

namespace uccs::net::ucx {
namespace {

struct DeliveryBody {
  Question question;
  uint64_t operand;       ///< of the signal
  uint64_t signal_place;  ///< as place_of
  bool has_signal;
  base::AtomicOp op;  ///< on a word of 8 bytes
};
static_assert(sizeof(DeliveryBody) <= kHeadMax);
constexpr size_t kHeadBytes = sizeof(Header) + sizeof(DeliveryBody);
static_assert(kHeadBytes + kPayloadMax <= sizeof Buffer::data);

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
  if (signal) {
    body.has_signal = true;
    body.signal_place = place_of(signal->target);
    body.op = signal->arguments.op;
    body.operand = signal->arguments.operand;
  }
  fill_question(operation, MessageKind::kDelivery, &body, sizeof body);
  if (bytes <= kPayloadMax) source = memcpy(operation->buffer->data + kHeadBytes, source, bytes);
  return send_with_data(operation, source, bytes,
                        bytes < kPutRendezvous ? UCP_AM_SEND_FLAG_EAGER : UCP_AM_SEND_FLAG_RNDV);
}

/// In UCX's callback, with the lock held. False: that is no delivery.
bool Channel::take_delivery(const Header& header, const std::byte* body, void* data, size_t bytes,
                            const ucp_am_recv_param_t* parameters) {
  DeliveryBody asked;
  if (header.head_bytes != sizeof asked) return false;
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
  Answer* answer = take_answer(parameters->reply_ep, asked.question);
  if (!answer) base::fatal("no memory to answer a put of EC %d", header.source);
  note_signal(answer, signal, asked.op, asked.operand);
  if ((parameters->recv_attr & UCP_AM_RECV_ATTR_FLAG_RNDV) == 0) {
    mem::copy(there, data, bytes);
    end_delivery(answer, UCS_OK);
    return true;
  }
  ucp_request_param_t receive = {};
  receive.op_attr_mask = UCP_OP_ATTR_FIELD_CALLBACK | UCP_OP_ATTR_FIELD_USER_DATA;
  receive.user_data = answer;
  receive.cb.recv_am = [](void* request, ucs_status_t status, size_t, void* user) {
    ucp_request_free(request);
    end_delivery(static_cast<Answer*>(user), status);
  };
  const ucs_status_ptr_t request = ucp_am_recv_data_nbx(worker_, data, there, bytes, &receive);
  if (!UCS_PTR_IS_PTR(request)) end_delivery(answer, UCS_PTR_STATUS(request));
  return true;
}

}  // namespace uccs::net::ucx
