// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include <pthread.h>

#include <atomic>
#include <cstdint>

#include "core/thread.hpp"

namespace uccs::core {

/// The thread that makes progress when nobody calls (UCCS_PROGRESS_THREAD). Runs protocol
/// callbacks. Sleeps when there is nothing to do, and is woken by what arrives or is posted.
class ProgressThread {
 public:
  ~ProgressThread() { stop(); }
  bool start(Context* context);
  void stop();

  /// After an operation became active: it may need steps that its poster does not make.
  void wake_if_asleep() {
    if (std::atomic<uint32_t>* doorbell = sleeps_on_.load(std::memory_order_relaxed)) [[unlikely]]
      ring(doorbell);
  }

 private:
  static void* run(void* self);
  static void ring(std::atomic<uint32_t>* doorbell);
  void sleep(ThreadSlot& thread);
  std::atomic<uint32_t>* arm(bool is_waiting);

  Context* context_ = nullptr;
  pthread_t thread_ = {};
  bool is_running_ = false;
  uint64_t job_sleep_ns_ = 0;  ///< next short sleep of the job's
  int vain_rings_ = 0;         ///< that woke it in a row, with nothing to do
  std::atomic<bool> is_over_ = false;
  std::atomic<std::atomic<uint32_t>*> sleeps_on_ = nullptr;  ///< nullptr: awake
};

}  // namespace uccs::core
