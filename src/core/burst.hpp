// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include <algorithm>

#include "base/clock.hpp"
#include "core/job.hpp"
#include "core/pack.hpp"
#include "core/region.hpp"
#include "core/thread.hpp"

/// Models' small operations without result come alone or in bursts. The first ones of a burst leave
/// at once, because somebody may wait for them; those behind them are packed, until the thread
/// waits for anything or flushes. The first ones are packed, too, by a thread whose last bursts
/// came without a pause: what somebody waits for is what a thread puts before it does something
/// else.
namespace uccs::core {

constexpr uint32_t kDirectOfBurst = 2;
/// In ThreadSlot::burst: the next look of the thread is for room in a buffer, not the end of it.
constexpr uint32_t kBurstGoesOn = uint32_t{1} << 31;
/// So many bursts in a row came without a pause if the first three operations of each took no
/// longer than this, of which two may have been calls of the kernel.
constexpr uint32_t kQuickBursts = 3;
constexpr uint64_t kQuickNs = 50'000;

/// Of the first operations of a burst.
[[gnu::noinline]] inline bool is_first_packed(ThreadSlot& thread, uint32_t before) {
  if (before == 0)
    thread.burst_began_ns = base::now_ns();
  else if (base::now_ns() - thread.burst_began_ns >= kQuickNs)
    thread.quick_bursts = 0;
  else if (before == kDirectOfBurst)
    thread.quick_bursts = std::min(thread.quick_bursts + 1, kQuickBursts);
  return before == kDirectOfBurst || thread.quick_bursts >= kQuickBursts;
}

/// Is the operation to be packed that `before` others of its burst came before?
inline bool is_to_pack(ThreadSlot& thread, uint32_t before) {
  return before > kDirectOfBurst || is_first_packed(thread, before);
}

/// Where an operation of the calling thread that nobody follows by a request is to be noted;
/// nullptr: nowhere, post it.
inline Pack* pack_for(Context* context) {
  Pack* pack = context->pack.get();
  if (!pack || !context->packs_bursts) return pack;
  ThreadSlot& thread = this_thread(context);
  const uint32_t before = thread.burst & ~kBurstGoesOn;
  thread.burst = before + 1;
  return is_to_pack(thread, before) ? pack : nullptr;
}

/// Of models: notes a put to symmetric memory of EC `ec`, which is on another node, if it belongs
/// to a burst that is under way; else it is to be posted. It is charged to `account`, remote.hpp.
/// The quick way for what comes in thousands.
inline bool put_in_burst(uint8_t account, int ec, const void* dest, const void* source,
                         size_t bytes) {
  Context* const context = job_context();
  if (!context || !context->packs_bursts || ec < 0 || ec >= job.size ||
      !context->links[0].limits.has_flushed_puts)
    return false;
  ThreadSlot& thread = this_thread(context);
  const uint32_t before = thread.burst & ~kBurstGoesOn;
  const bool leaves = before < kDirectOfBurst && thread.quick_bursts < kQuickBursts;
  if (leaves || !is_to_pack(thread, before)) return false;  // whoever posts it notes when that was
  thread.burst = before + 1;
  thread.account = account;
  const WireAddress there = where_is(reinterpret_cast<uint64_t>(dest));
  return context->pack->put(ec, there, source, bytes) == UCCS_OK;
}

/// What a posting call answers when `pack_for` gave a pack that has answered `status`.
inline uccs_status_t answer_packed(Context* context, uccs_status_t status) {
  if (status == UCCS_AGAIN) this_thread(context).burst |= kBurstGoesOn;
  return status == UCCS_OK ? UCCS_IN_PROGRESS : status;
}

/// Before the thread waits: an operation that was packed and had no others behind it may have been
/// waited for.
inline void judge_burst(ThreadSlot& thread) {
  if (thread.burst > 0 && thread.burst <= kDirectOfBurst && thread.quick_bursts >= kQuickBursts &&
      base::now_ns() - thread.burst_began_ns > kQuickNs)
    thread.quick_bursts = 0;
}

/// The thread waits for something.
inline void end_burst(Context* context, ThreadSlot& thread) {
  if (thread.burst == 0 || (thread.burst & kBurstGoesOn) != 0) return;
  const bool has_left = thread.burst <= kDirectOfBurst && thread.quick_bursts < kQuickBursts;
  judge_burst(thread);
  if (has_left || context->pack->push()) thread.burst = 0;
}

}  // namespace uccs::core
