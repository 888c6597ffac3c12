// SPDX-License-Identifier: BSD-3-Clause
/// Short puts over tcp that nobody acknowledges: active messages that the target writes to its
/// memory as they come, so that it answers what it waited for before anything else. A flush asks
/// for a word behind them (exchange.cpp), which is answered when they have been written: active
/// messages of one connection arrive in order.
#include <string.h>

#include "net/ucx/ucx.hpp"

namespace uccs::net::ucx {
namespace {

/// In front of the bytes, of which there are no more than that.
struct PutBody {
  uint64_t place;  ///< as place_of
};
constexpr size_t kPutMax = kHeadMax - sizeof(PutBody);

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
bool Channel::may_go_unasked(const Remote& dest, size_t bytes) const {
  return bytes <= kPutMax && owner_->library_.is_tcp() && (dest.is_flag || !habit_.is_awaited());
}

uccs_status_t Channel::put_unasked(int ec, PeerState& peer, const Remote& dest, uint64_t there,
                                   const void* source, size_t bytes) {
  if (!lock_->try_lock()) return UCCS_AGAIN;
  const std::lock_guard guard(*lock_, std::adopt_lock);
  Link* link = nullptr;
  const uccs_status_t aimed = aim(ec, peer, &link);
  if (aimed != UCCS_OK) return aimed;
  note_aim(*link, dest, there, nullptr);
  return put_unasked_to(*link, dest, source, bytes);
}

uccs_status_t Channel::put_unasked_to(Link& link, const Remote& dest, const void* source,
                                      size_t bytes) {
  const PeerState& peer = *link.peer;
  Buffer* buffer = take_buffer(link);
  if (!buffer) {
    poll();
    return UCCS_AGAIN;
  }
  const PutBody body = {place_of(dest)};
  Header header = make_header(Envelope(Traffic::kReply, index_ % peer.workers, 0, 0, 0),
                              owner_->me_, sizeof body + bytes, nullptr);
  header.cookie = peer.address.head().cookie;
  header.kind = MessageKind::kPut;
  std::byte* const at = buffer->data;
  memcpy(at, &header, sizeof header);
  memcpy(at + sizeof header, &body, sizeof body);
  memcpy(at + sizeof header + sizeof body, source, bytes);
  const uccs_status_t status = send(link, buffer, sizeof header + sizeof body + bytes);
  if (status != UCCS_OK || dest.is_flag) return status;
  habit_.put();
  if (link.unproved.is_awaited) return UCCS_OK;
  proofs_.await(link.unproved, owner_->flushes_.now());
  if (link.is_to_prove) return UCCS_OK;
  link.is_to_prove = true;
  link.next_to_prove = to_prove_;
  to_prove_ = &link;
  return UCCS_OK;
}

/// Asks about all puts so far that nothing has been asked after.
void Channel::prove() {
  for (; Link* link = to_prove_; to_prove_ = link->next_to_prove, link->is_to_prove = false) {
    if (!link->unproved.is_awaited) continue;
    PeerState& peer = owner_->peers_.state_of(link->ec);
    const uccs_status_t status = ask_for_a_word(link->ec, peer, nullptr);
    if (status == UCCS_AGAIN) return;  // the next look asks again
    if (status != UCCS_IN_PROGRESS) proofs_.end(link->unproved, status, owner_->is_closing());
  }
}

/// A question has left: its answer tells of the puts before it, too.
void Channel::note_asked(Operation* operation) {
  operation->is_asked = true;
  Proof& unproved = operation->link->unproved;
  if (unproved.is_awaited)
    proofs_.replace(unproved, operation->proof);
  else if (!operation->completion)
    proofs_.await(operation->proof, owner_->flushes_.now());
}

/// True when all puts without completion from before the flush are visible; else that has been
/// asked for.
bool Channel::is_proved(uint64_t flush) {
  if (proofs_.are_over(flush)) return true;
  if (!lock_->try_lock()) return false;
  prove();
  lock_->unlock();
  return proofs_.are_over(flush);
}

/// In UCX's callback, with the lock held. False: that is no put.
bool Channel::take_put(const Header& header, const std::byte* body) {
  PutBody put;
  if (header.head_bytes < sizeof put) return false;
  memcpy(&put, body, sizeof put);
  const size_t bytes = header.head_bytes - sizeof put;
  std::byte* there = owner_->areas().at(put.place, bytes);
  if (there) write(there, body + sizeof put, bytes);
  return there != nullptr;
}

}  // namespace uccs::net::ucx
