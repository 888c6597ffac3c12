// SPDX-License-Identifier: BSD-3-Clause
/// Receiving messages, and the credits that bound them. A message costs the sender one credit of
/// its kind (class, with or without payload) at the target's lane; the reader gives it back when it
/// has taken the message, or released its payload. Half a grant is returned at a time, in a message
/// that costs nothing because its reader keeps nothing. So an inlet never has to hold more than was
/// granted, and takes in whatever comes at once: no class is ever stuck behind another.
#include <string.h>

#include <new>

#include "base/log.hpp"
#include "net/ofi/ofi.hpp"

namespace uccs::net::ofi {
namespace {

int kind_of(const Header& header) {
  return credit_kind(static_cast<Traffic>(header.traffic), header.kind == MessageKind::kPayload);
}

}  // namespace

Node* Ofi::take_node(Inlet& inlet, bool is_full) {
  constexpr size_t kSlabNodes = 32;
  inlet.pool_lock.lock();
  Node*& list = is_full ? inlet.free_full : inlet.free_short;
  if (!list) {
    // Rare: as many exist as were ever waiting at once, and credits bound that.
    const size_t step = padded(sizeof(Node) + (is_full ? kMessageMax : kShortMax));
    auto slab = std::unique_ptr<std::byte[]>(new (std::nothrow) std::byte[step * kSlabNodes]);
    if (!slab) base::fatal("no memory for messages");
    void* descriptor = nullptr;
    if (is_full && fabric_->needs_local_registration()) {
      fid_mr* mr = fabric_->register_with(inlet.port, {slab.get(), step * kSlabNodes});
      if (!mr) base::fatal("the network registers no more memory for messages: raise `ulimit -l`");
      inlet.registrations.push_back(mr);
      descriptor = fi_mr_desc(mr);
    }
    for (size_t i = 0; i < kSlabNodes; ++i) {
      auto* node = reinterpret_cast<Node*>(slab.get() + i * step);
      node->home = &inlet;
      node->descriptor = descriptor;
      node->is_full = is_full;
      node->next = list;
      list = node;
    }
    inlet.slabs.push_back(std::move(slab));
  }
  Node* node = list;
  list = node->next;
  inlet.pool_lock.unlock();
  return node;
}

void Ofi::give_back(Node* node) {
  Inlet& inlet = *node->home;
  inlet.pool_lock.lock();
  Node*& list = node->is_full ? inlet.free_full : inlet.free_short;
  node->next = list;
  list = node;
  inlet.pool_lock.unlock();
}

void Ofi::post_receives(Inlet& inlet) {
  while (inlet.to_post > 0) {
    Node* node = take_node(inlet, true);
    node->kind = Tracked::Kind::kReceived;
    if (fi_recv(inlet.port->ep, node->data(), kMessageMax, node->descriptor, FI_ADDR_UNSPEC,
                &node->context) != 0) {
      give_back(node);
      return;
    }
    --inlet.to_post;
  }
}

int Ofi::poll_inlet(Inlet& inlet) {
  Port& port = *inlet.port;
  if (!port.domain->lock.try_lock()) return 0;
  constexpr size_t kEntries = 16;
  fi_cq_msg_entry entries[kEntries];
  const ssize_t count = fi_cq_read(port.cq, entries, kEntries);
  int pushed = 0;
  for (ssize_t i = 0; i < count; ++i) {
    auto* node = static_cast<Node*>(static_cast<Tracked*>(entries[i].op_context));
    if (node->kind == Tracked::Kind::kReceived)
      pushed += take_in(inlet, node, entries[i].len);
    else
      give_back(node);
  }
  if (count == -FI_EAVAIL) {
    fi_cq_err_entry error = {};
    if (fi_cq_readerr(port.cq, &error, 0) == 1 && error.op_context) {
      auto* node = static_cast<Node*>(static_cast<Tracked*>(error.op_context));
      if (node->kind == Tracked::Kind::kReceived) ++inlet.to_post;
      give_back(node);
    }
  }
  if (inlet.to_post > 0) post_receives(inlet);
  port.domain->lock.unlock();
  return pushed;
}

int Ofi::take_in(Inlet& inlet, Node* node, size_t length) {
  const Header& header = node->header();
  ++inlet.to_post;
  const bool is_sound =
      length >= sizeof header && header.cookie == cookie_ && header.source >= 0 &&
      header.source < num_ecs_ && header.lane == inlet.lane && header.traffic < kTrafficClasses &&
      header.kind <= MessageKind::kCredit && header.head_bytes <= kHeadMax &&
      header.payload_bytes <= kPayloadMax && length == sizeof header + body_bytes(header) &&
      (header.kind != MessageKind::kCredit || header.head_bytes == sizeof(Returned));
  if (!is_sound) {
    base::log_line(base::LogLevel::kWarn,
                   "the network brought %zu bytes that are no message of this job: dropped",
                   length);
    give_back(node);
    return 0;
  }
  if (header.kind == MessageKind::kCredit) {
    Returned returned;
    memcpy(&returned, node->data() + sizeof header, sizeof returned);
    PeerLane& there = state_of(header.source).by_lane[inlet.lane];
    for (int kind = 0; kind < kCreditKinds; ++kind)
      if (returned.counts[kind] > 0)
        there.credits[kind].fetch_add(returned.counts[kind], std::memory_order_relaxed);
    give_back(node);
    return 0;
  }
  if (header.kind == MessageKind::kPlain) {  // does not keep a large buffer
    Node* copy = take_node(inlet, false);
    memcpy(copy->data(), node->data(), length);
    give_back(node);
    node = copy;
  }
  if (static_cast<Traffic>(node->header().traffic) == Traffic::kSend)
    return take_in_order(inlet, node);
  push(inlet, node);
  return 1;
}

/// Threads send by channels of their own, so sends may overtake each other; their numbers tell.
int Ofi::take_in_order(Inlet& inlet, Node* node) {
  PeerLane& from = state_of(node->header().source).by_lane[inlet.lane];
  if (node->header().sequence != from.next_to_read) {
    node->next = from.early;
    from.early = node;
    return 0;
  }
  int pushed = 0;
  while (node) {
    push(inlet, node);
    ++pushed;
    ++from.next_to_read;
    Node** link = &from.early;
    while (*link && (*link)->header().sequence != from.next_to_read) link = &(*link)->next;
    node = *link;
    if (node) *link = node->next;
  }
  return pushed;
}

void Ofi::push(Inlet& inlet, Node* node) {
  Inbox& inbox = inlet.inboxes[node->header().traffic];
  node->next = nullptr;
  inbox.lock.lock();
  (inbox.last ? inbox.last->next : inbox.first) = node;
  inbox.last = node;
  inbox.count.fetch_add(1, std::memory_order_relaxed);
  inbox.lock.unlock();
}

int Ofi::deliver(Inlet& inlet, Traffic traffic, int budget, const Sink& sink) {
  Inbox& inbox = inlet.inboxes[static_cast<int>(traffic)];
  if (inbox.count.load(std::memory_order_relaxed) == 0) return 0;
  if (!inbox.reader.try_lock()) return 0;
  int taken = 0;
  for (; taken < budget; ++taken) {
    inbox.lock.lock();
    Node* node = inbox.first;
    inbox.lock.unlock();
    if (!node) break;
    const Header& header = node->header();
    const bool has_payload = header.kind == MessageKind::kPayload;
    const std::byte* body = node->data() + sizeof header;
    const Arrival arrival = {.envelope = Envelope::arrived(header.envelope, traffic, inlet.lane),
                             .source = header.source,
                             .head_bytes = header.head_bytes,
                             .payload_bytes = header.payload_bytes,
                             .head = body,
                             .payload = has_payload ? body + padded(header.head_bytes) : nullptr,
                             .token = has_payload ? node : nullptr};
    // Whoever takes it may release it at once, so it leaves the list first.
    inbox.lock.lock();
    inbox.first = node->next;
    if (!inbox.first) inbox.last = nullptr;
    inbox.lock.unlock();
    if (!sink.arrive(sink.user, arrival)) {
      inbox.lock.lock();
      node->next = inbox.first;
      inbox.first = node;
      if (!inbox.last) inbox.last = node;
      inbox.lock.unlock();
      break;
    }
    inbox.count.fetch_sub(1, std::memory_order_relaxed);
    if (!has_payload) release(node);
  }
  inbox.reader.unlock();
  return taken;
}

void Ofi::release(void* token) {
  auto* node = static_cast<Node*>(token);
  const int source = node->header().source, lane = node->home->lane, kind = kind_of(node->header());
  give_back(node);
  owe(source, lane, kind);
}

void Ofi::owe(int ec, int lane, int kind) {
  PeerLane& mine = state_of(ec).by_lane[lane];
  if (ec == me_) {
    mine.credits[kind].fetch_add(1, std::memory_order_relaxed);
    return;
  }
  const int grant = kind % 2 ? credits_payload_ : credits_plain_;
  const int owed = mine.owed[kind].fetch_add(1, std::memory_order_relaxed) + 1;
  if (owed * 2 >= grant) return_credits(ec, lane);
}

void Ofi::return_credits(int ec, int lane) {
  PeerState* peer = reach(ec);
  if (!peer) return;
  PeerLane& mine = peer->by_lane[lane];
  Inlet& inlet = inlets_[lane];
  if (!inlet.port->domain->lock.try_lock()) {
    owing_.store(1, std::memory_order_relaxed);
    return;
  }
  Returned returned;
  for (int kind = 0; kind < kCreditKinds; ++kind)
    returned.counts[kind] =
        static_cast<uint16_t>(mine.owed[kind].exchange(0, std::memory_order_relaxed));
  Header header =
      make_header(Envelope(Traffic::kReply, lane, 0, 0, 0), me_, sizeof returned, nullptr);
  header.cookie = peer->cookie;
  header.kind = MessageKind::kCredit;
  Node* node = take_node(inlet, true);
  node->kind = Tracked::Kind::kControl;
  const size_t bytes = fill(node->data(), header, &returned, nullptr);
  const fi_addr_t address = address_of(inlet, *peer, ec, lane);
  const ssize_t posted =
      fi_send(inlet.port->ep, node->data(), bytes, node->descriptor, address, &node->context);
  if (posted != 0) {
    give_back(node);
    for (int kind = 0; kind < kCreditKinds; ++kind)
      mine.owed[kind].fetch_add(returned.counts[kind], std::memory_order_relaxed);
    if (posted == -FI_EAGAIN) owing_.store(1, std::memory_order_relaxed);
  }
  inlet.port->domain->lock.unlock();
}

/// What could not be returned when it was due.
void Ofi::return_all_credits() {
  if (owing_.exchange(0, std::memory_order_relaxed) == 0) return;
  for (int ec = 0; ec < num_ecs_; ++ec) {
    const PeerState* peer = peers_[ec].load(std::memory_order_acquire);
    if (!peer || ec == me_) continue;
    for (int lane = 0; lane < shape_.lanes; ++lane)
      for (int kind = 0; kind < kCreditKinds; ++kind) {
        const int grant = kind % 2 ? credits_payload_ : credits_plain_;
        if (peer->by_lane[lane].owed[kind].load(std::memory_order_relaxed) * 2 < grant) continue;
        return_credits(ec, lane);
        break;
      }
  }
}

}  // namespace uccs::net::ofi
