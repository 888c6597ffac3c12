// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include <cstdint>

#include "base/backoff.hpp"
#include "core/progress.hpp"

namespace uccs::shmem {

/// One wait of a routine. Gives up by ending the process when the job ends.
class Waiting {
 public:
  /// `call` is a string literal: the launcher shows it when the wait takes long.
  explicit Waiting(const char* call) : call_(call) {}
  ~Waiting() {
    if (is_shown_) show(nullptr);
  }
  Waiting(const Waiting&) = delete;
  Waiting& operator=(const Waiting&) = delete;

  /// After each look that found nothing.
  void pause() {
    make_progress();
    rest();
  }
  /// Its halves, for who looks in between, at what progress takes in from other nodes.
  static void make_progress() { core::progress_idle(); }
  /// Backoff::note_looks.
  void note_looks(uint32_t looks) { backoff_.note_looks(looks); }
  void rest() {
    backoff_.pause();
    if ((++misses_ & (kLook - 1)) == 0) look_around();
  }

 private:
  static constexpr uint32_t kLook = 64;  ///< misses between looks whether the job ends
  void look_around();
  static void show(const char* what);

  base::Backoff backoff_;
  uint32_t misses_ = 0;
  bool is_shown_ = false;  ///< to the launcher, once the wait has taken long enough to sleep
  const char* call_;
};

/// After a test that failed, for programs that loop over it: makes progress, and gives the CPU away
/// if the PEs are more than the CPUs.
void pause_after_failed_test();

}  // namespace uccs::shmem
