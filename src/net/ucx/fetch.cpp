// SPDX-License-Identifier: BSD-3-Clause
/// Long gets over tcp: the target sends the bytes in pieces, as long puts go. UCX's own gets are
/// copied twice more.
#include <string.h>

#include <algorithm>

#include "base/log.hpp"
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
  if (!here || asked.bytes == 0) return false;
  const size_t each = piece_of(asked.bytes, owner_->library_);
  for (size_t done = 0; done < asked.bytes; done += each) {
    Answer* answer = take_answer(asker, asked);
    if (!answer) base::fatal("no memory to answer a get of EC %d", header.source);
    const size_t bytes = std::min<size_t>(each, asked.bytes - done);
    send_answer(answer, MessageKind::kFetched, done, here + done, bytes);
  }
  return true;
}

/// False: nobody waits for that.
bool Channel::take_fetched(const Header& header, const std::byte* body, const void* data,
                           size_t bytes, const ucp_am_recv_param_t* parameters) {
  if ((parameters->recv_attr & UCP_AM_RECV_ATTR_FLAG_RNDV) != 0) return false;
  uint64_t done;
  Operation* operation = find_asked(header, body, &done);
  if (!operation || done > operation->bytes || bytes > operation->bytes - done) return false;
  bring(static_cast<std::byte*>(operation->dest) + done, data, bytes);
  if (done + bytes == operation->bytes) end_answered(operation);  // they come in order
  return true;
}

}  // namespace uccs::net::ucx
