// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include <atomic>
#include <cstdint>

namespace uccs::core {

/// One bit per live context of this process.
extern std::atomic<uint32_t> live_contexts;

int progress_all_contexts();

/// For the waiting loops of models: progress on all contexts, callbacks included. Returns how many
/// steps were made: who is asked for work should not fall asleep. One load and a branch when there
/// is no context.
inline int progress_idle() {
  if (live_contexts.load(std::memory_order_relaxed) == 0) [[likely]]
    return 0;
  return progress_all_contexts();
}

}  // namespace uccs::core
