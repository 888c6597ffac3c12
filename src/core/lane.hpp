// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include <atomic>

#include "base/spinlock.hpp"
#include "core/match.hpp"

namespace uccs::core {

/// Messages for user callbacks that a thread which runs none has found. Bounded: when it is full
/// messages stay in the inbox.
class Deferred {
 public:
  bool push(const net::Arrival& arrival, int link) {
    lock_.lock();
    const uint32_t count = count_.load(std::memory_order_relaxed);
    const bool has_room = count < kCapacity;
    if (has_room) {
      items_[(first_ + count) % kCapacity].keep(arrival, link, nullptr);
      count_.store(count + 1, std::memory_order_relaxed);
    }
    lock_.unlock();
    return has_room;
  }
  bool is_empty() const { return count_.load(std::memory_order_relaxed) == 0; }
  bool pop(Kept* kept_out) {
    if (is_empty()) return false;
    lock_.lock();
    const uint32_t count = count_.load(std::memory_order_relaxed);
    if (count > 0) {
      const Kept& oldest = items_[first_];
      kept_out->keep(oldest.arrival, oldest.link, nullptr);
      first_ = (first_ + 1) % kCapacity;
      count_.store(count - 1, std::memory_order_relaxed);
    }
    lock_.unlock();
    return count > 0;
  }

 private:
  static constexpr uint32_t kCapacity = 1024;
  base::SpinLock lock_;  // guards what follows; the count is looked at without
  std::atomic<uint32_t> count_ = 0;
  uint32_t first_ = 0;
  Kept items_[kCapacity];
};

/// One inbox, as core sees it. The rings are the transports'.
struct alignas(64) Lane {
  /// Looks of others, each after UCCS_POLL_MASK + 1 polls, that find no poll of the residents
  /// before the others take what is there; and before the lane is nobody's home, which they then
  /// poll as often as their own.
  static constexpr uint32_t kVainLooks = 2;
  static constexpr uint32_t kVainLooksToOrphan = 8;

  std::atomic<int> bound = 0;      ///< threads that it belongs to
  std::atomic<int> residents = 0;  ///< threads whose home it is; written under Context::lock
  std::atomic<uint32_t> seen = 0;  ///< `polls` when another thread looked last
  std::atomic<uint32_t> vain = 0;  ///< looks in a row that found no poll since

  /// Counted by the residents, so that others see whether they are attentive. Inexact where several
  /// share the lane.
  alignas(64) std::atomic<uint32_t> polls = 0;
  std::atomic<uint64_t> handled = 0;  ///< messages by links that are counted, leave.cpp
  /// For threads that look after others: do the residents compute? One that only waits for a CPU
  /// comes back soon, and whoever takes its messages meanwhile handles some of them twice.
  enum class Care { kAttended, kNeglected, kAbandoned };
  /// `patience` multiplies the looks: there are more of them where more threads look.
  Care care(uint32_t patience) {
    const uint32_t now = polls.load(std::memory_order_relaxed);
    if (seen.load(std::memory_order_relaxed) != now) {
      seen.store(now, std::memory_order_relaxed);
      vain.store(0, std::memory_order_relaxed);
      return Care::kAttended;
    }
    const uint32_t looks = vain.load(std::memory_order_relaxed) + 1;
    vain.store(looks, std::memory_order_relaxed);
    if (looks >= kVainLooksToOrphan * patience) return Care::kAbandoned;
    return looks >= kVainLooks * patience ? Care::kNeglected : Care::kAttended;
  }

  Deferred requests;
  Deferred replies;  ///< apart, so that waiting requests hold up no reply
  Matcher matcher;
};

static_assert(alignof(Lane) == 64 && sizeof(Lane) % 64 == 0);

}  // namespace uccs::core
