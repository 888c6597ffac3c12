// SPDX-License-Identifier: BSD-3-Clause
/// Short puts that nobody acknowledges, and how a flush learns that they are visible: a read that
/// follows them on the same connection is answered after them. So a target answers what it waited
/// for before anything else, and a hundred puts cost one answer.
#include "base/log.hpp"
#include "net/ofi/ofi.hpp"

namespace uccs::net::ofi {

uccs_status_t Ofi::Channel::put_unproved(PeerState& peer, int ec, const void* source, size_t bytes,
                                         fi_addr_t address, uint64_t there, uint64_t key,
                                         bool is_flag) {
  const ssize_t posted = fi_inject_write(port->ep, source, bytes, address, there, key);
  const uccs_status_t status = finish_post(posted, nullptr, peer, ec, bytes);
  if (status != UCCS_IN_PROGRESS) return status;
  if (is_flag) return UCCS_OK;
  habit_.put();
  if (!is_unproved_[ec]) {
    is_unproved_[ec] = true;
    unproved_.push_back(ec);
    to_prove_.fetch_add(1, std::memory_order_relaxed);
  }
  return UCCS_OK;
}

void Ofi::Channel::prove() {
  while (!unproved_.empty()) {
    const int ec = unproved_.back();
    PeerState& peer = owner_->peers_.state_of(ec);
    const int lane = index_ % peer.lanes;
    const bool is_heap = peer.heap_bytes >= sizeof scratch_;
    const Key& key = is_heap ? peer.by_lane[lane].heap : peer.by_lane[lane].statics;
    Work* work = take_work();
    if (!work) return;  // asked again by the next look
    work->kind = Tracked::Kind::kTransfer;
    work->completion = nullptr;
    work->temporary = nullptr;
    const ssize_t posted =
        fi_read(port->ep, &scratch_, sizeof scratch_, nullptr,
                owner_->address_of(*this, peer, ec, lane), key.base, key.key, &work->context);
    const uccs_status_t status = finish_post(posted, work, peer, ec, sizeof scratch_);
    if (status == UCCS_AGAIN) return;
    is_unproved_[ec] = false;
    unproved_.pop_back();
    if (status < 0) end_unasked(status);  // else its end counts it off
  }
}

void Ofi::Channel::end_unasked(uccs_status_t status) {
  if (status < 0 && !owner_->is_closing_.load(std::memory_order_relaxed))
    base::fatal("a put that a quiet or fence waits for failed: %s", uccs_status_string(status));
  to_prove_.fetch_sub(1, std::memory_order_release);  // pairs with is_proved
}

/// True when all short puts of the channel are visible; else it has been asked for.
bool Ofi::Channel::is_proved() {
  if (to_prove_.load(std::memory_order_acquire) == 0 && !habit_.has_put()) return true;
  {
    const std::lock_guard guard(port->domain->lock);
    habit_.flush();
    prove();
    if (under_way_.load(std::memory_order_relaxed) > 0) poll();
  }
  complete_finished();
  return to_prove_.load(std::memory_order_acquire) == 0;
}

/// What other threads have put a thread may have to wait for, too.
uccs_status_t Ofi::Channel::flush(int) {
  Ofi& ofi = *owner_;
  const int channels = ofi.open_channels_.load(std::memory_order_acquire);
  bool is_over = true;
  for (int i = 0; i < channels; ++i) is_over = ofi.channels_[i].is_proved() && is_over;
  // Acquire: pairs with the end of complete_finished.
  return is_over && under_way_.load(std::memory_order_acquire) == 0 ? UCCS_OK : UCCS_IN_PROGRESS;
}

}  // namespace uccs::net::ofi
