// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include <atomic>
#include <bit>
#include <memory>

#include "base/sparse.hpp"
#include "core/channel.hpp"
#include "core/context.hpp"
#include "core/pack_records.hpp"
#include "core/parcel.hpp"
#include "core/request.hpp"
#include "core/thread.hpp"

/// Operations on ECs of other nodes, held back and sent together: docs/aggregation.md.
namespace uccs::core {

/// What one context of a model has packed, in buffers that each thread has for itself as long as it
/// has a channel for itself. Records of one message are applied in their order; messages in any.
/// Threads: any, but for the end.
class Pack {
 public:
  /// `context`: whose link is used; nullptr: the job's. Returns nullptr when there is no memory.
  static Pack* make(Context* context);
  /// After a Settling of all is over.
  ~Pack();
  Pack(const Pack&) = delete;
  Pack& operator=(const Pack&) = delete;

  /// Operations on memory of EC `ec`, which is on another node. UCCS_OK: noted, a put's
  /// source is free, results come before a Settling is over. UCCS_AGAIN: the buffer is full
  /// and cannot leave, make progress. UCCS_ERR_UNSUPPORTED: not one to be packed.
  uccs_status_t put(int ec, WireAddress dest, const void* source, size_t bytes);
  uccs_status_t get(int ec, WireAddress source, void* dest, size_t bytes);
  /// `result`: as long as the type, gets the old value; nullptr: nobody wants that.
  uccs_status_t atomic(int ec, const net::AtomicArguments& arguments, WireAddress target,
                       void* result);
  /// A short active message to any lane; no answer comes.
  uccs_status_t message(int ec, int id, const void* data, size_t bytes);

  /// Sends what the thread has packed, as far as that needs no waiting. True: all of it.
  bool push();
  /// Nothing that the thread has packed is under way; `thread`: its slot of the context.
  bool is_settled(const ThreadSlot& thread) const {
    return shares_[share_of(thread)].parcels.are_none();
  }
  /// Nothing that any thread has packed is.
  bool is_settled() const {
    return all_of(kAllShares, [](const Parcels& each) { return each.are_none(); });
  }
  /// Sends what any thread packed some milliseconds ago, likewise. Quick when called often.
  void age();

 private:
  friend void age_packs();
  friend class Settling;
  /// Threads note in buffers of their own: those of one share, by their channel.
  static constexpr int kShares = 16;
  static constexpr uint32_t kAllShares = (uint32_t{1} << kShares) - 1;
  struct alignas(64) Share {
    std::atomic<PackTarget*> first = nullptr;  ///< the list of those that exist
    Parcels parcels;
  };
  Pack() = default;

  /// Whether `is_so` holds for all parcels of those shares.
  template <typename Predicate>
  bool all_of(uint32_t shares, Predicate is_so) const {
    const uint32_t made = made_shares_.load(std::memory_order_acquire) & shares;
    for (uint32_t left = made; left != 0; left &= left - 1)
      if (!is_so(shares_[std::countr_zero(left)].parcels)) return false;
    return true;
  }
  static int share_of(const ThreadSlot& thread) { return thread.channel->index % kShares; }
  /// The calling thread's slot of the context.
  ThreadSlot& thread() const;
  /// Where the target is found that the share has at the place: an EC, for operations on memory, or
  /// behind all of those, for messages.
  std::atomic<PackTarget*>& home_of(int share, int place) {
    return targets_[share * places() + place];
  }
  static int places();
  PackTarget* target(int place);
  PackTarget* make_target(int share, int place);
  uccs_status_t send_leftovers(uint32_t shares);

  size_t capacity_ = kPackMax;
  Context* context_ = nullptr;  ///< nullptr: the job's
  std::atomic<uint64_t> next_look_ns_ = 0;
  /// By EC, then the same for messages; then that for the next share.
  base::SparseArray<std::atomic<PackTarget*>> targets_;
  Share shares_[kShares];
  net::FlushCount flushes_;
  std::atomic<uint32_t> made_shares_ = 0;  ///< a bit each: those that have had a target
  /// A bit each, by account (remote.hpp): the shares of those who have packed on it.
  std::atomic<uint32_t> shares_of_[Pending::kBuckets] = {};
  bool is_live_ = false;  ///< one exists; guarded by the lock of the list of Packs
  Pack* next_ = nullptr;  ///< among those of the job's context
};

/// Waiting for what had been packed for EC `ec`, or for all (-1), at the first look: it is sent,
/// then all of it is to be done there and its results are to be here. What other threads pack
/// meanwhile is theirs.
class Settling {
 public:
  Settling(Pack* pack, int ec) : Settling(pack, ec, Pack::kAllShares) {}
  /// Only what was packed by those who have packed on that account.
  static Settling of_account(Pack* pack, uint8_t account) {
    return {pack, -1, pack ? pack->shares_of_[account].load(std::memory_order_relaxed) : 0};
  }
  /// Only what the calling thread has packed.
  static Settling of_thread(Pack* pack, int ec) {
    return {pack, ec, uint32_t{1} << Pack::share_of(pack->thread())};
  }
  /// UCCS_OK, UCCS_IN_PROGRESS (make progress and look again), or what went wrong.
  uccs_status_t look();
  /// The same for those who have no words for what went wrong: that ends the job.
  bool is_over();

 private:
  Settling(Pack* pack, int ec, uint32_t shares) : pack_(pack), ec_(ec), shares_(shares) {}
  uccs_status_t send_what_came_before(PackTarget& to) const;
  uccs_status_t look_at_all();
  uccs_status_t look_at_one();

  Pack* pack_;  ///< nullptr: nothing is packed
  int ec_;
  uint32_t shares_;           ///< a bit each
  uint64_t flush_ = 0;        ///< its number; 0: has not begun
  uint32_t unsent_ = 0;       ///< of the shares, those that have not had their turn
  PackTarget* at_ = nullptr;  ///< the next one whose turn it is, of the first of them
};

/// For whoever waits or makes progress: sends what was packed some milliseconds ago and forgotten,
/// so that nobody waits for it for ever. Quick when there is nothing. Not in callbacks.
void age_packs();

/// How long something may be held back while progress is made, about; 0 while no Pack exists.
uint64_t pack_age_ns();

/// Does what EC `ec` has packed into a batch: net::OpenParameters::apply_batch.
void apply_batch(void* user, int ec, const std::byte* records, size_t bytes);

}  // namespace uccs::core
