// SPDX-License-Identifier: BSD-3-Clause
#include "net/parts/mail.hpp"

#include <string.h>
#include <sys/random.h>

#include <algorithm>
#include <new>

#include "base/clock.hpp"
#include "base/log.hpp"

namespace uccs::net {
namespace {

int kind_of(const Header& header) {
  return credit_kind(static_cast<Traffic>(header.traffic), header.kind == MessageKind::kPayload);
}

/// A share of what one lane may be sent by all: at least enough to go on.
int share(int total, int peers, int least, int most) {
  return std::clamp(total / peers, least, most);
}

}  // namespace

bool Mail::start(const MailOptions& options) {
  options_ = options;
  grant_plain_ = share(4096, options.num_ecs, 4, 64);
  grant_payload_ = share(1024, options.num_ecs, 2, 16);
  if (getrandom(&cookie_, sizeof cookie_, 0) != sizeof cookie_) cookie_ = base::now_ns();
  boxes_.reset(new (std::nothrow) Mailbox[static_cast<size_t>(options.lanes)]);
  accounts_ = base::make_sparse<std::atomic<Account*>>(static_cast<size_t>(options.num_ecs));
  if (!boxes_ || !accounts_) return false;
  for (int lane = 0; lane < options.lanes; ++lane) boxes_[lane].lane = lane;
  return true;
}

Mail::~Mail() {
  for (int ec = 0; accounts_ && ec < options_.num_ecs; ++ec)
    delete[] accounts_[ec].load(std::memory_order_relaxed);
}

Account* Mail::accounts_of(int ec) {
  // Acquire: pairs with the release below.
  if (Account* found = accounts_[ec].load(std::memory_order_acquire)) [[likely]]
    return found;
  const std::lock_guard guard(making_);
  if (Account* found = accounts_[ec].load(std::memory_order_acquire)) return found;
  auto* made = new (std::nothrow) Account[static_cast<size_t>(options_.lanes)];
  if (!made) base::fatal("no memory to talk to EC %d", ec);
  for (int lane = 0; lane < options_.lanes; ++lane)
    for (int kind = 0; kind < kCreditKinds; ++kind) {
      made[lane].credits[kind].store(grant(kind), std::memory_order_relaxed);
      made[lane].owed[kind].store(0, std::memory_order_relaxed);
    }
  accounts_[ec].store(made, std::memory_order_release);
  return made;
}

Account& Mail::account_of(int ec, int lane) { return accounts_of(ec)[lane]; }

bool Mail::take_credit(Account& account, int kind) {
  std::atomic<int>& credits = account.credits[kind];
  int left = credits.load(std::memory_order_relaxed);
  while (left > 0)
    if (credits.compare_exchange_weak(left, left - 1, std::memory_order_relaxed)) return true;
  return false;
}

uccs_status_t Mail::message_to_self(Envelope envelope, const void* head, size_t head_bytes,
                                    const Payload* payload) {
  const int lane = envelope.lane();
  Account& self = account_of(options_.me, lane);
  if (!take_credit(self, credit_kind(envelope.traffic(), payload != nullptr))) return UCCS_AGAIN;
  Node* node = take_node(lane, payload != nullptr);
  fill(node->data(), make_header(envelope, options_.me, head_bytes, payload), head, payload);
  push(boxes_[lane], node);
  ring();
  return UCCS_OK;
}

Node* Mail::take_node(int lane, bool is_full) {
  constexpr size_t kSlabNodes = 32;
  Mailbox& box = boxes_[lane];
  box.pool_lock.lock();
  Node*& list = is_full ? box.free_full : box.free_short;
  if (!list) {
    // Rare: as many exist as were ever waiting at once, and credits bound that.
    const size_t step =
        padded(options_.prefix + sizeof(Node) + (is_full ? kMessageMax : kShortMax));
    auto slab = std::unique_ptr<std::byte[]>(new (std::nothrow) std::byte[step * kSlabNodes]);
    if (!slab) base::fatal("no memory for messages");
    void* descriptor = is_full && options_.describe
                           ? options_.describe(options_.user, lane, slab.get(), step * kSlabNodes)
                           : nullptr;
    for (size_t i = 0; i < kSlabNodes; ++i) {
      auto* node = reinterpret_cast<Node*>(slab.get() + i * step + options_.prefix);
      node->home = &box;
      node->descriptor = descriptor;
      node->is_full = is_full;
      node->next = list;
      list = node;
    }
    box.slabs.push_back(std::move(slab));
  }
  Node* node = list;
  list = node->next;
  box.pool_lock.unlock();
  return node;
}

void Mail::give_back(Node* node) {
  Mailbox& box = *node->home;
  box.pool_lock.lock();
  Node*& list = node->is_full ? box.free_full : box.free_short;
  node->next = list;
  list = node;
  box.pool_lock.unlock();
}

bool Mail::is_sound(int lane, const Header& header, size_t length) const {
  if (length < sizeof header || header.cookie != cookie_ || header.source < 0 ||
      header.source >= options_.num_ecs || header.lane != lane ||
      header.traffic >= kTrafficClasses || header.head_bytes > kHeadMax ||
      header.payload_bytes > kPayloadMax || length != sizeof header + body_bytes(header))
    return false;
  if (header.kind == MessageKind::kCredit) return header.head_bytes == sizeof(Returned);
  if (header.kind < MessageKind::kCredit) return true;
  return options_.control && header.kind <= MessageKind::kAnswer;
}

int Mail::take_in(int lane, Node* node, size_t length) {
  const Header& header = node->header();
  if (!is_sound(lane, header, length)) {
    base::log_line(base::LogLevel::kWarn,
                   "the network brought %zu bytes that are no message of this job: dropped",
                   length);
    give_back(node);
    return 0;
  }
  if (header.kind == MessageKind::kCredit) {
    Returned returned;
    memcpy(&returned, node->data() + sizeof header, sizeof returned);
    Account& there = account_of(header.source, lane);
    for (int kind = 0; kind < kCreditKinds; ++kind)
      if (returned.counts[kind] > 0)
        there.credits[kind].fetch_add(returned.counts[kind], std::memory_order_relaxed);
    give_back(node);
    return 0;
  }
  if (header.kind > MessageKind::kCredit) {
    options_.control(options_.user, header.source, header.kind);
    give_back(node);
    return 0;
  }
  if (header.kind == MessageKind::kPlain && node->is_full) {  // does not keep a large buffer
    Node* copy = take_node(lane, false);
    memcpy(copy->data(), node->data(), length);
    give_back(node);
    node = copy;
  }
  if (static_cast<Traffic>(node->header().traffic) == Traffic::kSend)
    return take_in_order(boxes_[lane], node);
  push(boxes_[lane], node);
  return 1;
}

/// Threads send by channels of their own, so sends may overtake each other; their numbers tell.
int Mail::take_in_order(Mailbox& box, Node* node) {
  Account& from = account_of(node->header().source, box.lane);
  if (node->header().sequence != from.next_to_read) {
    node->next = from.early;
    from.early = node;
    return 0;
  }
  int pushed = 0;
  while (node) {
    push(box, node);
    ++pushed;
    ++from.next_to_read;
    Node** link = &from.early;
    while (*link && (*link)->header().sequence != from.next_to_read) link = &(*link)->next;
    node = *link;
    if (node) *link = node->next;
  }
  return pushed;
}

void Mail::push(Mailbox& box, Node* node) {
  Inbox& inbox = box.inboxes[node->header().traffic];
  node->next = nullptr;
  inbox.lock.lock();
  (inbox.last ? inbox.last->next : inbox.first) = node;
  inbox.last = node;
  inbox.count.fetch_add(1, std::memory_order_relaxed);
  inbox.lock.unlock();
}

int Mail::deliver_waiting(int lane, uint32_t traffic, int budget, const Sink& sink) {
  int taken = 0;
  for (const Traffic which : {Traffic::kReply, Traffic::kRequest, Traffic::kSend})
    if ((traffic & traffic_bit(which)) != 0) taken += deliver_class(lane, which, budget, sink);
  return taken;
}

int Mail::deliver_class(int lane, Traffic traffic, int budget, const Sink& sink) {
  Inbox& inbox = boxes_[lane].inboxes[static_cast<int>(traffic)];
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
    const Arrival arrival = {.envelope = Envelope::arrived(header.envelope, traffic, lane),
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

void Mail::release(void* token) {
  auto* node = static_cast<Node*>(token);
  const int source = node->header().source, lane = node->home->lane, kind = kind_of(node->header());
  give_back(node);
  owe(source, lane, kind);
}

void Mail::owe(int ec, int lane, int kind) {
  Account& account = account_of(ec, lane);
  if (ec == options_.me) {
    account.credits[kind].fetch_add(1, std::memory_order_relaxed);
    return;
  }
  const int owed = account.owed[kind].fetch_add(1, std::memory_order_relaxed) + 1;
  if (owed * 2 >= grant(kind)) return_credits(ec, lane);
}

void Mail::return_credits(int ec, int lane) {
  Account& account = account_of(ec, lane);
  Returned returned;
  int sum = 0;
  for (int kind = 0; kind < kCreditKinds; ++kind) {
    const int owed = account.owed[kind].exchange(0, std::memory_order_relaxed);
    returned.counts[kind] = static_cast<uint16_t>(owed);
    sum += owed;
  }
  if (sum == 0 || options_.send_credits(options_.user, ec, lane, returned)) return;
  for (int kind = 0; kind < kCreditKinds; ++kind)
    account.owed[kind].fetch_add(returned.counts[kind], std::memory_order_relaxed);
  owing_.store(1, std::memory_order_relaxed);
}

void Mail::return_all() {
  if (owing_.exchange(0, std::memory_order_relaxed) == 0) return;
  for (int ec = 0; ec < options_.num_ecs; ++ec) {
    Account* accounts = accounts_[ec].load(std::memory_order_acquire);
    if (!accounts || ec == options_.me) continue;
    for (int lane = 0; lane < options_.lanes; ++lane)
      for (int kind = 0; kind < kCreditKinds; ++kind) {
        if (accounts[lane].owed[kind].load(std::memory_order_relaxed) * 2 < grant(kind)) continue;
        return_credits(ec, lane);
        break;
      }
  }
}

std::atomic<uint32_t>* Mail::arm(int lane, bool is_waiting) {
  Bell& bell = bells_[lane == Transport::kMemory ? 1 : 0];
  bell.sleepers.fetch_add(is_waiting ? 1 : -1, std::memory_order_seq_cst);
  bell.asked.fetch_add(1, std::memory_order_relaxed);
  return &bell.doorbell;
}

}  // namespace uccs::net
