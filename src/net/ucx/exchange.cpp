// SPDX-License-Identifier: BSD-3-Clause
/// Atomics, and puts of a word that are answered: active messages that the target does by its CPU
/// as they come, and answers on the connection that they came by. UCX has such atomics, too, but
/// from 1.16 on none for connections that tell of dead peers; and none on floating types.
#include <string.h>

#include "net/ucx/ucx.hpp"

namespace uccs::net::ucx {
namespace {

struct ExchangeBody {
  Question question;
  uint64_t operand;
  uint64_t expected;
  base::AtomicOp op;
  base::AtomicType type;
};
static_assert(sizeof(ExchangeBody) <= kHeadMax);

}  // namespace

uccs_status_t Channel::ask(int ec, PeerState& peer, const Remote& target,
                           const AtomicArguments& arguments, uint64_t* result_out,
                           Completion* completion) {
  Operation* operation;
  const uccs_status_t taken =
      take_to_ask(ec, peer, base::atomic_size(arguments.type), completion, &operation);
  if (taken != UCCS_OK) return taken;
  ExchangeBody body = {};
  body.question = question_of(operation, target);
  body.operand = arguments.operand;
  body.expected = arguments.expected;
  body.op = arguments.op;
  body.type = arguments.type;
  operation->result = result_out;
  return send_question(operation, MessageKind::kExchange, &body, sizeof body);
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
  if (asked.op > base::AtomicOp::kCompareSwap || asked.type > base::AtomicType::kDouble)
    return false;
  const size_t bytes = base::atomic_size(asked.type);
  std::byte* there = owner_->memory_at(asked.question.place, bytes);
  if (!there || reinterpret_cast<uintptr_t>(there) % bytes != 0) return false;
  Answer* answer = take_answer(asker, asked.question);
  if (!answer) return false;
  const uint64_t old =
      base::atomic_apply_any(asked.op, asked.type, there, asked.operand, asked.expected);
  send_answer(answer, MessageKind::kResult, old);
  return true;
}

}  // namespace uccs::net::ucx
