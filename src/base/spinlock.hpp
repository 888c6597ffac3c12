// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include <atomic>

#include "base/backoff.hpp"

namespace uccs::base {

/// A lock for short sections, and for `try_lock` and go on. One byte; all-zero is unlocked.
class SpinLock {
 public:
  bool try_lock() {
    // Look before writing: a line that is only read stays with everybody.
    return !held_.load(std::memory_order_relaxed) &&
           !held_.exchange(true, std::memory_order_acquire);
  }
  void lock() {
    if (try_lock()) [[likely]]
      return;
    for (Backoff backoff; !try_lock();) backoff.pause();
  }
  void unlock() { held_.store(false, std::memory_order_release); }  // pairs with the exchange

 private:
  std::atomic<bool> held_ = false;
};

}  // namespace uccs::base
