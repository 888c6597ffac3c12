// SPDX-License-Identifier: BSD-3-Clause
#include "net/parts/engine.hpp"

#include <errno.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "base/backoff.hpp"
#include "base/clock.hpp"
#include "base/signals.hpp"

namespace uccs::net {
namespace {

/// A wake-up that is missed costs at most this long.
constexpr int kSleepMs = 10;
/// Between looks while other threads poll, and where there is nothing to wait on.
constexpr uint64_t kAsideNs = 200'000;
/// Threads that poll at least this often look after what comes in; others compute or sleep.
constexpr uint64_t kAttentiveNs = 10'000;
/// Looks all the same: nobody else looks after the channel of a thread that has ended or waits for
/// nothing of it, where messages may be stuck that met a full socket.
constexpr uint64_t kLookNs = 1'000'000;

}  // namespace

bool Engine::start(const Duties& duties) {
  duties_ = duties;
  turn_ns_ = base::now_ns();
  wake_fd_ = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
  if (wake_fd_ < 0) return false;
  const base::BlockedSignals inherited;
  is_running_ = pthread_create(&thread_, nullptr, run, this) == 0;
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

bool Engine::is_attended() {
  const uint32_t polls = duties_.polls(duties_.user);
  const uint64_t now = base::now_ns();
  const uint64_t made = polls - polls_seen_, passed = now - turn_ns_;
  polls_seen_ = polls;
  turn_ns_ = now;
  return made * kAttentiveNs > passed;
}

void Engine::turn() {
  if (is_attended()) {
    if (turn_ns_ - looked_ns_ >= kLookNs) {
      looked_ns_ = turn_ns_;
      duties_.look(duties_.user, false);
    }
    return base::sleep_for(kAsideNs);
  }
  Watch watch;
  watch.add(wake_fd_);
  duties_.collect(duties_.user, watch);
  bool was_woken = watch.has_events;
  if (was_woken) {
    // They are looked at below.
  } else if (watch.can_sleep) {
    const int ready = poll(watch.fds, watch.count, kSleepMs);
    if (ready < 0 && errno != EINTR) base::sleep_for(kAsideNs);
    was_woken = ready > 0;
  } else {
    base::sleep_for(kAsideNs);
  }
  duties_.look(duties_.user, was_woken);
}

}  // namespace uccs::net
