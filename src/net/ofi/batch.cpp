// SPDX-License-Identifier: BSD-3-Clause
/// Batches: many operations of core's in one message, which whoever looks at the inlet applies and
/// answers. They are tagged, so that they come to receives of their own: others are not as long.
#include <string.h>

#include <new>

#include "base/log.hpp"
#include "net/ofi/ofi.hpp"

namespace uccs::net::ofi {

Carrier* Ofi::Channel::take_carrier() {
  if (!carriers_) carriers_ = make_pool<Carrier>(port_, kCarriers, free_carriers_);
  return static_cast<Carrier*>(take(free_carriers_));
}

uccs_status_t Ofi::Channel::batch(int ec, std::byte** batch, size_t bytes, Completion* completion) {
  Ofi& ofi = *owner_;
  PeerState* peer = ofi.peers_.reach(ec);
  if (!peer) return UCCS_ERR_PEER_FAILED;
  const std::lock_guard guard(port_->domain->lock);  // for a moment: others only look at the queue
  const fi_addr_t address = ofi.address_of(*port_, *peer, ec, index_ % peer->lanes);
  if (address == FI_ADDR_UNSPEC) return UCCS_ERR_PEER_FAILED;
  Work* work = take_to_ask(nullptr, completion);
  Carrier* carrier = work ? take_carrier() : nullptr;
  if (!carrier) {
    if (work) give_back(work);
    poll();
    return UCCS_AGAIN;
  }
  const Question question = {0, bytes, ofi.mail_.cookie(), ticket_of(work)};
  const Header header = question_header(*peer, MessageKind::kBatch, sizeof question);
  fill(carrier->data, header, &question, nullptr);
  memcpy(carrier->data + kBatchHead, *batch, bytes);
  carrier->kind = Tracked::Kind::kMessage;
  const iovec from = {carrier->data, kBatchHead + bytes};
  const fi_msg_tagged message = {.msg_iov = &from,
                                 .desc = &carrier->descriptor,
                                 .iov_count = 1,
                                 .addr = address,
                                 .tag = kBatchTag,
                                 .ignore = 0,
                                 .context = &carrier->context,
                                 .data = 0};
  // Not complete when delivered, as the endpoint's puts are: the answer tells that.
  const ssize_t posted = fi_tsendmsg(port_->ep, &message, FI_COMPLETION);
  return finish_ask(posted, work, carrier, *peer, ec, bytes);
}

bool Ofi::start_landings(Inlet& inlet) {
  inlet.landings.reset(new (std::nothrow) Landing[kLandings]);
  if (!inlet.landings ||
      !fabric_->register_buffers(inlet.port, inlet.landings.get(), kLandings * sizeof(Landing),
                                 &inlet.landings_descriptor))
    return false;
  for (size_t i = 0; i < kLandings; ++i) {
    inlet.landings[i].kind = Tracked::Kind::kBatch;
    inlet.landings[i].next = inlet.to_land;
    inlet.to_land = &inlet.landings[i];
  }
  post_landings(inlet);
  return true;
}

/// With the domain's lock held.
void Ofi::post_landings(Inlet& inlet) {
  size_t posted = 0;
  while (Landing* landing = inlet.to_land) {
    if (fi_trecv(inlet.port->ep, landing->data, kBatchMax, inlet.landings_descriptor,
                 FI_ADDR_UNSPEC, kBatchTag, 0, &landing->context) != 0)
      return;
    inlet.to_land = landing->next;
    if (++posted == kLandings) inlet.port->has_more = true;  // as in `post_receives`
  }
}

/// Without the domain's lock.
void Ofi::take_batch(Inlet& inlet, Landing* landing) {
  const size_t length = landing->length;
  Header header = {};
  Question asked = {};
  if (length >= kBatchHead) {
    memcpy(&header, landing->data, sizeof header);
    memcpy(&asked, landing->data + sizeof header, sizeof asked);
  }
  const bool is_sound = header.kind == MessageKind::kBatch && header.head_bytes == sizeof asked &&
                        asked.bytes == length - kBatchHead && is_of_job(header);
  if (!is_sound) {
    note_dropped(length);
  } else if (peers_.reach(header.source)) {
    apply_batch_(user_, header.source, landing->data + kBatchHead, asked.bytes);
    // Who is told that it is done sees it.
    std::atomic_thread_fence(std::memory_order_release);
    const Result result = {0, asked.ticket};
    send_reply(inlet, mail_.take_node(inlet.lane, true), header,
               {MessageKind::kResult, asked.cookie, &result, sizeof result});
  }
  const std::lock_guard guard(inlet.port->domain->lock);
  landing->next = inlet.to_land;
  inlet.to_land = landing;
}

}  // namespace uccs::net::ofi
