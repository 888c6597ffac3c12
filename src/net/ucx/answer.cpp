// SPDX-License-Identifier: BSD-3-Clause
/// What the target of an exchange or a delivery answers, on the connection that it came by, and
/// what its origin makes of that.
#include <string.h>

#include <new>

#include "net/ucx/ucx.hpp"

namespace uccs::net::ucx {

struct Result {
  uint64_t value;   ///< what an exchange found
  uint32_t ticket;  ///< the operation over there
};

/// On its way out, or waiting for the data that it is about; such a thing is kept for the next one.
struct Answer {
  Answer* next;
  Channel* home;
  ucp_ep_h asker;
  uint64_t cookie;  ///< of the EC that asks
  Result result;
  alignas(8) std::byte data[sizeof(Header) + sizeof(Result)];
};

/// As many as UCX holds back at a time, for which those that ask have operations.
Answer* Channel::take_answer(ucp_ep_h asker, uint64_t cookie, uint32_t ticket) {
  Answer* answer = free_answers_;
  if (answer) {
    free_answers_ = answer->next;
  } else if ((answer = new (std::nothrow) Answer)) {
    answer->home = this;
  }
  if (!answer) return nullptr;
  answer->asker = asker;
  answer->cookie = cookie;
  answer->result.ticket = ticket;
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

void Channel::send_answer(Answer* answer, uint64_t value) {
  answer->result.value = value;
  Header header = make_header(Envelope(Traffic::kReply, 0, 0, 0, 0), owner_->me_,
                              sizeof answer->result, nullptr);
  header.cookie = answer->cookie;
  header.kind = MessageKind::kResult;
  const size_t bytes = fill(answer->data, header, &answer->result, nullptr);
  ucp_request_param_t parameters = message_parameters(UCP_AM_SEND_FLAG_EAGER);
  parameters.user_data = answer;
  parameters.cb.send = [](void* request, ucs_status_t, void* user) {
    auto* sent = static_cast<Answer*>(user);
    sent->home->give_back(sent);
    ucp_request_free(request);
  };
  const ucs_status_ptr_t sent =
      ucp_am_send_nbx(answer->asker, kMessageId, nullptr, 0, answer->data, bytes, &parameters);
  // With an error the connection is gone, and with it who asked.
  if (!UCS_PTR_IS_PTR(sent)) give_back(answer);
}

/// With an error the connection is gone, as above.
void Channel::end_delivery(Answer* answer, ucs_status_t status) {
  if (status == UCS_OK) return answer->home->send_answer(answer, 0);
  answer->home->give_back(answer);
}

/// False: nobody waits for that.
bool Channel::take_result(const Header& header, const std::byte* body) {
  Result result;
  if (header.head_bytes != sizeof result) return false;
  memcpy(&result, body, sizeof result);
  if (result.ticket >= kOperations) return false;
  Operation& operation = operations_[result.ticket];
  if (!operation.is_asked || operation.link->ec != header.source) return false;
  operation.is_asked = false;
  operation.reply = result.value;
  end_one(&operation, UCS_OK);
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
