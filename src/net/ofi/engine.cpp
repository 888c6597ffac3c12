// SPDX-License-Identifier: BSD-3-Clause
/// What the instance's thread sleeps on, and what it looks at when it wakes.
#include "net/ofi/ofi.hpp"

namespace uccs::net::ofi {

std::atomic<uint32_t>* Ofi::arm(int, bool is_waiting) { return mail_.arm(is_waiting); }

void Ofi::collect(Engine::Watch& watch) {
  tick();
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
  for (int i = 0; i < channels; ++i) {
    watch.polls += channels_[i].polls_.load(std::memory_order_relaxed);
    if (channels_[i].under_way_.load(std::memory_order_relaxed) > 0) add(*channels_[i].port);
  }
}

void Ofi::look() {
  const int channels = open_channels_.load(std::memory_order_acquire);
  for (int lane = 0; lane < shape_.lanes; ++lane) poll_inlet(inlets_[lane]);
  for (int i = 0; i < channels; ++i) {
    Channel& channel = channels_[i];
    if (channel.under_way_.load(std::memory_order_relaxed) == 0) continue;
    if (!channel.port->domain->lock.try_lock()) continue;
    if (channel.poll() > 0) mail_.ring();
    channel.port->domain->lock.unlock();
  }
  mail_.return_owed();
}

}  // namespace uccs::net::ofi
