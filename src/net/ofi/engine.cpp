// SPDX-License-Identifier: BSD-3-Clause
/// The thread that keeps an instance going while the program computes: it takes in what arrives and
/// serves puts and gets of others where the provider needs the CPU for it. It sleeps on the
/// provider's wait objects, delivers nothing itself, and stays out of the way of threads that poll.
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <sys/eventfd.h>
#include <time.h>

#include "base/backoff.hpp"
#include "base/clock.hpp"
#include "net/ofi/ofi.hpp"

namespace uccs::net::ofi {
namespace {

/// A wake-up that is missed costs at most this long.
constexpr int kSleepMs = 10;
/// Between looks while other threads poll, and where the provider has no wait objects.
constexpr long kAsideNs = 200'000;
/// Threads that poll at least this often look after everything; others compute or sleep.
constexpr uint64_t kAttentiveNs = 10'000;

void sleep_ns(long ns) {
  const timespec time = {0, ns};
  nanosleep(&time, nullptr);
}

}  // namespace

void Ofi::ring() {
  if (sleepers_.load(std::memory_order_relaxed) == 0) return;
  doorbell_.fetch_add(1, std::memory_order_release);
  base::wake_all(&doorbell_);
}

std::atomic<uint32_t>* Ofi::arm(int, bool is_waiting) {
  sleepers_.fetch_add(is_waiting ? 1 : -1, std::memory_order_seq_cst);
  return &doorbell_;
}

bool Ofi::start_engine() {
  wake_fd_ = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
  if (wake_fd_ < 0) return false;
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);  // signals are the program's threads' business
  has_engine_ = pthread_create(&engine_, nullptr, run_engine, this) == 0;
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  return has_engine_;
}

void* Ofi::run_engine(void* argument) {
  auto* self = static_cast<Ofi*>(argument);
  Turn last = {0, base::now_ns()};
  while (!self->is_ending_.load(std::memory_order_acquire)) self->engine_turn(&last);
  return nullptr;
}

bool Ofi::is_attended(Turn* last) const {
  Turn now = {0, base::now_ns()};
  const int channels = open_channels_.load(std::memory_order_acquire);
  for (int i = 0; i < channels; ++i)
    now.polls += channels_[i].polls_.load(std::memory_order_relaxed);
  const uint64_t polls = now.polls - last->polls, passed = now.ns - last->ns;
  *last = now;
  return polls * kAttentiveNs > passed;
}

void Ofi::engine_turn(Turn* last) {
  if (is_attended(last)) {
    sleep_ns(kAsideNs);
    return;
  }
  constexpr size_t kFdsMax = 128;
  pollfd fds[kFdsMax] = {{wake_fd_, POLLIN, 0}};
  nfds_t count = 1;
  bool can_sleep = true, has_events = false;
  const auto watch = [&](Port& port) {
    fid* queue = &port.cq->fid;
    if (port.fd < 0 || count == kFdsMax || !port.domain->lock.try_lock()) {
      can_sleep = false;
      return;
    }
    has_events = fi_trywait(fabric_->fid(), &queue, 1) != 0 || has_events;
    port.domain->lock.unlock();
    fds[count++] = {port.fd, POLLIN, 0};
  };
  for (int lane = 0; lane < shape_.lanes; ++lane) watch(*inlets_[lane].port);
  const int channels = open_channels_.load(std::memory_order_acquire);
  // Idle ones, too: what is posted while this thread sleeps may need the CPU to go on.
  for (int i = 0; i < channels; ++i) watch(*channels_[i].port);
  if (has_events) {
    // They are read below.
  } else if (can_sleep) {
    const int ready = ::poll(fds, count, kSleepMs);
    if (ready < 0 && errno != EINTR) sleep_ns(kAsideNs);
    has_events = ready > 0;
  } else {
    sleep_ns(kAsideNs);
  }
  for (int lane = 0; lane < shape_.lanes; ++lane) has_events |= poll_inlet(inlets_[lane]) > 0;
  for (int i = 0; i < channels; ++i) {
    Channel& channel = channels_[i];
    if (!channel.port->domain->lock.try_lock()) continue;
    has_events |= channel.poll() > 0;
    channel.port->domain->lock.unlock();
  }
  // Also for puts of others, which leave no trace but in the memory that somebody may wait for.
  if (has_events) ring();
  if (owing_.load(std::memory_order_relaxed) > 0) return_all_credits();
}

}  // namespace uccs::net::ofi
