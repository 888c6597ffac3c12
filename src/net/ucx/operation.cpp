// SPDX-License-Identifier: BSD-3-Clause
/// Operations under way: UCX's own puts and gets, and the ends of all.
#include <string.h>

#include <utility>

#include "net/ucx/ucx.hpp"

namespace uccs::net::ucx {

Operation* Channel::take_operation(Link& link, size_t bytes, Completion* completion) {
  Pending* pending = free_operations_;
  if (!pending) return nullptr;
  free_operations_ = pending->next;
  auto* operation = static_cast<Operation*>(pending);
  operation->link = &link;
  operation->bytes = bytes;
  operation->completion = completion;
  operation->status = UCCS_OK;
  operation->buffer = nullptr;
  operation->batch = nullptr;
  operation->leaving = 1;
  operation->result = nullptr;
  return operation;
}

void Channel::give_back(Operation* operation) {
  operation->next = free_operations_;
  free_operations_ = operation;
}

/// One of the things that the operation waits for has happened; with the last one it is over.
void Channel::end_one(Operation* operation, ucs_status_t status) {
  if (status != UCS_OK && operation->status == UCCS_OK)
    operation->status = status_of(*operation->link, status);
  if (--operation->waits > 0) return;
  operation->posted_ns = 0;
  if (operation->status == UCCS_AGAIN) return;  // the peer is gone, which ends the job
  if (operation->status == UCCS_OK) owner_->silence_.note_heard(operation->link->peer->trouble);
  if (operation->buffer) give_back(operation->buffer);
  const uccs_status_t outcome = operation->status;
  if (operation->result && outcome == UCCS_OK) *operation->result = operation->reply;
  Link* link = operation->link;
  Completion* completion = operation->completion;
  if (operation->proof.is_awaited) proofs_.end(operation->proof, outcome, owner_->is_closing());
  give_back(operation);
  if (completion) completion->done(completion, outcome);
  link->under_way.remove();
  under_way_.remove();
  ++ended_;
}

/// Looks at the answer of a post whose operation waits for its own end.
uccs_status_t Channel::post_over(Operation* operation, ucs_status_ptr_t posted) {
  Link& link = *operation->link;
  const bool needs_flush = operation->waits > 1;
  if (UCS_PTR_IS_ERR(posted)) {
    const uccs_status_t status = status_of(link, UCS_PTR_STATUS(posted));
    if (operation->buffer) give_back(operation->buffer);
    give_back(operation);
    return status;
  }
  if (!posted) {  // has ended here
    if (operation->buffer) give_back(operation->buffer);
    operation->buffer = nullptr;
    if (!needs_flush) {
      if (operation->result) *operation->result = operation->reply;
      give_back(operation);
      return UCCS_OK;
    }
    --operation->waits;
  }
  if (needs_flush) {
    operation->next = link.unflushed;
    link.unflushed = operation;
    mark_dirty(link);
  }
  if (!operation->completion) proofs_.await(operation->proof, owner_->flushes_.now());
  return go_on(operation);
}

/// From now on the operation is under way.
uccs_status_t Channel::go_on(Operation* operation) {
  operation->posted_ns = owner_->silence_.now_ns();
  operation->link->under_way.add();
  under_way_.add();
  return UCCS_IN_PROGRESS;
}

/// By UCX's own puts and gets.
uccs_status_t Channel::transfer(bool is_put, int ec, PeerState& peer, const Remote& remote,
                                uint64_t there, void* local, size_t bytes, Completion* completion) {
  if (bytes_in_chunk(remote, bytes) < bytes) return UCCS_ERR_UNSUPPORTED;
  if (!lock_->try_lock()) return UCCS_AGAIN;
  const std::lock_guard guard(*lock_, std::adopt_lock);
  const uccs_status_t aimed = aim_at(ec, peer, remote, there);
  return aimed == UCCS_OK ? transfer_to(aim_, is_put, remote, local, bytes, completion) : aimed;
}

uccs_status_t Channel::transfer_to(const Aim& aim, bool is_put, const Remote& remote, void* local,
                                   size_t bytes, Completion* completion) {
  const bool is_copied = is_put && bytes <= kPayloadMax;
  Operation* operation = take_operation(*aim.link, bytes, completion);
  if (operation && is_copied) {
    operation->buffer = take_buffer(*aim.link);
    if (!operation->buffer) {
      give_back(operation);
      operation = nullptr;
    }
  }
  if (!operation) {
    poll();
    return UCCS_AGAIN;
  }
  if (is_copied) {
    memcpy(operation->buffer->data, local, bytes);
    local = operation->buffer->data;
  }
  operation->waits = is_put ? 2 : 1;
  ucp_request_param_t parameters;
  parameters.op_attr_mask = UCP_OP_ATTR_FIELD_CALLBACK | UCP_OP_ATTR_FIELD_USER_DATA;
  parameters.user_data = operation;
  parameters.cb.send = end_request;
  const ucp_ep_h ep = aim.link->ep;
  const uint64_t there = aim.base + remote.offset;
  return post_over(operation, is_put ? ucp_put_nbx(ep, local, bytes, there, aim.key, &parameters)
                                     : ucp_get_nbx(ep, local, bytes, there, aim.key, &parameters));
}

void Channel::end_request(void* request, ucs_status_t status, void* user) {
  auto* operation = static_cast<Operation*>(user);
  ucp_request_free(request);
  Channel& home = *operation->link->home;
  if (--operation->leaving == 0) {  // the flush, or the answer, may take its time
    if (operation->buffer) home.give_back(std::exchange(operation->buffer, nullptr));
    if (operation->batch) home.give_back_batch(std::exchange(operation->batch, nullptr));
  }
  home.end_one(operation, status);
}

}  // namespace uccs::net::ucx
