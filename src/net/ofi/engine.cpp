// SPDX-License-Identifier: BSD-3-Clause
/// What the instance's thread sleeps on, and what it looks at when it wakes.
#include "net/ofi/ofi.hpp"

namespace uccs::net::ofi {

std::atomic<uint32_t>* Ofi::arm(int lane, bool is_waiting) { return mail_.arm(lane, is_waiting); }

Engine::Counts Ofi::count(const Engine::Share& share) {
  if (share.index == 0) tick();
  Engine::Counts counts;
  const int channels = open_channels_.load(std::memory_order_acquire);
  for (int i = share.index; i < channels; i += share.count) {
    counts.polls += channels_[i].polls_.load(std::memory_order_relaxed);
    counts.long_posts += channels_[i].long_posts_.load(std::memory_order_relaxed);
  }
  return counts;
}

void Ofi::collect(Engine::Watch& watch) {
  const auto add = [&](Port& port, int number) {
    if (!watch.share.has(number)) return;
    if (port.fd < 0 || !port.domain->lock.try_lock()) {
      watch.can_sleep = false;
      return;
    }
    fid* watched = &port.watched->fid;
    watch.has_events =
        fi_trywait(fabric_->fid(), &watched, 1) != 0 || port.has_more || watch.has_events;
    port.domain->lock.unlock();
    watch.add(port.fd, number);
  };
  for (int lane = 0; lane < shape_.lanes; ++lane) add(*inlets_[lane].port, lane);
  const int channels = open_channels_.load(std::memory_order_acquire);
  // Idle ones, too: what is posted while this thread sleeps may need the CPU to go on.
  for (int i = shape_.lanes; i < channels; ++i) add(*channels_[i].port_, shape_.lanes + i);
}

int Ofi::look(const Engine::Look& look) {
  const int channels = open_channels_.load(std::memory_order_acquire);
  bool has_moved = false;
  int messages = 0;
  for (int lane = 0; lane < shape_.lanes; ++lane)
    if (look.is_at(lane))
      has_moved = poll_inlet(inlets_[lane], nullptr, &messages) > 0 || has_moved;
  for (int i = shape_.lanes; i < channels; ++i) {
    Channel& channel = channels_[i];
    if (!look.is_at(shape_.lanes + i) || !channel.port_->domain->lock.try_lock()) continue;
    has_moved = channel.poll() > 0 || has_moved;
    channel.port_->domain->lock.unlock();
  }
  if (has_moved) {
    mail_.ring();
  } else if (look.was_woken) {
    mail_.ring_for_memory();
  }
  mail_.return_owed();
  return messages;
}

}  // namespace uccs::net::ofi
