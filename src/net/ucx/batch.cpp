// SPDX-License-Identifier: BSD-3-Clause
/// Batches: many operations of core's in one active message, which the target applies as it comes
/// and answers. What is long enough leaves the buffer before `batch` returns, unless the socket is
/// full: then the caller gets another buffer.
#include <string.h>

#include <new>
#include <utility>

#include "base/log.hpp"
#include "net/ucx/ucx.hpp"

namespace uccs::net::ucx {

std::byte* Channel::take_batch_buffer() {
  std::byte* taken = free_batches_;
  if (!taken) return new (std::nothrow) std::byte[kBatchBytes];
  memcpy(&free_batches_, taken, sizeof free_batches_);
  return taken;
}

void Channel::give_back_batch(std::byte* batch) {
  memcpy(batch, &free_batches_, sizeof free_batches_);
  free_batches_ = batch;
}

void Channel::free_batches() {
  while (free_batches_) delete[] take_batch_buffer();
}

uccs_status_t Channel::batch(int ec, std::byte** batch, size_t bytes, Completion* completion) {
  PeerState* peer = owner_->peers_.reach(ec);
  if (!peer) return UCCS_ERR_PEER_FAILED;
  if (bytes > kBatchBytes / 2) help(kLooksPerBatch);
  if (!lock_->try_lock()) return UCCS_AGAIN;
  const std::lock_guard guard(*lock_, std::adopt_lock);
  std::byte* spare = take_batch_buffer();
  if (!spare) return UCCS_ERR_NO_MEMORY;
  Operation* operation = nullptr;
  uccs_status_t status = take_to_ask(ec, *peer, bytes, completion, &operation);
  if (status == UCCS_OK) {
    const Question question = question_of(operation, {Area::kHeap, 0, 0});
    fill_question(operation, MessageKind::kBatch, &question, sizeof question);
    status = send_with_data(operation, *batch, bytes);
  }
  if (status == UCCS_IN_PROGRESS && operation->buffer) {  // it has not left yet
    operation->batch = std::exchange(*batch, spare);
  } else {
    give_back_batch(spare);
  }
  return status;
}

/// In UCX's callback, with the lock held. False: that is no batch.
bool Channel::take_batch(const Header& header, const std::byte* body, const void* data,
                         size_t bytes, const ucp_am_recv_param_t* parameters) {
  Question asked;
  if (header.head_bytes != sizeof asked ||
      (parameters->recv_attr & UCP_AM_RECV_ATTR_FLAG_RNDV) != 0)
    return false;
  memcpy(&asked, body, sizeof asked);
  Ucx& ucx = *owner_;
  if (asked.bytes != bytes) return false;
  ucx.apply_batch_(ucx.user_, header.source, static_cast<const std::byte*>(data), bytes);
  Answer* answer = take_answer(parameters->reply_ep, asked);
  if (!answer) base::fatal("no memory to answer EC %d", header.source);
  // Who is told that it is done sees it.
  std::atomic_thread_fence(std::memory_order_release);
  send_answer(answer, MessageKind::kResult, 0);
  return true;
}

}  // namespace uccs::net::ucx
