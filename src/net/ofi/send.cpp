// SPDX-License-Identifier: BSD-3-Clause
/// Sending messages. Credits are explained in parts/mail.hpp.
#include <sched.h>

#include <algorithm>

#include "base/clock.hpp"
#include "net/ofi/ofi.hpp"

namespace uccs::net::ofi {
namespace {

/// The first message to a peer waits for the connection, up to this long.
constexpr uint64_t kConnectNs = 2'000'000'000;

}  // namespace

ssize_t Ofi::send_from(const Port& port, const void* data, size_t bytes, void* descriptor,
                       fi_addr_t address, Tracked* tracked) {
  const iovec from = {const_cast<void*>(data), bytes};
  const fi_msg message = {&from, &descriptor, 1, address, &tracked->context, 0};
  return fi_sendmsg(port.ep, &message, FI_COMPLETION);
}

ssize_t Ofi::Channel::send(const std::byte* data, size_t bytes, fi_addr_t address, Buffer* buffer) {
  if (!buffer) return fi_inject(port_->ep, data, bytes, address);
  return send_from(*port_, data, bytes, buffer->descriptor, address, buffer);
}

/// Each attempt is noted: those that lie seconds apart are not taken for one that lasts.
ssize_t Ofi::Channel::connect_first(PeerState& peer, int lane, fi_addr_t address,
                                    const std::byte* data, size_t bytes, Buffer* buffer) {
  const uint64_t deadline = base::now_ns() + kConnectNs;
  ssize_t posted = -FI_EAGAIN;
  while (posted == -FI_EAGAIN && base::now_ns() < deadline) {
    poll();
    port_->domain->lock.unlock();
    if (owner_->poll_inlet(owner_->inlets_[lane], this) > 0) owner_->mail_.ring();
    sched_yield();
    port_->domain->lock.lock();
    owner_->silence_.note_refused(peer.trouble);
    posted = send(data, bytes, address, buffer);
  }
  return posted;
}

uccs_status_t Ofi::Channel::message(int ec, Envelope envelope, const void* head, size_t head_bytes,
                                    const Payload* payload) {
  Ofi& ofi = *owner_;
  if (ec == ofi.me_) return ofi.mail_.message_to_self(envelope, head, head_bytes, payload);
  PeerState* peer = ofi.peers_.reach(ec);
  if (!peer) return UCCS_ERR_PEER_FAILED;
  if (envelope.lane() >= peer->lanes) {
    if (!ofi.may_differ_in_lanes_) return UCCS_ERR_INVALID;
    envelope = envelope.to(envelope.lane() % peer->lanes);
  }
  const int lane = envelope.lane();
  Account& there = ofi.mail_.account_of(ec, lane);
  const int kind = credit_kind(envelope.traffic(), payload != nullptr);
  if (!Mail::take_credit(there, kind)) {
    // That is where credits come back to.
    if (ofi.poll_inlet(ofi.inlets_[lane], this) > 0) ofi.mail_.ring();
    if (!Mail::take_credit(there, kind)) return UCCS_AGAIN;
  }
  const auto refuse = [&](uccs_status_t status) {
    there.credits[kind].fetch_add(1, std::memory_order_relaxed);
    return status;
  };
  const bool is_ordered = envelope.traffic() == Traffic::kSend;
  if (is_ordered && !there.send_lock.try_lock()) return refuse(UCCS_AGAIN);
  uccs_status_t status = UCCS_AGAIN;
  port_->domain->lock.lock();  // for a moment: others only look at the queue
  Header header = make_header(envelope, ofi.me_, head_bytes, payload);
  header.cookie = peer->cookie;
  if (is_ordered) header.sequence = there.next_to_send;
  // What the provider takes at once costs no buffer and no completion.
  alignas(8) std::byte small[kShortMax];
  const size_t bytes = sizeof header + body_bytes(header);
  const bool is_small = bytes <= std::min(sizeof small, ofi.fabric_->inject_max());
  Buffer* buffer = is_small ? nullptr : take_buffer();
  const fi_addr_t address = ofi.address_of(*port_, *peer, ec, lane);
  if (!is_small && !buffer) {
    poll();
  } else if (address == FI_ADDR_UNSPEC) {
    if (buffer) give_back(buffer);
    status = UCCS_ERR_PEER_FAILED;
  } else {
    std::byte* data = buffer ? buffer->data : small;
    fill(data, header, head, payload);
    if (buffer) buffer->kind = Tracked::Kind::kMessage;
    ssize_t posted = send(data, bytes, address, buffer);
    const auto place = static_cast<size_t>(ec * ofi.shape_.lanes + lane);
    if (!is_connected_[place] && posted == -FI_EAGAIN)
      posted = connect_first(*peer, lane, address, data, bytes, buffer);
    is_connected_[place] = is_connected_[place] || posted == 0;
    status = finish_post(posted, buffer, *peer, ec, bytes);
    if (status == UCCS_IN_PROGRESS) {
      status = UCCS_OK;
      if (is_ordered) ++there.next_to_send;
    }
  }
  port_->domain->lock.unlock();
  if (is_ordered) there.send_lock.unlock();
  return status == UCCS_OK ? status : refuse(status);
}

}  // namespace uccs::net::ofi
