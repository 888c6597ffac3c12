// SPDX-License-Identifier: BSD-3-Clause
/// Receiving messages, and sending credits back.
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

int Ofi::poll_inlet(Inlet& inlet, const Channel* looker, int* messages) {
  Port& port = *inlet.port;
  if (!port.domain->lock.try_lock()) return 0;
  constexpr size_t kEntries = 16;
  fi_cq_msg_entry entries[kEntries];
  const ssize_t count = fi_cq_read(port.cq, entries, kEntries);
  if (messages && count > 0) *messages += static_cast<int>(count);
  int pushed = 0;
  Asked asked[kEntries];
  struct Landed {
    Landing* landing;
    size_t length;
  } landed[kLandings];
  size_t asked_count = 0, landed_count = 0;
  for (ssize_t i = 0; i < count; ++i) {
    auto* tracked = static_cast<Tracked*>(entries[i].op_context);
    if (tracked->kind == Tracked::Kind::kBatch) {
      landed[landed_count++] = {static_cast<Landing*>(tracked), entries[i].len};
      continue;
    }
    Node* node = node_of(tracked);
    if (tracked->kind == Tracked::Kind::kReceived) {
      ++inlet.to_post;
      if (entries[i].len >= sizeof(Header) && node->header().kind >= MessageKind::kExchange)
        asked[asked_count++] = {node, entries[i].len};
      else
        pushed += mail_.take_in(inlet.lane, node, entries[i].len);
    } else {
      mail_.give_back(node);
    }
  }
  if (count == -FI_EAVAIL) end_in_error(inlet);
  // Answers first: somebody waits. Without the lock: what they end may be on a channel that shares
  // the domain, and to apply a batch takes a while.
  bool has_others = false;
  if (asked_count + landed_count > 0) {
    port.domain->lock.unlock();
    for (size_t i = 0; i < asked_count; ++i) {
      const Channel* ended = take_asked(inlet, asked[i]);
      has_others = has_others || (ended && ended != looker);
    }
    for (size_t i = 0; i < landed_count; ++i)
      take_batch(inlet, landed[i].landing, landed[i].length);
    port.domain->lock.lock();
  }
  if (inlet.to_post > 0) post_receives(inlet);
  if (inlet.to_land) post_landings(inlet);
  if (inlet.owed) send_owed(inlet);
  port.domain->lock.unlock();
  if (has_others) mail_.ring();
  return pushed;
}

/// Of a connection that breaks. With the domain's lock held.
void Ofi::end_in_error(Inlet& inlet) {
  fi_cq_err_entry error = {};
  if (fi_cq_readerr(inlet.port->cq, &error, 0) != 1 || !error.op_context) return;
  auto* tracked = static_cast<Tracked*>(error.op_context);
  if (tracked->kind == Tracked::Kind::kBatch) {
    auto* landing = static_cast<Landing*>(tracked);
    landing->next = inlet.to_land;
    inlet.to_land = landing;
    return;
  }
  if (tracked->kind == Tracked::Kind::kReceived) ++inlet.to_post;
  mail_.give_back(node_of(tracked));
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
  const fi_addr_t address = address_of(inlet, *peer, ec, lane);
  const ssize_t posted = address == FI_ADDR_UNSPEC
                             ? -FI_EHOSTUNREACH
                             : fi_send(inlet.port->ep, node->data(), bytes, node->descriptor,
                                       address, &tracked->context);
  if (posted != 0) mail_.give_back(node);
  inlet.port->domain->lock.unlock();
  return posted != -FI_EAGAIN;
}

}  // namespace uccs::net::ofi
