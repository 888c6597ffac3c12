// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include <cstdint>

#include "core/progress.hpp"

namespace uccs::gasnet {

/// One wait: runs handlers, then pauses. Ends the process when the job ends. All-zero members are
/// no valid state: GASNET_BLOCKUNTIL makes one in place at its first miss.
class Waiting {
 public:
  /// `call` is a string literal: the launcher shows it when the wait takes long.
  explicit Waiting(const char* call);

  /// After each look that found nothing.
  void pause();
  /// At the end of the wait.
  void end() {
    if (misses_ >= kLong) show(nullptr);
  }

 private:
  static constexpr uint32_t kLong = 4096;  ///< misses from which on the launcher is told
  static void show(const char* what);
  void idle();

  const char* call_;
  core::ThreadSlot& thread_;
  core::Waiter waiter_;
  uint32_t misses_ = 0;
};

/// Waits until `is_over()`.
template <typename Condition>
void wait_for(const char* call, Condition is_over) {
  if (is_over()) return;
  Waiting waiting(call);
  do waiting.pause();
  while (!is_over());
  waiting.end();
}

/// Runs handlers once, if the calling thread is in none. For calls that programs loop over: gives
/// the CPU away when several in a row find nothing and nodes outnumber CPUs.
void poll();

}  // namespace uccs::gasnet
