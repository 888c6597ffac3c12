// SPDX-License-Identifier: BSD-3-Clause
/// Long gets over tcp: the target sends the bytes as an active message by rendezvous, so that they
/// are read from the socket straight to where they belong. UCX's own gets are copied twice more.
#include <string.h>

#include "net/ucx/ucx.hpp"

namespace uccs::net::ucx {

uccs_status_t Channel::fetch(int ec, PeerState& peer, const Remote& source, void* dest,
                             size_t bytes, Completion* completion) {
  if (!lock_->try_lock()) return UCCS_AGAIN;
  const std::lock_guard guard(*lock_, std::adopt_lock);
  Operation* operation;
  const uccs_status_t taken = take_to_ask(ec, peer, bytes, completion, &operation);
  if (taken != UCCS_OK) return taken;
  operation->dest = dest;
  const Question body = question_of(operation, source);
  return send_question(operation, MessageKind::kFetch, &body, sizeof body);
}

/// In UCX's callback, with the lock held, as what follows. False: that is no such message.
bool Channel::take_fetch(const Header& header, const std::byte* body, ucp_ep_h asker) {
  Question asked;
  if (header.head_bytes != sizeof asked) return false;
  memcpy(&asked, body, sizeof asked);
  const std::byte* here = owner_->areas().at(asked.place, asked.bytes);
  if (!here) return false;
  Answer* answer = take_answer(asker, asked);
  if (!answer) return false;
  send_answer(answer, MessageKind::kFetched, 0, here, asked.bytes);
  return true;
}

/// False: nobody waits for that.
bool Channel::take_fetched(const Header& header, const std::byte* body, void* data, size_t bytes,
                           const ucp_am_recv_param_t* parameters) {
  if ((parameters->recv_attr & UCP_AM_RECV_ATTR_FLAG_RNDV) == 0) return false;
  Operation* operation = find_asked(header, body);
  if (!operation || operation->bytes != bytes) return false;
  ucp_request_param_t receive = {};
  receive.op_attr_mask = UCP_OP_ATTR_FIELD_CALLBACK | UCP_OP_ATTR_FIELD_USER_DATA;
  receive.user_data = operation;
  receive.cb.recv_am = [](void* request, ucs_status_t status, size_t, void* user) {
    auto* fetched = static_cast<Operation*>(user);
    ucp_request_free(request);
    fetched->link->home->end_one(fetched, status);
  };
  const ucs_status_ptr_t request =
      ucp_am_recv_data_nbx(worker_, data, operation->dest, bytes, &receive);
  if (!UCS_PTR_IS_PTR(request)) end_one(operation, UCS_PTR_STATUS(request));
  return true;
}

}  // namespace uccs::net::ucx
