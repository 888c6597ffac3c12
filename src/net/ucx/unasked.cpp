// SPDX-License-Identifier: BSD-3-Clause
/// Short puts over tcp that nobody acknowledges: active messages that the target writes to its
/// memory as they come, so that it answers what it waited for before anything else. A flush sends a
/// question behind them, which is answered when they have been written: messages of one connection
/// arrive in order.
#include <string.h>

#include "base/log.hpp"
#include "net/ucx/ucx.hpp"

namespace uccs::net::ucx {
namespace {

constexpr uint64_t kStaticBit = uint64_t{1} << 63;

struct PutBody {
  uint64_t place;  ///< offset, and kStaticBit
  std::byte bytes[kHeadMax - sizeof(uint64_t)];
};
struct ProofBody {
  uint32_t channel;  ///< of who asks
};

/// What one store can write arrives whole.
void write(std::byte* there, const std::byte* bytes, size_t count) {
  const auto store = [&](auto value) {
    memcpy(&value, bytes, sizeof value);
    __atomic_store_n(reinterpret_cast<decltype(value)*>(there), value, __ATOMIC_RELEASE);
  };
  const auto address = reinterpret_cast<uintptr_t>(there);
  if (count == 8 && address % 8 == 0) return store(uint64_t{});
  if (count == 4 && address % 4 == 0) return store(uint32_t{});
  memcpy(there, bytes, count);
}

}  // namespace

/// What the message of that length costs is less than an acknowledgement.
bool Channel::may_go_unasked(size_t bytes) const {
  return bytes <= sizeof PutBody::bytes && owner_->library_.is_tcp() && !habit_.is_awaited();
}

uccs_status_t Channel::put_unasked(int ec, PeerState& peer, const Remote& dest, const void* source,
                                   size_t bytes) {
  if (!lock_->try_lock()) return UCCS_AGAIN;
  const std::lock_guard guard(*lock_, std::adopt_lock);
  Link* link = link_to(ec, peer, index_ % static_cast<int>(peer.address.head().workers));
  if (!link) return UCCS_ERR_PEER_FAILED;
  if (link->error != UCS_OK) return status_of(*link, link->error);
  PutBody body;
  body.place = dest.offset | (dest.area == Area::kStatic ? kStaticBit : 0);
  memcpy(body.bytes, source, bytes);
  const uccs_status_t status =
      send_body(*link, peer, MessageKind::kPut, &body, offsetof(PutBody, bytes) + bytes);
  if (status != UCCS_OK) return status;
  habit_.put();
  if (link->is_unproved) return UCCS_OK;
  link->is_unproved = true;
  link->next_unproved = unproved_;
  unproved_ = link;
  to_prove_.fetch_add(1, std::memory_order_relaxed);
  return UCCS_OK;
}

/// To the worker that the connection leads to.
uccs_status_t Channel::send_body(Link& link, PeerState& peer, MessageKind kind, const void* body,
                                 size_t body_bytes) {
  Buffer* buffer = take_buffer(link);
  if (!buffer) {
    poll();
    return UCCS_AGAIN;
  }
  const AddressHead& there = peer.address.head();
  const int lane = index_ % static_cast<int>(there.workers);
  Header header =
      make_header(Envelope(Traffic::kReply, lane, 0, 0, 0), owner_->me_, body_bytes, nullptr);
  header.cookie = there.cookie;
  header.kind = kind;
  return send(link, buffer, fill(buffer->data, header, body, nullptr));
}

/// With the lock held.
void Channel::prove() {
  while (Link* link = unproved_) {
    PeerState& peer = owner_->state_of(link->ec);
    const ProofBody body = {static_cast<uint32_t>(index_)};
    const uccs_status_t status =
        link->error != UCS_OK ? status_of(*link, link->error)
                              : send_body(*link, peer, MessageKind::kProve, &body, sizeof body);
    if (status == UCCS_AGAIN) return;  // the next flush asks again
    unproved_ = link->next_unproved;
    link->is_unproved = false;
    if (status < 0) end_unasked(status);
  }
}

void Channel::end_unasked(uccs_status_t status) {
  if (status < 0 && !owner_->is_closing_.load(std::memory_order_relaxed))
    base::fatal("a put that a quiet or fence waits for failed: %s", uccs_status_string(status));
  to_prove_.fetch_sub(1, std::memory_order_release);  // pairs with is_proved
}

/// True when all puts without completion are visible; else it has been asked for.
bool Channel::is_proved() {
  if (to_prove_.load(std::memory_order_acquire) == 0 && !habit_.has_put()) return true;
  if (!lock_->try_lock()) return false;
  habit_.flush();
  prove();
  lock_->unlock();
  return to_prove_.load(std::memory_order_acquire) == 0;
}

/// A message that no Mail sees; true if it was one. In UCX's callback, with the lock held.
bool Channel::take_unasked(const Header& header, const std::byte* body) {
  Ucx& ucx = *owner_;
  const size_t length = header.head_bytes;
  switch (header.kind) {
    case MessageKind::kPut: {
      PutBody put;
      if (length < offsetof(PutBody, bytes) || length > sizeof put) return false;
      memcpy(&put, body, length);
      const bool is_heap = (put.place & kStaticBit) == 0;
      const Extent& memory = is_heap ? ucx.heap_.memory : ucx.statics_.memory;
      const uint64_t offset = put.place & ~kStaticBit;
      const size_t bytes = length - offsetof(PutBody, bytes);
      if (offset > memory.bytes || bytes > memory.bytes - offset) return false;
      write(memory.base + offset, put.bytes, bytes);
      return true;
    }
    case MessageKind::kProve:
    case MessageKind::kProof: {
      ProofBody proof;
      if (length != sizeof proof) return false;
      memcpy(&proof, body, sizeof proof);
      if (header.kind == MessageKind::kProve) {
        answer(header.source, proof.channel);
      } else if (proof.channel < static_cast<uint32_t>(ucx.shape_.channels)) {
        ucx.channels_[proof.channel].end_unasked(UCCS_OK);
      }
      return true;
    }
    default:
      return false;
  }
}

/// At once where that needs no connection, else when duties are attended to.
void Channel::answer(int ec, uint32_t channel) {
  Ucx& ucx = *owner_;
  PeerState& peer = ucx.state_of(ec);
  Link* link = peer.is_known.load(std::memory_order_acquire) && !peer.is_lost
                   ? links_[static_cast<size_t>(ec * ucx.inlets_max_)]
                   : nullptr;
  const ProofBody body = {channel};
  if (link && link->error == UCS_OK && free_buffers_ &&
      send_control(ec, peer, 0, MessageKind::kProof, &body, sizeof body))
    return;
  owed_proofs_.push_back({ec, channel});
  ucx.has_duties_.store(true, std::memory_order_release);
}

/// False: some are still owed.
bool Channel::answer_owed() {
  std::vector<OwedProof> owed;
  {
    const std::lock_guard guard(*lock_);
    owed.swap(owed_proofs_);
  }
  bool is_all = true;
  for (const OwedProof& each : owed) {
    PeerState* peer = owner_->reach(each.ec);
    if (!peer) continue;  // nobody waits for it
    const ProofBody body = {each.channel};
    const std::lock_guard guard(*lock_);
    if (send_control(each.ec, *peer, 0, MessageKind::kProof, &body, sizeof body)) continue;
    owed_proofs_.push_back(each);
    is_all = false;
  }
  return is_all;
}

}  // namespace uccs::net::ucx
