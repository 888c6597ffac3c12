// SPDX-License-Identifier: BSD-3-Clause
/// What the instance's thread sleeps on, and what it looks at when it wakes.
#include "net/ofi/ofi.hpp"

namespace uccs::net::ofi {

std::atomic<uint32_t>* Ofi::arm(int, bool is_waiting) { return mail_.arm(is_waiting); }

uint32_t Ofi::count_polls() {
  tick();
  uint32_t polls = 0;
  const int channels = open_channels_.load(std::memory_order_acquire);
  for (int i = 0; i < channels; ++i) polls += channels_[i].polls_.load(std::memory_order_relaxed);
  return polls;
}

void Ofi::collect(Engine::Watch& watch) {
  const auto add = [&](Port& port) {
    fid* queue = &port.cq->fid;
    if (port.fd < 0 || !port.domain->lock.try_lock()) {
      watch.can_sleep = false;
      return;
    }
    watch.has_events = fi_trywait(fabric_->fid(), &queue, 1) != 0 || watch.has_events;
    port.domain->lock.unlock();
    watch.add(port.fd);
  };
  for (int lane = 0; lane < shape_.lanes; ++lane) add(*inlets_[lane].port);
  const int channels = open_channels_.load(std::memory_order_acquire);
  // Idle ones, too: what is posted while this thread sleeps may need the CPU to go on.
  for (int i = 0; i < channels; ++i) add(*channels_[i].port);
}

void Ofi::look(bool was_woken) {
  const int channels = open_channels_.load(std::memory_order_acquire);
  bool has_moved = was_woken;
  for (int lane = 0; lane < shape_.lanes; ++lane)
    has_moved = poll_inlet(inlets_[lane]) > 0 || has_moved;
  for (int i = 0; i < channels; ++i) {
    Channel& channel = channels_[i];
    if (!channel.port->domain->lock.try_lock()) continue;
    has_moved = channel.poll() > 0 || has_moved;
    channel.port->domain->lock.unlock();
  }
  if (has_moved) mail_.ring();
  mail_.return_owed();
}

}  // namespace uccs::net::ofi
