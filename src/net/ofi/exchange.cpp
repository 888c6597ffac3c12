// SPDX-License-Identifier: BSD-3-Clause
/// Questions: short messages without credits that whoever looks at an inlet answers. Atomics, which
/// it does, and what chunks.cpp asks. The answer comes to the inlet that the asking thread looks
/// at.
#include <string.h>

#include "base/log.hpp"
#include "net/ofi/ofi.hpp"

namespace uccs::net::ofi {

static_assert(sizeof(Header) + sizeof(ExchangeBody) <= kShortMax);

/// The ticket of an operation: its channel, and its number there.
static_assert(kWorks <= 1 << 16);

/// For what a Result ends; nullptr: not now. With the domain's lock held.
Work* Ofi::Channel::take_to_ask(uint64_t* result_out, Completion* completion) {
  Work* work = asked_.load(std::memory_order_relaxed) < kAskedMax ? take_work() : nullptr;
  if (!work) return nullptr;
  work->kind = Tracked::Kind::kTransfer;
  work->completion = completion;
  work->result = result_out;
  return work;
}

uint32_t Ofi::Channel::ticket_of(const Work* work) const {
  return static_cast<uint32_t>(index_) << 16 | static_cast<uint32_t>(work - works_.get());
}

Header Ofi::Channel::question_header(const PeerState& peer, MessageKind kind, size_t bytes) const {
  const int answers = lane_.load(std::memory_order_relaxed);
  Header header =
      make_header(Envelope(Traffic::kReply, answers, 0, 0, 0), owner_->me_, bytes, nullptr);
  header.cookie = peer.cookie;
  header.kind = kind;
  return header;
}

/// `carrier` is nullptr for what was injected.
uccs_status_t Ofi::Channel::finish_ask(ssize_t posted, Work* work, Work* carrier, PeerState& peer,
                                       int ec, size_t bytes) {
  if (carrier && finish_post(posted, carrier, peer, ec, bytes) != UCCS_IN_PROGRESS) {
    give_back(work);
    return posted == -FI_EAGAIN ? UCCS_AGAIN : UCCS_ERR_PEER_FAILED;
  }
  const uccs_status_t status = finish_post(posted, work, peer, ec, bytes);
  if (status != UCCS_IN_PROGRESS) return status;
  work->is_asked = true;
  asked_.fetch_add(1, std::memory_order_relaxed);
  return status;
}

/// With the domain's lock held.
uccs_status_t Ofi::Channel::ask(PeerState& peer, int ec, const Remote& target,
                                const AtomicArguments& arguments, uint64_t* result_out,
                                Completion* completion) {
  const int lane = index_ % peer.lanes;
  const fi_addr_t address = owner_->address_of(*port_, peer, ec, lane);
  if (address == FI_ADDR_UNSPEC) return UCCS_ERR_PEER_FAILED;
  Work* work = take_to_ask(result_out, completion);
  const size_t bytes = sizeof(Header) + sizeof(ExchangeBody);
  const bool is_small = bytes <= owner_->fabric_->inject_max();
  Buffer* buffer = work && !is_small ? take_buffer() : nullptr;
  if (!work || (!is_small && !buffer)) {
    if (work) give_back(work);
    poll();
    return UCCS_AGAIN;
  }
  const Question question = {place_of(target), base::atomic_size(arguments.type),
                             owner_->mail_.cookie(), ticket_of(work)};
  const ExchangeBody body = exchange_of(question, arguments);
  const Header header = question_header(peer, MessageKind::kExchange, sizeof body);
  alignas(8) std::byte small[kShortMax];
  std::byte* data = buffer ? buffer->data : small;
  fill(data, header, &body, nullptr);
  if (buffer) buffer->kind = Tracked::Kind::kMessage;
  return finish_ask(send(data, bytes, address, buffer), work, buffer, peer, ec, bytes);
}

uccs_status_t Ofi::Channel::atomic(int ec, const Remote& target, const AtomicArguments& arguments,
                                   uint64_t* result_out, Completion* completion) {
  Ofi& ofi = *owner_;
  if (target.area == Area::kRegistered || !completion) return UCCS_ERR_UNSUPPORTED;
  const size_t bytes = base::atomic_size(arguments.type);
  if (ec == ofi.me_) {
    uint64_t old;
    const ExchangeBody body = exchange_of({place_of(target), bytes, 0, 0}, arguments);
    if (!apply_exchange(ofi.areas(), body, &old)) return UCCS_ERR_ADDRESS;
    if (result_out) *result_out = old;
    return UCCS_OK;
  }
  PeerState* peer = ofi.peers_.reach(ec);
  if (!peer) return UCCS_ERR_PEER_FAILED;
  const uint64_t room = target.area == Area::kHeap ? peer->heap_bytes : peer->static_bytes;
  if (target.offset > room || bytes > room - target.offset) return UCCS_ERR_ADDRESS;
  // Areas begin alike on all ECs, up to a page.
  const std::byte* here = ofi.areas().at(place_of(target), bytes);
  if (!here) return UCCS_ERR_UNSUPPORTED;
  if (reinterpret_cast<uintptr_t>(here) % bytes != 0) return UCCS_ERR_INVALID;
  const std::lock_guard guard(port_->domain->lock);  // for a moment: others only look at the queue
  return ask(*peer, ec, target, arguments, result_out, completion);
}

/// With the domain's lock held. False: nobody waits for that.
bool Ofi::Channel::end_asked(const Result& result, int source) {
  const uint32_t number = result.ticket & 0xffff;
  if (number >= kWorks) return false;
  Work& work = works_[number];
  if (!work.is_asked || work.ec != source) return false;
  work.is_asked = false;
  work.posted_ns = 0;
  asked_.fetch_sub(1, std::memory_order_relaxed);
  owner_->silence_.note_heard(owner_->peers_.state_of(source).trouble);
  if (work.result) *work.result = result.value;
  finished_.add(&work, UCCS_OK);
  return true;
}

/// Bytes of what is asked or answered; 0: that is neither.
static size_t length_of(MessageKind kind) {
  switch (kind) {
    case MessageKind::kExchange:
      return sizeof(ExchangeBody);
    case MessageKind::kResult:
      return sizeof(Result);
    case MessageKind::kChunk:
    case MessageKind::kKey:
      return sizeof(ChunkBody);
    default:
      return 0;
  }
}

bool Ofi::is_of_job(const Header& header) const {
  return header.cookie == mail_.cookie() && header.source >= 0 && header.source < num_ecs_;
}

void Ofi::note_dropped(size_t length) {
  base::log_line(base::LogLevel::kWarn,
                 "the network brought %zu bytes that are no message of this job: dropped", length);
}

/// With the domain's lock held.
void Ofi::defer(Inlet& inlet, Node* node, size_t length) {
  const Header& header = node->header();
  const size_t body = length_of(header.kind);
  if (body == 0 || length != sizeof header + body || header.head_bytes != body ||
      !is_of_job(header)) {
    note_dropped(length);
    return mail_.give_back(node);
  }
  node->next = nullptr;
  *inlet.asked_end = node;
  inlet.asked_end = &node->next;
}

/// Takes the node over.
const Ofi::Channel* Ofi::take_asked(Inlet& inlet, Node* node) {
  const Header header = node->header();
  if (header.kind == MessageKind::kExchange || header.kind == MessageKind::kChunk) {
    answer(inlet, node);
    return nullptr;
  }
  const Channel* ended = nullptr;
  const std::byte* at = node->data() + sizeof header;
  if (header.kind == MessageKind::kResult) {
    Result result;
    memcpy(&result, at, sizeof result);
    ended = take_result(header.source, result);
  } else {
    ChunkBody key;
    memcpy(&key, at, sizeof key);
    take_key(header.source, key);
  }
  mail_.give_back(node);
  return ended;
}

const Ofi::Channel* Ofi::take_result(int source, const Result& result) {
  const auto index = static_cast<int>(result.ticket >> 16);
  if (index >= open_channels_.load(std::memory_order_acquire)) return nullptr;
  Channel& channel = channels_[index];
  const std::lock_guard guard(channel.port_->domain->lock);
  return channel.end_asked(result, source) ? &channel : nullptr;
}

/// Takes the node over.
void Ofi::answer(Inlet& inlet, Node* node) {
  const Header asked_by = node->header();
  PeerState* peer = peers_.reach(asked_by.source);
  const std::byte* at = node->data() + sizeof asked_by;
  uint64_t cookie = 0;
  Result result = {};
  ChunkBody chunk = {};
  const bool is_exchange = asked_by.kind == MessageKind::kExchange;
  bool is_done;
  if (is_exchange) {
    ExchangeBody asked;
    memcpy(&asked, at, sizeof asked);
    cookie = asked.question.cookie;
    result.ticket = asked.question.ticket;
    is_done = peer && apply_exchange(areas(), asked, &result.value);
  } else {
    memcpy(&chunk, at, sizeof chunk);
    cookie = chunk.cookie;
    is_done = peer && answer_chunk(inlet, &chunk);
  }
  if (!is_done) return mail_.give_back(node);
  if (is_exchange)
    send_reply(inlet, node, asked_by, {MessageKind::kResult, cookie, &result, sizeof result});
  else
    send_reply(inlet, node, asked_by, {MessageKind::kKey, cookie, &chunk, sizeof chunk});
}

/// To whom has asked, as soon as it can leave.
void Ofi::send_reply(Inlet& inlet, Node* node, const Header& asked_by, const Reply& reply) {
  const PeerState& peer = peers_.state_of(asked_by.source);
  Header header = make_header(Envelope(Traffic::kReply, asked_by.lane % peer.lanes, 0, 0, 0), me_,
                              reply.bytes, nullptr);
  header.cookie = reply.cookie;
  header.kind = reply.kind;
  // Whom it is for, until it leaves.
  header.source = asked_by.source;
  fill(node->data(), header, reply.body, nullptr);
  const std::lock_guard guard(inlet.port->domain->lock);
  send_owed(inlet);
  if (!inlet.owed && send_answer(inlet, node)) return;
  node->next = nullptr;
  *inlet.owed_end = node;
  inlet.owed_end = &node->next;
}

bool Ofi::send_answer(Inlet& inlet, Node* node) {
  Header header = node->header();
  const int ec = header.source;
  const fi_addr_t address = address_of(*inlet.port, peers_.state_of(ec), ec, header.lane);
  header.source = me_;
  memcpy(node->data(), &header, sizeof header);
  const size_t bytes = sizeof header + header.head_bytes;
  ssize_t posted = -FI_EHOSTUNREACH;
  bool is_kept = false;
  if (address != FI_ADDR_UNSPEC && bytes <= fabric_->inject_max()) {
    posted = fi_inject(inlet.port->ep, node->data(), bytes, address);
  } else if (address != FI_ADDR_UNSPEC) {
    Tracked* tracked = tracked_of(node);
    tracked->kind = Tracked::Kind::kControl;
    posted = send_from(*inlet.port, node->data(), bytes, node->descriptor, address, tracked);
    is_kept = posted == 0;
  }
  if (posted == -FI_EAGAIN) {
    header.source = ec;
    memcpy(node->data(), &header, sizeof header);
    return false;
  }
  // With another error the connection is gone, and with it who asked.
  if (!is_kept) mail_.give_back(node);
  return true;
}

void Ofi::send_owed(Inlet& inlet) {
  while (Node* node = inlet.owed) {
    Node* next = node->next;
    if (!send_answer(inlet, node)) return;
    inlet.owed = next;
    if (!next) inlet.owed_end = &inlet.owed;
  }
}

}  // namespace uccs::net::ofi
