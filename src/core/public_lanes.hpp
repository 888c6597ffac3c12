// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include <atomic>
#include <bit>
#include <cstdint>

struct uccs_context;

namespace uccs::core {

using Context = ::uccs_context;

struct ThreadSlot;

/// What the senders of the node read of an EC's lanes: one cache line per context in symmetric
/// memory, written when a thread begins or ends to poll and when an endpoint names a lane.
struct alignas(64) PublicLanes {
  /// Lanes that somebody may send to, so that the EC has to look at them. Bits only come.
  std::atomic<uint64_t> open = 0;
  /// Lanes 0..in_use-1 have a thread that polls, with few holes; 0 before the first does.
  std::atomic<uint32_t> in_use = 0;
};

constexpr uint64_t lane_bit(int lane) { return uint64_t{1} << lane; }

/// Which lanes the threads of this process serve. A thread is at home in the lane that it is bound
/// to, else in its channel's, from its first poll on; several threads may share a home.
struct Homes {
  std::atomic<uint64_t> lanes = 0;  ///< that are a thread's home
  uint64_t always_open = 1;         ///< constant after creation
  bool is_over = false;             ///< the context ends; guarded by Context::lock
  PublicLanes* here = nullptr;      ///< this EC's

  uint64_t open() const { return here->open.load(std::memory_order_relaxed) | always_open; }
};

/// The entry of EC `ec` in the context number `index`; for ECs that are not mapped here one that
/// nobody writes, whose messages go to lane 0. Collective at its first call.
PublicLanes* public_lanes(int index, int ec);

/// Before links open: nothing is known but which lanes peers may use without saying so.
void open_lanes(Context* context);
/// Makes this EC's entry what it was before the context.
void forget_lanes(Context* context);

/// Messages may come to this lane of this EC.
void open_lane(Context* context, int lane);

/// The thread polls for the first time (or again), or no more in this lane. With Context::lock
/// held.
void settle(Context* context, ThreadSlot* thread);
void unsettle(Context* context, ThreadSlot* thread);

/// The residents of a lane do something else for long: until they poll again it is nobody's home.
void make_orphan(Context* context, int lane);

}  // namespace uccs::core
