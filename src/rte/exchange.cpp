// SPDX-License-Identifier: BSD-3-Clause
#include "rte/exchange.hpp"

namespace uccs::rte {
namespace {

constexpr size_t kMailboxBytesMax = 4 << 20;
constexpr size_t kMailboxMessageCost = 128;  // so that empty messages are bounded, too
constexpr size_t kValueBytesMax = 64 << 20;

bool matches(int wanted, int actual, int any) { return wanted == any || wanted == actual; }

}  // namespace

Exchange::Exchange(int num_ecs, ReplyFunction reply, void* user)
    : ecs_(static_cast<size_t>(num_ecs)), reply_(reply), user_(user) {}

void Exchange::handle(int ec, const Packet& packet) {
  switch (packet.header.kind) {
    case PacketKind::kPut:
      return put(ec, packet);
    case PacketKind::kGet:
      return get(ec, packet);
    case PacketKind::kFence:
      return fence(ec, packet.header.id);
    case PacketKind::kSend:
      return send(ec, packet);
    case PacketKind::kReceive:
      return receive(ec, packet);
    case PacketKind::kCancel:
      return cancel(ec, packet.header.id);
    case PacketKind::kEnd:
    case PacketKind::kReply:
    case PacketKind::kHello:
    case PacketKind::kWelcome:
    case PacketKind::kPhase:
      return;
  }
}

void Exchange::put(int ec, const Packet& packet) {
  Ec& owner = ecs_[static_cast<size_t>(ec)];
  std::string key(packet.key, packet.header.key_bytes);
  const size_t bytes = packet.header.data_bytes;
  const auto old = owner.values.find(key);
  const size_t freed = old != owner.values.end() ? key.size() + old->second.size() : 0;
  if (owner.value_bytes - freed + key.size() + bytes > kValueBytesMax)
    return answer(ec, packet.header.id, UCCS_ERR_NO_MEMORY);
  owner.value_bytes += key.size() + bytes - freed;
  const auto waiting = owner.waiting.find(key);
  if (waiting != owner.waiting.end()) {
    for (const Waiting& getter : waiting->second)
      answer_data(getter.ec, getter.id, ec, 0, packet.data, bytes);
    owner.waiting.erase(waiting);
  }
  owner.values.insert_or_assign(std::move(key), std::string(packet.data, bytes));
  answer(ec, packet.header.id, UCCS_OK);
}

void Exchange::get(int ec, const Packet& packet) {
  Ec& owner = ecs_[static_cast<size_t>(packet.header.ec)];
  std::string key(packet.key, packet.header.key_bytes);
  const auto found = owner.values.find(key);
  if (found != owner.values.end()) {
    answer_data(ec, packet.header.id, packet.header.ec, 0, found->second.data(),
                found->second.size());
  } else if (owner.has_ended) {
    answer(ec, packet.header.id, UCCS_ERR_PEER_FAILED);
  } else {
    owner.waiting[std::move(key)].push_back({ec, packet.header.id});
  }
}

void Exchange::fence(int ec, uint64_t id) {
  if (ended_ > 0) return answer(ec, id, UCCS_ERR_PEER_FAILED);
  Ec& self = ecs_[static_cast<size_t>(ec)];
  self.fences.push_back(id);
  if (self.fences.size() > 1 || ++in_fence_ < static_cast<int>(ecs_.size())) return;
  in_fence_ = 0;
  for (size_t i = 0; i < ecs_.size(); ++i) {
    const uint64_t done = ecs_[i].fences.front();
    ecs_[i].fences.pop_front();
    if (!ecs_[i].fences.empty()) ++in_fence_;
    answer(static_cast<int>(i), done, UCCS_OK);
  }
}

void Exchange::send(int ec, const Packet& packet) {
  const PacketHeader& header = packet.header;
  Ec& target = ecs_[static_cast<size_t>(header.ec)];
  if (target.has_ended) return answer(ec, header.id, UCCS_ERR_PEER_FAILED);
  for (auto receive = target.receives.begin(); receive != target.receives.end(); ++receive) {
    if (!matches(receive->source, ec, kAnyEc) || !matches(receive->tag, header.tag, kAnyTag))
      continue;
    answer_data(header.ec, receive->id, ec, header.tag, packet.data, header.data_bytes);
    target.receives.erase(receive);
    return answer(ec, header.id, UCCS_OK);
  }
  if (target.mailbox_bytes + header.data_bytes > kMailboxBytesMax)
    return answer(ec, header.id, UCCS_AGAIN);
  target.mailbox_bytes += header.data_bytes + kMailboxMessageCost;
  target.mailbox.push_back({ec, header.tag, std::string(packet.data, header.data_bytes)});
  answer(ec, header.id, UCCS_OK);
}

void Exchange::receive(int ec, const Packet& packet) {
  const PacketHeader& header = packet.header;
  Ec& self = ecs_[static_cast<size_t>(ec)];
  for (auto message = self.mailbox.begin(); message != self.mailbox.end(); ++message) {
    if (!matches(header.ec, message->source, kAnyEc) || !matches(header.tag, message->tag, kAnyTag))
      continue;
    answer_data(ec, header.id, message->source, message->tag, message->data.data(),
                message->data.size());
    self.mailbox_bytes -= message->data.size() + kMailboxMessageCost;
    self.mailbox.erase(message);
    return;
  }
  if (header.ec != kAnyEc && ecs_[static_cast<size_t>(header.ec)].has_ended)
    return answer(ec, header.id, UCCS_ERR_PEER_FAILED);
  self.receives.push_back({header.id, header.ec, header.tag});
}

void Exchange::cancel(int ec, uint64_t id) {
  std::deque<uint64_t>& fences = ecs_[static_cast<size_t>(ec)].fences;
  for (auto fence = fences.begin(); fence != fences.end(); ++fence) {
    if (*fence != id) continue;
    fences.erase(fence);
    if (fences.empty()) --in_fence_;
    return answer(ec, id, UCCS_ERR_TIMEOUT);
  }
  std::deque<Receive>& receives = ecs_[static_cast<size_t>(ec)].receives;
  for (auto receive = receives.begin(); receive != receives.end(); ++receive) {
    if (receive->id != id) continue;
    receives.erase(receive);
    return answer(ec, id, UCCS_ERR_TIMEOUT);
  }
  for (Ec& owner : ecs_)
    for (auto& [key, getters] : owner.waiting)
      for (auto getter = getters.begin(); getter != getters.end(); ++getter) {
        if (getter->ec != ec || getter->id != id) continue;
        getters.erase(getter);
        if (getters.empty()) owner.waiting.erase(std::string(key));
        return answer(ec, id, UCCS_ERR_TIMEOUT);
      }
  // Else its answer is already on the way.
}

void Exchange::fail_fences() {
  for (size_t i = 0; i < ecs_.size(); ++i) {
    for (const uint64_t id : ecs_[i].fences) answer(static_cast<int>(i), id, UCCS_ERR_PEER_FAILED);
    ecs_[i].fences.clear();
  }
  in_fence_ = 0;
}

void Exchange::remove(int ec) {
  Ec& gone = ecs_[static_cast<size_t>(ec)];
  if (gone.has_ended) return;
  gone.has_ended = true;
  ++ended_;
  gone.fences.clear();
  gone.receives.clear();
  gone.mailbox.clear();
  gone.mailbox_bytes = 0;
  fail_fences();
  for (auto& [key, getters] : gone.waiting)
    for (const Waiting& getter : getters) answer(getter.ec, getter.id, UCCS_ERR_PEER_FAILED);
  gone.waiting.clear();
  for (size_t i = 0; i < ecs_.size(); ++i) {
    std::deque<Receive>& receives = ecs_[i].receives;
    for (auto receive = receives.begin(); receive != receives.end();) {
      if (receive->source != ec) {
        ++receive;
        continue;
      }
      answer(static_cast<int>(i), receive->id, UCCS_ERR_PEER_FAILED);
      receive = receives.erase(receive);
    }
  }
}

void Exchange::answer(int ec, uint64_t id, uccs_status_t status) {
  Packet reply;
  reply.header.id = id;
  reply.header.status = status;
  reply_(user_, ec, reply);
}

void Exchange::answer_data(int ec, uint64_t id, int source, int tag, const char* data,
                           size_t bytes) {
  Packet reply;
  reply.header.id = id;
  reply.header.status = UCCS_OK;
  reply.header.ec = source;
  reply.header.tag = tag;
  reply.header.data_bytes = static_cast<uint32_t>(bytes);
  reply.data = data;
  reply_(user_, ec, reply);
}

}  // namespace uccs::rte
