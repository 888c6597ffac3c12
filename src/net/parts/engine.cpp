// SPDX-License-Identifier: BSD-3-Clause
#include "net/parts/engine.hpp"

#include <errno.h>
#include <signal.h>
#include <sys/eventfd.h>
#include <time.h>
#include <unistd.h>

namespace uccs::net {
namespace {

/// A wake-up that is missed costs at most this long.
constexpr int kSleepMs = 10;
/// Between looks while other threads poll, and where there is nothing to wait on.
constexpr long kAsideNs = 200'000;
/// Fewer polls than this since the last look are those of threads that sleep most of the time.
constexpr uint32_t kFewPolls = 16;

void sleep_ns(long ns) {
  const timespec time = {0, ns};
  nanosleep(&time, nullptr);
}

}  // namespace

bool Engine::start(void* user, void (*collect)(void*, Watch&), void (*look)(void*)) {
  user_ = user;
  collect_ = collect;
  look_ = look;
  wake_fd_ = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
  if (wake_fd_ < 0) return false;
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);  // signals are the program's threads' business
  is_running_ = pthread_create(&thread_, nullptr, run, this) == 0;
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  return is_running_;
}

void Engine::stop() {
  if (is_running_) {
    is_ending_.store(true, std::memory_order_release);
    const uint64_t one = 1;
    // Should the write fail, the thread ends after its sleep.
    (void)!write(wake_fd_, &one, sizeof one);
    pthread_join(thread_, nullptr);
  }
  is_running_ = false;
  if (wake_fd_ >= 0) close(wake_fd_);
  wake_fd_ = -1;
}

void* Engine::run(void* argument) {
  auto* self = static_cast<Engine*>(argument);
  while (!self->is_ending_.load(std::memory_order_acquire)) self->turn();
  return nullptr;
}

void Engine::turn() {
  Watch watch;
  watch.add(wake_fd_);
  collect_(user_, watch);
  const uint32_t polls = watch.polls - polls_seen_;
  polls_seen_ = watch.polls;
  if (polls >= kFewPolls) {  // somebody looks after all this
    sleep_ns(kAsideNs);
    return;
  }
  if (watch.has_events) {
    // They are looked at below.
  } else if (watch.can_sleep) {
    if (poll(watch.fds, watch.count, kSleepMs) < 0 && errno != EINTR) sleep_ns(kAsideNs);
  } else {
    sleep_ns(kAsideNs);
  }
  look_(user_);
}

}  // namespace uccs::net
