// SPDX-License-Identifier: BSD-3-Clause
#include "core/public_lanes.hpp"

#include "core/direct.hpp"
#include "core/job.hpp"
#include "core/thread.hpp"

namespace uccs::core {
namespace {

PublicLanes unmapped;

constexpr uint64_t lanes_below(int count) { return ~uint64_t{0} >> (kMaxLanes - count); }

/// Offers the lanes up to the highest home, those between that are none included.
void publish(Context* context) {
  if (context->homes.is_over) return;
  const int in_use = std::bit_width(context->homes.lanes.load(std::memory_order_relaxed));
  PublicLanes* here = context->homes.here;
  if (in_use > 0) here->open.fetch_or(lanes_below(in_use), std::memory_order_relaxed);
  here->in_use.store(static_cast<uint32_t>(in_use), std::memory_order_relaxed);
}

}  // namespace

PublicLanes* public_lanes(int index, int ec) {
  static auto* const mine = static_cast<PublicLanes*>(
      internal_allocate(sizeof(PublicLanes) * kMaxContexts, alignof(PublicLanes)));
  void* mapped = translate(mine, ec);
  return mapped ? static_cast<PublicLanes*>(mapped) + index : &unmapped;
}

void open_lanes(Context* context) {
  context->homes.here = public_lanes(context->index, job.me);
  // Who does not map this EC cannot say which lane it is going to use. In the job's context
  // requests go to the first, and answers to lanes that threads of this EC have opened.
  const bool is_mapped_by_all = direct_map.count == static_cast<uint32_t>(job.size);
  context->homes.always_open =
      lanes_below(is_mapped_by_all || context->is_of_job ? 1 : context->shape.lanes);
}

void forget_lanes(Context* context) {
  const std::lock_guard guard(context->lock);
  context->homes.is_over = true;
  context->homes.here->open.store(0, std::memory_order_relaxed);
  context->homes.here->in_use.store(0, std::memory_order_relaxed);
}

void open_lane(Context* context, int lane) {
  if ((context->homes.open() & lane_bit(lane)) == 0)
    context->homes.here->open.fetch_or(lane_bit(lane), std::memory_order_relaxed);
}

void settle(Context* context, ThreadSlot* thread) {
  const int home = thread->lane;
  if (!thread->is_settled) context->lanes[home].residents.fetch_add(1, std::memory_order_relaxed);
  thread->is_settled = true;
  context->homes.lanes.fetch_or(lane_bit(home), std::memory_order_relaxed);
  publish(context);
}

void unsettle(Context* context, ThreadSlot* thread) {
  if (!thread->is_settled) return;
  const int home = thread->lane;
  thread->is_settled = false;
  if (context->lanes[home].residents.fetch_sub(1, std::memory_order_relaxed) == 1)
    context->homes.lanes.fetch_and(~lane_bit(home), std::memory_order_relaxed);
  publish(context);
}

void make_orphan(Context* context, int lane) {
  context->lanes[lane].vain.store(0, std::memory_order_relaxed);
  context->homes.lanes.fetch_and(~lane_bit(lane), std::memory_order_relaxed);
}

}  // namespace uccs::core
