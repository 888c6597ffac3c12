// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include <atomic>
#include <cstdint>

namespace uccs::net {

/// Puts whose end only a flush tells, and how flushes have come after them. A put that is waited
/// for at once is answered sooner when its target acknowledges it by itself; many are when none is
/// acknowledged and the last one is asked about.
class PutHabit {
 public:
  /// Is the next put likely to be flushed alone, as the one before the last flush was?
  bool is_awaited() const {
    return is_single_.load(std::memory_order_relaxed) && puts_.load(std::memory_order_relaxed) == 0;
  }
  void put() { puts_.fetch_add(1, std::memory_order_relaxed); }
  void flush() {
    if (puts_.load(std::memory_order_relaxed) == 0) return;
    const uint32_t puts = puts_.exchange(0, std::memory_order_relaxed);
    if (puts > 0) is_single_.store(puts == 1, std::memory_order_relaxed);
  }

 private:
  std::atomic<uint32_t> puts_ = 0;  ///< since the last flush
  std::atomic<bool> is_single_ = false;
};

}  // namespace uccs::net
