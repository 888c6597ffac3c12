// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include <atomic>
#include <memory>

#include "base/sparse.hpp"
#include "core/context.hpp"
#include "core/pack_records.hpp"
#include "core/request.hpp"

/// Operations on ECs of other nodes, held back and sent together: docs/aggregation.md.
namespace uccs::core {

/// What is packed for one EC. Made at first use, kept as long as its Pack.
struct PackTarget;

/// One set of buffers: what one context of a model has. Records of one message are applied in their
/// order; messages in any. Threads: any, but for the end.
class Pack {
 public:
  /// `context`: whose link is used; nullptr: the job's. Returns nullptr when there is no memory.
  static Pack* make(Context* context);
  /// After `settle(-1)` answered UCCS_OK.
  ~Pack();
  Pack(const Pack&) = delete;
  Pack& operator=(const Pack&) = delete;

  /// Operations on memory of EC `ec`, which is on another node. UCCS_OK: noted, a put's
  /// source is free, results come before `settle` answers UCCS_OK. UCCS_AGAIN: the buffer is full
  /// and cannot leave, make progress. UCCS_ERR_UNSUPPORTED: not one to be packed.
  uccs_status_t put(int ec, WireAddress dest, const void* source, size_t bytes);
  uccs_status_t get(int ec, WireAddress source, void* dest, size_t bytes);
  /// `result`: as long as the type, gets the old value; nullptr: nobody wants that.
  uccs_status_t atomic(int ec, const net::AtomicArguments& arguments, WireAddress target,
                       void* result);
  /// A short active message to any lane; no answer comes.
  uccs_status_t message(int ec, int id, const void* data, size_t bytes);

  /// Sends what is packed for `ec`, or for all (-1). UCCS_OK when all of it has been done there and
  /// its results are here, else UCCS_IN_PROGRESS: make progress and ask again.
  uccs_status_t settle(int ec);

  /// Sends what is packed, as far as that needs no waiting. True: all of it.
  bool push();
  /// Sends what has been there for some milliseconds, likewise. Quick when called often.
  void age();

 private:
  friend void age_packs();
  Pack() = default;

  PackTarget* target(int place);
  PackTarget* make_target(int place);
  uccs_status_t settle_one(int place);
  static uccs_status_t settle(PackTarget& target);

  size_t capacity_ = kPackMax;
  Context* context_ = nullptr;  ///< nullptr: the job's
  std::atomic<uint64_t> next_look_ns_ = 0;
  base::SparseArray<std::atomic<PackTarget*>> targets_;  ///< by EC; then the same for messages
  std::atomic<PackTarget*> first_ = nullptr;             ///< the list of those that exist
  Pack* next_ = nullptr;                                 ///< among those of the job's context
};

/// For whoever waits or makes progress: sends what was packed some milliseconds ago and forgotten,
/// so that nobody waits for it for ever. Quick when there is nothing. Not in callbacks.
void age_packs();

/// How long something may be held back while progress is made, about; 0 while no Pack exists.
uint64_t pack_age_ns();

/// Does what EC `ec` has packed into a batch: net::OpenParameters::apply_batch.
void apply_batch(void* user, int ec, const std::byte* records, size_t bytes);

/// Is all that the context packed for EC `ec`, or for all (-1), done?
bool is_pack_settled(Pack& pack, int ec);
inline bool is_settled(Context* context, int ec) {
  return !context->pack || is_pack_settled(*context->pack, ec);
}

}  // namespace uccs::core
