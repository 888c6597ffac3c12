// SPDX-License-Identifier: BSD-3-Clause
/// Short puts that nobody acknowledges, and how a flush learns that they are visible: a read that
/// follows them on the same connection is answered after them. So a target answers what it waited
/// for before anything else, and a hundred puts cost one answer.
#include <string.h>

#include "net/ofi/ofi.hpp"

namespace uccs::net::ofi {

uccs_status_t Ofi::Channel::put_unproved(PeerState& peer, int ec, const void* source, size_t bytes,
                                         fi_addr_t address, uint64_t there, uint64_t key,
                                         bool is_flag) {
  Buffer* buffer = nullptr;
  ssize_t posted = 0;
  if (bytes <= owner_->fabric_->inject_max()) {
    posted = fi_inject_write(port_->ep, source, bytes, address, there, key);
  } else {
    buffer = take_buffer();
    if (!buffer) {
      poll();
      return UCCS_AGAIN;
    }
    buffer->kind = Tracked::Kind::kMessage;
    // Complete when the buffer is free, instead of when the target has acknowledged it.
    posted = write_until(FI_INJECT_COMPLETE, memcpy(buffer->data, source, bytes), nullptr, address,
                         {there, bytes, key}, buffer);
  }
  const uccs_status_t status = finish_post(posted, buffer, peer, ec, bytes);
  if (status != UCCS_IN_PROGRESS) return status;
  if (is_flag) return UCCS_OK;
  habit_.put();
  if (!unproved_[ec].is_awaited) {
    proofs_.await(unproved_[ec], owner_->flushes_.now());
    to_prove_.push_back(ec);
  }
  return UCCS_OK;
}

void Ofi::Channel::prove() {
  for (; !to_prove_.empty(); to_prove_.pop_back()) {
    const int ec = to_prove_.back();
    PeerState& peer = owner_->peers_.state_of(ec);
    const int lane = index_ % peer.lanes;
    const bool is_heap = peer.heap_bytes >= sizeof scratch_;
    const Key& key = is_heap ? peer.by_lane[lane].heap : peer.by_lane[lane].statics;
    Work* work = take_work();
    if (!work) return;  // asked again by the next look
    work->kind = Tracked::Kind::kTransfer;
    work->completion = nullptr;
    const ssize_t posted =
        fi_read(port_->ep, &scratch_, sizeof scratch_, nullptr,
                owner_->address_of(*port_, peer, ec, lane), key.base, key.key, &work->context);
    const uccs_status_t status = finish_post(posted, work, peer, ec, sizeof scratch_);
    if (status == UCCS_AGAIN) return;
    if (status < 0)
      proofs_.end(unproved_[ec], status, owner_->is_closing());
    else
      proofs_.replace(unproved_[ec], work->proof);
  }
}

/// True when all puts without completion from before the flush are visible; else that has been
/// asked for.
bool Ofi::Channel::is_proved(uint64_t flush) {
  if (proofs_.are_over(flush)) return true;
  {
    const std::lock_guard guard(port_->domain->lock);
    prove();
    if (under_way_.load(std::memory_order_relaxed) > 0) poll();
  }
  complete_finished();
  return proofs_.are_over(flush);
}

/// What other threads have put a thread may have to wait for, too.
uccs_status_t Ofi::Channel::flush(int, Flush* flush) {
  Ofi& ofi = *owner_;
  if (flush->number == 0) {
    flush->number = ofi.flushes_.begin();
    habit_.flush();
  }
  const int channels = ofi.open_channels_.load(std::memory_order_acquire);
  bool is_over = true;
  for (int i = 0; i < channels; ++i) is_over = ofi.channels_[i].is_proved(flush->number) && is_over;
  if (flush->leaves_completions) return is_over ? UCCS_OK : UCCS_IN_PROGRESS;
  // Acquire: pairs with the end of complete_finished.
  return is_over && under_way_.load(std::memory_order_acquire) == 0 ? UCCS_OK : UCCS_IN_PROGRESS;
}

}  // namespace uccs::net::ofi
