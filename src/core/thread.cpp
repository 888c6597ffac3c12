// SPDX-License-Identifier: BSD-3-Clause
#include "core/thread.hpp"

namespace uccs::core {

thread_local constinit ThreadSlot thread_slots[kMaxContexts];

namespace {

void unbind(Context* context, const ThreadSlot* slot) {
  if (slot->bound_lane >= 0)
    context->lanes[slot->bound_lane].bound.fetch_sub(1, std::memory_order_relaxed);
}

void detach_thread(int index) {
  ThreadSlot& slot = thread_slots[index];
  const std::lock_guard guard(contexts_lock());
  Context* context = context_at(index);
  if (slot.incarnation == 0 || !context || context->incarnation != slot.incarnation) return;
  {
    const std::lock_guard at_home(context->lock);
    unsettle(context, &slot);
    unbind(context, &slot);
  }
  if (!slot.is_internal) context->pollers.fetch_sub(1, std::memory_order_relaxed);
  hand_back_channel(slot.channel);
  slot.incarnation = 0;
}

/// Gives back what the thread holds when it ends.
struct AtThreadExit {
  ~AtThreadExit() {
    for (int i = 0; i < kMaxContexts; ++i) detach_thread(i);
  }
};

void attach(Context* context, ThreadSlot* slot, int least_channel) {
  static thread_local AtThreadExit at_exit;
  (void)&at_exit;  // constructed here, so that it is destroyed
  *slot = ThreadSlot{};
  slot->incarnation = context->incarnation;
  slot->channel = adopt_channel(context, least_channel);
  slot->lane = slot->channel->lane;
  open_lane(context, slot->lane);  // replies come there
}

}  // namespace

void attach_thread(Context* context, ThreadSlot* slot) {
  attach(context, slot, 0);
  context->pollers.fetch_add(1, std::memory_order_relaxed);
}

ThreadSlot& attach_internal(Context* context) {
  ThreadSlot& slot = thread_slots[context->index];
  // The ports of the job's lanes are for threads of the program.
  attach(context, &slot, context->is_of_job ? context->shape.lanes : 0);
  slot.is_internal = true;
  return slot;
}

void bind_thread(Context* context, ThreadSlot* slot, int lane) {
  const std::lock_guard guard(context->lock);
  const bool was_settled = slot->is_settled;
  unsettle(context, slot);
  unbind(context, slot);
  if (lane >= 0) context->lanes[lane].bound.fetch_add(1, std::memory_order_relaxed);
  slot->bound_lane = static_cast<int16_t>(lane);
  slot->lane = lane >= 0 ? static_cast<uint8_t>(lane) : slot->channel->lane;
  open_lane(context, slot->lane);
  if (was_settled) settle(context, slot);
}

void settle_thread(Context* context, ThreadSlot* slot) {
  const std::lock_guard guard(context->lock);
  settle(context, slot);
}

}  // namespace uccs::core

extern "C" uccs_status_t uccs_lane_bind(uccs_context_t context, int lane) {
  if (!context || lane < UCCS_LANE_ANY || lane >= context->shape.lanes) return UCCS_ERR_INVALID;
  uccs::core::bind_thread(context, &uccs::core::this_thread(context), lane);
  return UCCS_OK;
}

extern "C" int uccs_lane_by_hash(uint64_t key, int lanes) {
  const uint64_t mixed = (key * UINT64_C(0x9e3779b97f4a7c15)) >> 32;
  return static_cast<int>((mixed * static_cast<uint64_t>(lanes)) >> 32);
}
