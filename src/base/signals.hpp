// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include <pthread.h>
#include <signal.h>

namespace uccs::base {

/// While it lives, no signal reaches the calling thread, nor, ever, the threads that it starts
/// meanwhile: those inherit the mask, because signals are the program's own threads' business.
class BlockedSignals {
 public:
  BlockedSignals() {
    sigset_t all;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before_);
  }
  ~BlockedSignals() { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }
  BlockedSignals(const BlockedSignals&) = delete;
  BlockedSignals& operator=(const BlockedSignals&) = delete;

 private:
  sigset_t before_;
};

}  // namespace uccs::base
