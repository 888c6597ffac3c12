// SPDX-License-Identifier: BSD-3-Clause
/// Receiving messages, and sending credits back.
#include <utility>

#include "base/log.hpp"
#include "net/ofi/ofi.hpp"

namespace uccs::net::ofi {

void* Ofi::describe_nodes(int lane, std::byte* memory, size_t bytes) {
  void* descriptor;
  if (!fabric_->register_buffers(inlets_[lane].port, memory, bytes, &descriptor))
    base::fatal("the network registers no more memory for messages: raise `ulimit -l`");
  return descriptor;
}

void Ofi::release(void* token) { mail_.release(token); }

void Ofi::post_receives(Inlet& inlet) {
  // What found none is with the provider, and comes as soon as there are some.
  if (inlet.to_post == kReceives) inlet.port->has_more = true;
  while (inlet.to_post > 0) {
    Node* node = mail_.take_node(inlet.lane, true);
    Tracked* tracked = tracked_of(node);
    tracked->kind = Tracked::Kind::kReceived;
    if (fi_recv(inlet.port->ep, node->data(), kMessageMax, node->descriptor, FI_ADDR_UNSPEC,
                &tracked->context) != 0) {
      mail_.give_back(node);
      return;
    }
    --inlet.to_post;
  }
}

Ofi::Seen Ofi::read(Port& port, Inlet* inlet, Channel* channel) {
  constexpr size_t kEntries = 16;
  fi_cq_msg_entry entries[kEntries];
  const ssize_t count = fi_cq_read(port.cq, entries, kEntries);
  Seen seen;
  fi_cq_err_entry entry = {};
  for (ssize_t i = 0; i < count; ++i) {
    entry.op_context = entries[i].op_context;
    entry.len = entries[i].len;
    take(inlet, channel, entry, &seen);
  }
  if (count > 0) seen.entries = static_cast<int>(count);
  port.has_more = count == static_cast<ssize_t>(kEntries);
  if (count == -FI_EAVAIL && fi_cq_readerr(port.cq, &entry, 0) == 1 && entry.op_context)
    take(inlet, channel, entry, &seen);
  if (channel && !channel->rests_.empty()) channel->post_rests();
  return seen;
}

void Ofi::take(Inlet* inlet, Channel* channel, const fi_cq_err_entry& entry, Seen* seen) {
  auto* tracked = static_cast<Tracked*>(entry.op_context);
  switch (tracked->kind) {
    case Tracked::Kind::kReceived: {
      Node* node = node_of(tracked);
      ++inlet->to_post;
      if (entry.err != 0)
        mail_.give_back(node);
      else if (entry.len >= sizeof(Header) && node->header().kind >= MessageKind::kExchange)
        defer(*inlet, node, entry.len);
      else
        seen->pushed += mail_.take_in(inlet->lane, node, entry.len);
      return;
    }
    case Tracked::Kind::kBatch: {
      auto* landing = static_cast<Landing*>(tracked);
      landing->length = entry.len;
      Landing*& list = entry.err != 0 ? inlet->to_land : inlet->landed;
      landing->next = list;
      list = landing;
      return;
    }
    case Tracked::Kind::kControl:
      return mail_.give_back(node_of(tracked));
    default:
      ++seen->ended;
      return channel->take(static_cast<Work*>(tracked), entry.err);
  }
}

int Ofi::poll_inlet(Inlet& inlet, const Channel* looker, int* messages) {
  base::SpinLock& lock = inlet.port->domain->lock;
  if (!lock.try_lock()) return 0;
  Channel* const channel = inlet.is_shared ? &channels_[inlet.lane] : nullptr;
  const Seen seen = read(*inlet.port, &inlet, channel);
  bool has_others = seen.ended > 0 && channel != looker;
  // Answers first: somebody waits. Without the lock: what they end may be on a channel that shares
  // the domain, and to apply a batch takes a while.
  if (inlet.asked || inlet.landed) {
    Node* asked = std::exchange(inlet.asked, nullptr);
    inlet.asked_end = &inlet.asked;
    Landing* landed = std::exchange(inlet.landed, nullptr);
    lock.unlock();
    while (asked) {
      Node* const next = asked->next;
      const Channel* ended = take_asked(inlet, asked);
      has_others = has_others || (ended && ended != looker);
      asked = next;
    }
    while (landed) {
      Landing* const next = landed->next;
      take_batch(inlet, landed);
      landed = next;
    }
    lock.lock();
  }
  if (inlet.to_post > 0) post_receives(inlet);
  if (inlet.to_land) post_landings(inlet);
  if (inlet.owed) send_owed(inlet);
  lock.unlock();
  if (has_others) mail_.ring();
  if (messages) *messages += seen.entries;
  return seen.pushed;
}

bool Ofi::send_credits(int ec, int lane, const Returned& returned) {
  PeerState* peer = peers_.reach(ec);
  if (!peer) return true;  // nobody waits for them
  Inlet& inlet = inlets_[lane];
  if (!inlet.port->domain->lock.try_lock()) return false;
  Header header =
      make_header(Envelope(Traffic::kReply, lane, 0, 0, 0), me_, sizeof returned, nullptr);
  header.cookie = peer->cookie;
  header.kind = MessageKind::kCredit;
  Node* node = mail_.take_node(lane, true);
  Tracked* tracked = tracked_of(node);
  tracked->kind = Tracked::Kind::kControl;
  const size_t bytes = fill(node->data(), header, &returned, nullptr);
  const fi_addr_t address = address_of(*inlet.port, *peer, ec, lane);
  const ssize_t posted = address == FI_ADDR_UNSPEC ? -FI_EHOSTUNREACH
                                                   : send_from(*inlet.port, node->data(), bytes,
                                                               node->descriptor, address, tracked);
  if (posted != 0) mail_.give_back(node);
  inlet.port->domain->lock.unlock();
  return posted != -FI_EAGAIN;
}

}  // namespace uccs::net::ofi
