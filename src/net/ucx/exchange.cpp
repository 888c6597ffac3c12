// SPDX-License-Identifier: BSD-3-Clause
/// Puts of a word that are answered, and atomics that UCX does not do (atomic.cpp): active messages
/// that the target does by its CPU as they come, and answers on the connection that they came by.
#include <string.h>

#include "base/log.hpp"
#include "net/ucx/ucx.hpp"

namespace uccs::net::ucx {

uccs_status_t Channel::ask(int ec, PeerState& peer, const Remote& target,
                           const AtomicArguments& arguments, uint64_t* result_out,
                           Completion* completion) {
  Operation* operation;
  const uccs_status_t taken =
      take_to_ask(ec, peer, base::atomic_size(arguments.type), completion, &operation);
  if (taken != UCCS_OK) return taken;
  const ExchangeBody body = exchange_of(question_of(operation, target), arguments);
  operation->result = result_out;
  return send_question(operation, MessageKind::kExchange, &body, sizeof body);
}

/// Any: what counts is that it comes.
uccs_status_t Channel::ask_for_a_word(int ec, PeerState& peer, Completion* completion) {
  const Area area = peer.address.head().heap_bytes > 0 ? Area::kHeap : Area::kStatic;
  const AtomicArguments fetch = {base::AtomicOp::kFetch, base::AtomicType::kUint64, 0, 0};
  return ask(ec, peer, {area, 0, 0}, fetch, nullptr, completion);
}

uccs_status_t Channel::exchange(int ec, PeerState& peer, const Remote& target,
                                const AtomicArguments& arguments, uint64_t* result_out,
                                Completion* completion) {
  if (!lock_->try_lock()) return UCCS_AGAIN;
  const std::lock_guard guard(*lock_, std::adopt_lock);
  return ask(ec, peer, target, arguments, result_out, completion);
}

/// In UCX's callback, with the lock held, as what follows. False: that is no exchange.
bool Channel::take_exchange(const Header& header, const std::byte* body, ucp_ep_h asker) {
  ExchangeBody asked;
  if (header.head_bytes != sizeof asked) return false;
  memcpy(&asked, body, sizeof asked);
  uint64_t old;
  if (!apply_exchange(owner_->areas(), asked, &old)) return false;
  Answer* answer = take_answer(asker, asked.question);
  if (!answer) base::fatal("no memory to answer EC %d", header.source);
  send_answer(answer, MessageKind::kResult, old);
  return true;
}

}  // namespace uccs::net::ucx
