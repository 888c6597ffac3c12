// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include <atomic>
#include <cstdint>

#include "base/pool.hpp"
#include "base/spinlock.hpp"
#include "core/request.hpp"

namespace uccs::core {

constexpr int kMaxLinks = 4;  ///< transports one context can use at once
constexpr size_t kRequestsPerChannel = 4096;

/// An injection path: what a thread needs to post operations without meeting another thread. A
/// thread gets one of each context on its first call and gives it back when it ends; beyond the
/// configured number, threads share. The lock is the owner's in all but name: others only try it,
/// to advance operations while the owner computes.
struct alignas(64) Channel {
  Context* context = nullptr;
  net::Channel* paths[kMaxLinks] = {};
  int index = 0;
  uint8_t lane = 0;  ///< which lane replies come back to, unless the thread is bound to one
  int users = 0;     ///< threads that have it; guarded by Context::lock

  base::SpinLock lock;  ///< guards what follows; a request's state is not guarded
  base::Pool<Request> pool;
  Request* active_first = nullptr;  ///< requests with a next step, oldest first
  Request* active_last = nullptr;
  std::atomic<uint32_t> active = 0;  ///< how many; written under the lock, looked at without
};

/// Advances all active requests of `channel`; returns how many steps were made. 0 when another
/// thread is at it.
int advance_channel(Channel* channel);

/// The channel for a thread that calls for the first time. Never nullptr: when no new one can be
/// opened the thread shares.
Channel* adopt_channel(Context* context);
void hand_back_channel(Channel* channel);

}  // namespace uccs::core
