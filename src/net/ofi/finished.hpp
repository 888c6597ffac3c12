// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include <atomic>
#include <cstdint>

#include "base/spinlock.hpp"
#include "net/parts/pending.hpp"

namespace uccs::net::ofi {

/// Operations that are over, as any thread may find out, and that are to be told by `progress` of
/// their channel.
class Finished {
 public:
  /// With the channel's lock held.
  void add(Pending* pending, uccs_status_t status) {
    pending->status = status;
    pending->next = first_;
    first_ = pending;
    count_.fetch_add(1, std::memory_order_relaxed);
  }

  /// Calls the completions and returns how many. `give_back(Pending*)` is called with the lock
  /// held, before its completion; `is_told()` without it, after.
  template <typename GiveBack, typename IsTold>
  int tell(base::SpinLock& lock, GiveBack give_back, IsTold is_told) {
    if (count_.load(std::memory_order_relaxed) == 0) return 0;
    if (!lock.try_lock()) return 0;
    Pending* pending = first_;
    first_ = nullptr;
    count_.store(0, std::memory_order_relaxed);
    struct End {
      Completion* completion;
      uccs_status_t status;
    };
    int steps = 0;
    // The callbacks run without the lock, so a batch of them is kept on the stack.
    for (;;) {
      constexpr int kBatch = 32;
      End ends[kBatch];
      int count = 0;
      for (; pending && count < kBatch; ++count) {
        Pending* next = pending->next;
        Completion* completion = pending->completion;
        const uccs_status_t status = pending->status;
        ends[count] = {completion, status};
        give_back(pending);
        pending = next;
      }
      lock.unlock();
      for (int i = 0; i < count; ++i) {
        if (ends[i].completion) ends[i].completion->done(ends[i].completion, ends[i].status);
        is_told();
      }
      steps += count;
      if (!pending) return steps;
      lock.lock();
    }
  }

 private:
  Pending* first_ = nullptr;
  std::atomic<uint32_t> count_ = 0;
};

}  // namespace uccs::net::ofi
