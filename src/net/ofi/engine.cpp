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
#include "net/ofi/ofi.hpp"

namespace uccs::net::ofi {
namespace {

/// A wake-up that is missed costs at most this long.
constexpr int kSleepMs = 10;
/// Between looks while other threads poll, and where the provider has no wait objects.
constexpr long kAsideNs = 200'000;

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
  uint32_t polls_seen = 0;
  while (!self->is_ending_.load(std::memory_order_acquire)) self->engine_turn(&polls_seen);
  return nullptr;
}

void Ofi::engine_turn(uint32_t* polls_seen) {
  tick();
  constexpr size_t kFdsMax = 128;
  pollfd fds[kFdsMax] = {{wake_fd_, POLLIN, 0}};
  nfds_t count = 1;
  bool can_sleep = true, has_events = false;
  uint32_t polls = 0;
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
  for (int i = 0; i < channels; ++i) {
    polls += channels_[i].polls_.load(std::memory_order_relaxed);
    if (channels_[i].under_way_.load(std::memory_order_relaxed) > 0) watch(*channels_[i].port);
  }
  if (polls != *polls_seen) {  // somebody looks after all this
    *polls_seen = polls;
    sleep_ns(kAsideNs);
    return;
  }
  if (has_events) {
    // They are read below.
  } else if (can_sleep) {
    if (::poll(fds, count, kSleepMs) < 0 && errno != EINTR) sleep_ns(kAsideNs);
  } else {
    sleep_ns(kAsideNs);
  }
  for (int lane = 0; lane < shape_.lanes; ++lane) poll_inlet(inlets_[lane]);
  for (int i = 0; i < channels; ++i) {
    Channel& channel = channels_[i];
    if (channel.under_way_.load(std::memory_order_relaxed) == 0) continue;
    if (!channel.port->domain->lock.try_lock()) continue;
    if (channel.poll() > 0) ring();
    channel.port->domain->lock.unlock();
  }
  if (owing_.load(std::memory_order_relaxed) > 0) return_all_credits();
}

}  // namespace uccs::net::ofi
