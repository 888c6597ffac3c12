// SPDX-License-Identifier: BSD-3-Clause
/// The heap is mapped in chunks, each when somebody first reaches for it (net/transport.hpp): who
/// has no key of a chunk asks for it. Over tcp only gets and UCX's atomics need keys.
#include <string.h>

#include <algorithm>
#include <bit>
#include <new>

#include "base/log.hpp"
#include "net/ucx/ucx.hpp"

namespace uccs::net::ucx {
namespace {

struct KeyBody {
  int32_t chunk;
  std::byte key[kKeyMax];
};
static_assert(sizeof(KeyBody) <= UINT8_MAX);  // Header::head_bytes

}  // namespace

PeerState::~PeerState() {
  for (auto& key : chunk_keys) delete key.load(std::memory_order_relaxed);
}

/// Maps it now if it is not; nullptr: UCX refuses.
const Mapped* Ucx::map_chunk(int chunk) {
  const std::lock_guard guard(chunks_lock_);
  Mapped& mapped = chunks_[chunk];
  const uint64_t begin = chunk_begin(chunk);
  if (mapped.handle || begin >= heap_.bytes) return &mapped;
  const uint64_t end = std::min<uint64_t>(chunk_end(chunk), heap_.bytes);
  return library_.map({heap_.base + begin, end - begin}, &mapped) ? &mapped : nullptr;
}

/// With the lock held. nullptr: not now, or not at all.
ucp_rkey_h Channel::key_of(Link& link, const Remote& remote, uccs_status_t* why_not) {
  const bool is_heap = remote.area == Area::kHeap;
  const int chunk = is_heap ? chunk_of(remote.offset) : 0;
  ucp_rkey_h& key = is_heap ? link.heap_keys[chunk] : link.statics_key;
  if (key) [[likely]]
    return key;
  PeerState& peer = *link.peer;
  const std::byte* packed = peer.address.key(remote.area).bytes;
  if (chunk > 0) {
    const PackedKey* found = peer.chunk_keys[chunk].load(std::memory_order_acquire);
    packed = found ? found->bytes : nullptr;
  }
  *why_not = UCCS_ERR_UNSUPPORTED;
  if (packed) return ucp_ep_rkey_unpack(link.ep, packed, &key) == UCS_OK ? key : (key = nullptr);
  *why_not = UCCS_AGAIN;
  const int32_t wanted = chunk;
  const uint32_t bit = 1u << chunk;
  if ((peer.asked_chunks.load(std::memory_order_relaxed) & bit) != 0) {
    owner_->silence_.note_refused(peer.trouble);  // if it stays so, the peer is lost
  } else if (send_control(link.ec, peer, index_, MessageKind::kChunk, &wanted, sizeof wanted)) {
    peer.asked_chunks.fetch_or(bit, std::memory_order_relaxed);  // once: the answer is owed
  }
  return nullptr;
}

/// In UCX's callback, as what follows: the answer is left to those who attend. False: no question.
bool Ucx::take_chunk(int source, const std::byte* body, size_t bytes) {
  int32_t chunk;
  if (bytes != sizeof chunk) return false;
  memcpy(&chunk, body, sizeof chunk);
  if (chunk < 1 || chunk >= kChunksMax || chunk_begin(chunk) >= heap_.bytes) return false;
  peers_.state_of(source).wanted_chunks.fetch_or(1u << chunk, std::memory_order_relaxed);
  has_duties_.store(true, std::memory_order_release);
  return true;
}

bool Ucx::take_key(int source, const std::byte* body, size_t bytes) {
  KeyBody told = {};
  if (bytes <= offsetof(KeyBody, key) || bytes > sizeof told) return false;
  memcpy(&told, body, bytes);
  if (told.chunk < 1 || told.chunk >= kChunksMax) return false;
  PeerState& peer = peers_.state_of(source);
  silence_.note_heard(peer.trouble);
  auto* key = new (std::nothrow) PackedKey;
  if (!key) base::fatal("no memory for the keys of an EC's heap");
  memcpy(key->bytes, told.key, sizeof key->bytes);
  PackedKey* none = nullptr;
  if (!peer.chunk_keys[told.chunk].compare_exchange_strong(none, key, std::memory_order_acq_rel))
    delete key;  // two threads asked
  return true;
}

/// False: some are still owed.
bool Ucx::send_keys(int ec, PeerState& peer) {
  const uint32_t wanted = peer.wanted_chunks.exchange(0, std::memory_order_relaxed);
  uint32_t owed = 0;
  for (uint32_t left = wanted; left != 0; left &= left - 1) {
    const int chunk = std::countr_zero(left);
    const Mapped* mapped = map_chunk(chunk);
    if (!mapped || mapped->key_bytes > kKeyMax)
      base::fatal("UCX maps no more than %llu bytes of the symmetric heap: raise `ulimit -l`",
                  static_cast<unsigned long long>(chunk_begin(chunk)));
    KeyBody body = {};
    body.chunk = chunk;
    memcpy(body.key, mapped->key, mapped->key_bytes);
    const size_t bytes = offsetof(KeyBody, key) + mapped->key_bytes;
    ucx::Channel& channel = channels_[0];
    const bool is_mine = peers_.reach(ec) && channel.lock_->try_lock();
    if (!is_mine || !channel.send_control(ec, peer, 0, MessageKind::kKey, &body, bytes))
      owed |= 1u << chunk;
    if (is_mine) channel.lock_->unlock();
  }
  if (owed != 0) peer.wanted_chunks.fetch_or(owed, std::memory_order_relaxed);
  return owed == 0;
}

}  // namespace uccs::net::ucx
