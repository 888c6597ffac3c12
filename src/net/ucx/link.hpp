// SPDX-License-Identifier: BSD-3-Clause
/// What a channel keeps: bytes and operations on their way, connections, and what it knows of the
/// EC at the other end.
#pragma once
#include <atomic>

#include "net/parts/peers.hpp"
#include "net/parts/pending.hpp"
#include "net/parts/proofs.hpp"
#include "net/parts/silence.hpp"
#include "net/transport.hpp"
#include "net/ucx/address.hpp"
#include "net/ucx/library.hpp"

namespace uccs::net::ucx {

class Channel;
struct Link;
struct PeerState;

/// How many operations have not been told to be over. Counted under the channel's lock, so without
/// locked instructions; looked at without it.
class UnderWay {
 public:
  void add() { count_.store(count() + 1, std::memory_order_relaxed); }
  /// Whoever sees that there are none sees what the last one brought.
  void remove() { count_.store(count() - 1, std::memory_order_release); }
  bool is_none() const { return count_.load(std::memory_order_acquire) == 0; }
  uint32_t count() const { return count_.load(std::memory_order_relaxed); }

 private:
  std::atomic<uint32_t> count_ = 0;
};

/// Bytes on their way out.
struct Buffer {
  Buffer* next;
  Link* link;
  uint64_t posted_ns = 0;  ///< as Operation's, of a message
  ucp_dt_iov_t piece;      ///< see send_short
  alignas(8) std::byte data[kMessageMax];
};

/// A put, get or atomic under way.
struct Operation : Pending {
  Link* link;
  uint64_t posted_ns = 0;  ///< by Ucx::silence_, 0: not under way; guarded by the channel's lock
  uint64_t bytes;
  Buffer* buffer;         ///< a small put's bytes, and heads, until they have left
  std::byte* batch;       ///< likewise
  int waits;              ///< its own end, and for a put also that of a flush
  int leaving;            ///< messages that `buffer` and `batch` are kept for
  bool is_asked = false;  ///< waits for a message with `reply`
  Proof proof;            ///< of puts without completion that its end tells of
  uint64_t operand;       ///< of an atomic
  uint64_t* result;       ///< likewise; may be nullptr
  void* dest;             ///< of a fetch
  uint64_t reply;
};

/// A channel's connection with one worker of an EC, made at first use. Guarded by the channel's
/// lock, as everything that UCX calls back.
struct Link {
  Channel* home;
  PeerState* peer;
  int ec;
  ucp_ep_h ep = nullptr;
  ucp_rkey_h statics_key = nullptr;  ///< these are unpacked at first use
  ucp_rkey_h heap_keys[kChunksMax] = {};
  Pending* unflushed = nullptr;
  Pending* flushing = nullptr;
  bool is_dirty = false;  ///< in the channel's list of those with something to flush
  Link* next_dirty = nullptr;
  Link* next_flushing = nullptr;  ///< of the flush of the whole worker
  Proof unproved = {};            ///< puts that nothing has been asked after yet
  bool is_to_prove = false;       ///< in the channel's list of those that may have such
  Link* next_to_prove = nullptr;
  UnderWay under_way = {};
  ucs_status_t error = UCS_OK;  ///< the connection is broken
};

/// Where UCX's own operations go: some of the memory of an EC, and the way there.
struct Aim {
  int ec = -1;
  Area area = Area::kHeap;
  uint64_t begin = 0, end = 0;  ///< offsets that the key is of
  uint64_t base = 0;            ///< over there, of the area
  Link* link = nullptr;
  ucp_rkey_h key = nullptr;  ///< puts over tcp need none
};

/// Of a chunk of an EC's heap, as UCX packs it.
constexpr size_t kKeyMax = 240;
struct PackedKey {
  std::byte bytes[kKeyMax];
};

/// What is known of another EC.
struct PeerState : PeerBase {
  PeerState() = default;
  ~PeerState();
  PeerAddress address;
  int lanes = 1;                            ///< over there that this EC has, too
  int workers = 1;                          ///< that serve those
  std::atomic<bool> is_greeted = false;     ///< has been told that this EC talks to it
  std::atomic<bool> is_owed_hello = false;  ///< there was no buffer for it
  std::atomic<bool> is_talking = false;     ///< has said so to this EC
  std::atomic<bool> says_farewell = false;  ///< closes; what happens to its connections is no error
  std::atomic<bool> wants_answer = false;
  bool has_heard_farewell = false;
  std::atomic<bool> has_answered = false;  ///< this EC's farewell
  std::atomic<bool> is_missed = false;     ///< an operation came to nothing, as a connection broke
  Trouble trouble;
  // Of the heap's chunks but the first, whose key is in the address.
  std::atomic<PackedKey*> chunk_keys[kChunksMax] = {};
  std::atomic<uint32_t> asked_chunks = 0;   ///< whose keys this EC has asked for, a bit each
  std::atomic<uint32_t> wanted_chunks = 0;  ///< likewise: by it, of the heap here
};

}  // namespace uccs::net::ucx
