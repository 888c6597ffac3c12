// SPDX-License-Identifier: BSD-3-Clause
/// The heap is registered in chunks, each when somebody first reaches for it: who has no key of a
/// chunk asks the inlet that it goes through, which registers it then. So memory is pinned as the
/// heap is used, at most twice as much, and an EC keeps keys of what it uses.
#include <string.h>

#include <new>

#include "base/log.hpp"
#include "net/ofi/ofi.hpp"

namespace uccs::net::ofi {

ChunkKeys& Ofi::chunk_keys(PeerLane& lane) {
  ChunkKeys* found = lane.chunks.load(std::memory_order_acquire);
  if (found) return *found;
  auto* made = new (std::nothrow) ChunkKeys;
  if (!made) base::fatal("no memory for the keys of an EC's heap");
  if (lane.chunks.compare_exchange_strong(found, made, std::memory_order_acq_rel)) return *made;
  delete made;
  return *found;
}

/// With the domain's lock held. False: it has been asked for.
bool Ofi::Channel::find_key(PeerState& peer, int ec, int lane, const Remote& remote, Key* key_out) {
  PeerLane& there = peer.by_lane[lane];
  const int chunk = remote.area == Area::kHeap ? chunk_of(remote.offset) : 0;
  if (chunk == 0) {
    *key_out = remote.area == Area::kHeap ? there.heap : there.statics;
    return true;
  }
  const ChunkKeys& keys = chunk_keys(there);
  // Acquire: pairs with take_key.
  if (!keys.is_known[chunk].load(std::memory_order_acquire)) {
    ask_for_chunk(peer, ec, lane, chunk);
    return false;
  }
  *key_out = keys.keys[chunk];
  return true;
}

/// Once: the answer is owed until it leaves.
void Ofi::Channel::ask_for_chunk(PeerState& peer, int ec, int lane, int chunk) {
  std::atomic<bool>& is_asked = chunk_keys(peer.by_lane[lane]).is_asked[chunk];
  if (is_asked.load(std::memory_order_relaxed))
    return owner_->silence_.note_refused(peer.trouble);  // if it stays so, the peer is lost
  Buffer* buffer = take_buffer();
  const fi_addr_t address = owner_->address_of(*port_, peer, ec, lane);
  if (!buffer || address == FI_ADDR_UNSPEC) {
    if (buffer) give_back(buffer);
    return;
  }
  const ChunkBody body = {owner_->mail_.cookie(), lane, chunk, {}};
  const Header header = question_header(peer, MessageKind::kChunk, sizeof body);
  const size_t bytes = fill(buffer->data, header, &body, nullptr);
  buffer->kind = Tracked::Kind::kMessage;
  const ssize_t posted = send(buffer->data, bytes, address, buffer);
  if (finish_post(posted, buffer, peer, ec, bytes) == UCCS_IN_PROGRESS)
    is_asked.store(true, std::memory_order_relaxed);
}

/// Fills in the answer; false: there is no such chunk.
bool Ofi::answer_chunk(Inlet& inlet, ChunkBody* body) {
  if (body->lane != inlet.lane || body->chunk < 1 || body->chunk >= kChunksMax) return false;
  const Extent heap = fabric_->heap();
  const uint64_t begin = chunk_begin(body->chunk);
  if (begin >= heap.bytes) return false;
  const std::lock_guard guard(inlet.port->domain->lock);
  fid_mr* mr = fabric_->register_chunk(inlet.port, body->chunk);
  if (!mr)
    base::fatal(
        "the network registers no more than %llu bytes of the symmetric heap: raise "
        "`ulimit -l`",
        static_cast<unsigned long long>(begin));
  body->key = fabric_->key_of(mr, heap, begin);
  return true;
}

void Ofi::take_key(int source, const ChunkBody& body) {
  PeerState& peer = peers_.state_of(source);
  if (!peer.by_lane || body.lane < 0 || body.lane >= peer.lanes || body.chunk < 1 ||
      body.chunk >= kChunksMax)
    return;
  silence_.note_heard(peer.trouble);
  ChunkKeys& keys = chunk_keys(peer.by_lane[body.lane]);
  if (keys.is_known[body.chunk].load(std::memory_order_relaxed)) return;  // two threads asked
  keys.keys[body.chunk] = body.key;
  keys.is_known[body.chunk].store(true, std::memory_order_release);
}

}  // namespace uccs::net::ofi
