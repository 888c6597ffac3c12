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

/// Operations under way that were posted on one channel. Counted by the poster and by whoever
/// completes them: release, paired with the acquire of a flush, which then may look at what they
/// wrote. Endpoints share the buckets, so that an endpoint costs no line per channel, and in the
/// job's context the contexts of models; a flush may wait for a little more than was asked.
struct Pending {
  static constexpr uint32_t kBuckets = 64;
  std::atomic<uint32_t> all = 0;
  std::atomic<uint32_t> of_bucket[kBuckets] = {};

  void add(uint8_t bucket) {
    all.fetch_add(1, std::memory_order_relaxed);
    of_bucket[bucket].fetch_add(1, std::memory_order_relaxed);
  }
  void remove(uint8_t bucket) {
    of_bucket[bucket].fetch_sub(1, std::memory_order_release);
    all.fetch_sub(1, std::memory_order_release);
  }
};

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
  uint64_t sent = 0;                 ///< messages by links that are counted, leave.cpp

  alignas(64) Pending pending;
};

static_assert(alignof(Channel) == 64 && sizeof(Channel) % 64 == 0);

/// Is nothing under way on any channel: of `bucket`, or at all.
bool is_quiet(Context* context, uint8_t bucket);
bool is_quiet(Context* context);

/// Advances all active requests of `channel`; returns how many steps were made. 0 when another
/// thread is at it.
int advance_channel(Channel* channel);

/// The channel for a thread that calls for the first time, none before number `least`. Never
/// nullptr: when no such one can be opened the thread shares any.
Channel* adopt_channel(Context* context, int least);
void hand_back_channel(Channel* channel);

}  // namespace uccs::core
