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
  std::atomic<int> bound = 0;      ///< threads that it belongs to
  std::atomic<int> residents = 0;  ///< threads whose home it is; written under Context::lock
  std::atomic<uint32_t> seen = 0;  ///< `polls` when another thread looked last

  /// Counted by the residents, so that others see whether they are attentive. Inexact where several
  /// share the lane.
  alignas(64) std::atomic<uint32_t> polls = 0;
  /// Has nobody of the residents polled since the last call?
  bool is_unattended() {
    const uint32_t now = polls.load(std::memory_order_relaxed);
    if (seen.load(std::memory_order_relaxed) == now) return true;
    seen.store(now, std::memory_order_relaxed);
    return false;
  }

  Deferred requests;
  Deferred replies;  ///< apart, so that waiting requests hold up no reply
  Matcher matcher;
};

}  // namespace uccs::core
