// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include "base/backoff.hpp"
#include "core/context.hpp"

namespace uccs::core {

/// What a thread keeps per context. Constant-initialised and plain, so that reading it is one
/// instruction; `attach_thread` fills it on the first call.
struct ThreadSlot {
  uint32_t incarnation = 0;  ///< of the context it is filled for; 0: none
  int16_t bound_lane = UCCS_LANE_ANY;
  uint8_t lane = 0;  ///< its home and source of its messages: the bound one, or the channel's
  bool is_internal = false;  ///< UCCS's own thread: runs no user callbacks
  bool is_settled = false;   ///< has polled, so that its lane counts as its home
  uint8_t account = 0;       ///< of the job's context: where its operations count, Channel::pending
  uint32_t callbacks = 0;    ///< how deep in callbacks it is
  uint32_t ticks = 0;        ///< calls of progress; decides when to look at other threads' lanes
  uint32_t served = 0;       ///< steps made since it last gave the CPU away
  base::Backoff idle;        ///< between calls of uccs_progress in vain
  uint32_t turn = 0;         ///< which lane of a peer its next message to any goes to
  // Of the job's context (burst.hpp):
  uint32_t burst = 0;         ///< operations since its last wait
  uint32_t quick_bursts = 0;  ///< in a row
  uint64_t burst_began_ns = 0;
  Channel* channel = nullptr;
};
static_assert(sizeof(ThreadSlot) <= 72);  // all of them fit into what is said below

// initial-exec: the library is loaded at program start, or takes of the small surplus that libc
// keeps.
extern thread_local constinit ThreadSlot thread_slots[kMaxContexts] [[gnu::tls_model(
    "initial-exec")]];

void attach_thread(Context* context, ThreadSlot* slot);
/// Instead, for a thread of UCCS's own.
ThreadSlot& attach_internal(Context* context);
/// Binds the calling thread to a lane, or (UCCS_LANE_ANY) to none.
void bind_thread(Context* context, ThreadSlot* slot, int lane);

/// Makes the thread's lane its home: it polls for the first time.
void settle_thread(Context* context, ThreadSlot* slot);

/// The calling thread's slot of `context`.
[[gnu::always_inline]] inline ThreadSlot& this_thread(Context* context) {
  ThreadSlot& slot = thread_slots[context->index];
  if (slot.incarnation != context->incarnation) [[unlikely]]
    attach_thread(context, &slot);
  return slot;
}

}  // namespace uccs::core
