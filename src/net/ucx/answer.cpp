// SPDX-License-Identifier: BSD-3-Clause
/// What exchanges, deliveries and fetches have in common: the origin's question, the target's
/// answer on the connection that it came by, and what the origin makes of that.
#include <string.h>

#include <new>
#include <utility>

#include "net/ucx/ucx.hpp"

namespace uccs::net::ucx {

/// On its way out; such a thing is kept for the next one.
struct Answer {
  Answer* next;
  Channel* home;
  ucp_ep_h asker;
  uint64_t cookie;  ///< of the EC that asks
  Result result;
  ucp_dt_iov_t piece;  ///< see send_short
  alignas(8) std::byte data[sizeof(Header) + sizeof(Result)];
};

/// `*operation_out`: with a buffer. UCCS_AGAIN: not now.
uccs_status_t Channel::take_to_ask(int ec, PeerState& peer, size_t bytes, Completion* completion,
                                   Operation** operation_out) {
  Link* link = nullptr;
  const uccs_status_t aimed = aim(ec, peer, &link);
  if (aimed != UCCS_OK) return aimed;
  Operation* operation = take_operation(*link, bytes, completion);
  Buffer* buffer = operation ? take_buffer(*link) : nullptr;
  if (!buffer) {
    if (operation) give_back(operation);
    poll();
    return UCCS_AGAIN;
  }
  operation->buffer = buffer;
  operation->waits = 1;
  *operation_out = operation;
  return UCCS_OK;
}

Question Channel::question_of(const Operation* operation, const Remote& about) const {
  return {place_of(about), operation->bytes, owner_->mail_.cookie(),
          static_cast<uint32_t>(operation - operations_.get())};
}

size_t Channel::fill_question(const Operation* operation, MessageKind kind, const void* body,
                              size_t body_bytes) {
  const PeerState& peer = *operation->link->peer;
  const int lane = index_ % peer.workers;
  Header header =
      make_header(Envelope(Traffic::kReply, lane, 0, 0, 0), owner_->me_, body_bytes, nullptr);
  header.cookie = peer.address.head().cookie;
  header.kind = kind;
  return fill(operation->buffer->data, header, body, nullptr);
}

/// That is all: the answer ends the operation, which is under way from now on.
uccs_status_t Channel::send_question(Operation* operation, MessageKind kind, const void* body,
                                     size_t body_bytes) {
  const size_t bytes = fill_question(operation, kind, body, body_bytes);
  Buffer* buffer = std::exchange(operation->buffer, nullptr);  // leaves by itself
  const uccs_status_t sent =
      send(*operation->link, buffer, bytes, UCP_AM_SEND_FLAG_EAGER | UCP_AM_SEND_FLAG_REPLY);
  if (sent != UCCS_OK) {
    give_back(operation);
    return sent;
  }
  note_asked(operation);
  return go_on(operation);
}

/// The same with data behind the question, which must stay until they have left: `end_request`.
uccs_status_t Channel::send_with_data(Operation* operation, const void* data, size_t bytes) {
  Link& link = *operation->link;
  const auto* question = reinterpret_cast<const Header*>(operation->buffer->data);
  operation->waits = 2;
  ucp_request_param_t parameters =
      message_parameters(UCP_AM_SEND_FLAG_EAGER | UCP_AM_SEND_FLAG_REPLY);
  parameters.user_data = operation;
  parameters.cb.send = end_request;
  const ucs_status_ptr_t posted =
      ucp_am_send_nbx(link.ep, kMessageId, question, sizeof *question + question->head_bytes, data,
                      bytes, &parameters);
  if (!UCS_PTR_IS_PTR(posted)) {
    give_back(std::exchange(operation->buffer, nullptr));
    --operation->waits;
  }
  if (UCS_PTR_IS_ERR(posted)) {
    give_back(operation);
    return status_of(link, UCS_PTR_STATUS(posted));
  }
  note_asked(operation);
  return go_on(operation);
}

/// As many as UCX holds back at a time, for which those that ask have operations.
Answer* Channel::take_answer(ucp_ep_h asker, const Question& asked) {
  Answer* answer = free_answers_;
  if (answer) {
    free_answers_ = answer->next;
  } else if ((answer = new (std::nothrow) Answer)) {
    answer->home = this;
  }
  if (!answer) return nullptr;
  answer->asker = asker;
  answer->cookie = asked.cookie;
  answer->result.ticket = asked.ticket;
  return answer;
}

void Channel::give_back(Answer* answer) {
  answer->next = free_answers_;
  free_answers_ = answer;
}

void Channel::free_answers() {
  while (Answer* answer = free_answers_) {
    free_answers_ = answer->next;
    delete answer;
  }
}

/// `data`: what follows, or nullptr.
void Channel::send_answer(Answer* answer, MessageKind kind, uint64_t value, const void* data,
                          size_t data_bytes) {
  answer->result.value = value;
  Header header = make_header(Envelope(Traffic::kReply, 0, 0, 0, 0), owner_->me_,
                              sizeof answer->result, nullptr);
  header.cookie = answer->cookie;
  header.kind = kind;
  const size_t bytes = fill(answer->data, header, &answer->result, nullptr);
  ucp_request_param_t parameters = message_parameters(UCP_AM_SEND_FLAG_EAGER);
  parameters.user_data = answer;
  parameters.cb.send = [](void* request, ucs_status_t, void* user) {
    auto* sent = static_cast<Answer*>(user);
    sent->home->give_back(sent);
    ucp_request_free(request);
  };
  const ucs_status_ptr_t sent =
      data ? ucp_am_send_nbx(answer->asker, kMessageId, answer->data, bytes, data, data_bytes,
                             &parameters)
           : send_short(answer->asker, answer->data, bytes, &answer->piece, &parameters);
  // With an error the connection is gone, and with it who asked.
  if (!UCS_PTR_IS_PTR(sent)) give_back(answer);
}

/// The operation that it is an answer to; nullptr: nobody waits for that.
Operation* Channel::find_asked(const Header& header, const std::byte* body, uint64_t* value_out) {
  Result result;
  if (header.head_bytes != sizeof result) return nullptr;
  memcpy(&result, body, sizeof result);
  if (result.ticket >= kOperations) return nullptr;
  Operation& operation = operations_[result.ticket];
  if (!operation.is_asked || operation.link->ec != header.source) return nullptr;
  *value_out = result.value;
  return &operation;
}

/// That was all that it waits for from the target.
void Channel::end_answered(Operation* operation) {
  operation->is_asked = false;
  end_one(operation, UCS_OK);
}

bool Channel::take_result(const Header& header, const std::byte* body) {
  uint64_t value;
  Operation* operation = find_asked(header, body, &value);
  if (!operation) return false;
  operation->reply = value;
  end_answered(operation);
  return true;
}

/// The connection is broken: no answers will come.
void Channel::end_asked(const Link& link, ucs_status_t status) {
  for (size_t i = 0; i < kOperations; ++i) {
    Operation& operation = operations_[i];
    if (!operation.is_asked || operation.link != &link) continue;
    operation.is_asked = false;
    end_one(&operation, status);
  }
}

}  // namespace uccs::net::ucx
