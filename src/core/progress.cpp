// SPDX-License-Identifier: BSD-3-Clause
#include "core/progress.hpp"

#include <sched.h>

#include "core/dispatch.hpp"
#include "core/pack.hpp"
#include "core/post.hpp"
#include "rte/identity.hpp"

namespace uccs::core {
namespace {

/// Messages of one class taken per look. Alone at a lane, a thread takes several for one lock;
/// where several poll it, each takes one, so that all get their share.
constexpr int kBudgetAlone = Batch::kCapacity / net::kTrafficClasses;
constexpr int kBudgetShared = 1;

/// Steps a thread makes before it lets others run, when they need its CPU: few where they take from
/// the same lane, so that all get their share; else so many that the switch costs one per cent: a
/// lane that runs dry gives the CPU away by itself.
constexpr uint32_t kTurnShared = 32;
constexpr uint32_t kTurn = 4096;

constexpr uint32_t kPatienceWhenCrowded = 64;

[[gnu::noinline]] int run_deferred(Context* context, ThreadSlot& thread, int lane,
                                   Deferred& deferred) {
  int steps = 0;
  for (Kept kept; deferred.pop(&kept); ++steps) {
    handle(context, thread, kept);
    note_handled(context, lane, kept.link, 1);
  }
  return steps;
}

[[gnu::noinline]] void note_batch(const Batch& batch) {
  int count = 0;
  for (int i = 0; i < batch.count; ++i) count += is_counted(kind_of(batch.items[i].arrival));
  note_handled(batch.context, batch.lane, batch.link, count);
}

[[gnu::always_inline]] inline int poll_lane(Context* context, ThreadSlot& thread, int lane,
                                            bool runs_user, uint32_t traffic, int budget) {
  int steps = 0;
  Lane& waiting = context->lanes[lane];
  if (runs_user && !waiting.replies.is_empty()) [[unlikely]]
    steps += run_deferred(context, thread, lane, waiting.replies);
  if (runs_user && !waiting.requests.is_empty() && traffic == net::kAllTraffic) [[unlikely]]
    steps += run_deferred(context, thread, lane, waiting.requests);
  Batch batch;
  batch.context = context;
  batch.lane = lane;
  batch.runs_user = runs_user;
  const net::Sink sink = {arrive, &batch};
  for (int link = 0; link < context->link_count; ++link) {
    batch.link = link;
    batch.count = 0;
    const int arrived = context->links[link].table->progress(thread.channel->paths[link], lane,
                                                             traffic, budget, sink);
    if (arrived == 0) [[likely]]
      continue;
    steps += arrived;
    for (int i = 0; i < batch.count; ++i) handle(context, thread, batch.items[i]);
    if (context->links[link].is_counted() || context->is_ending.load(std::memory_order_relaxed))
        [[unlikely]]
      note_batch(batch);
  }
  return steps;
}

/// Steps of operations that were posted on channels of others, who may be computing.
int advance_others(Context* context, const ThreadSlot& thread) {
  if (context->pack) context->pack->age();
  int steps = 0;
  const int open = context->open_channels.load(std::memory_order_acquire);
  for (int i = 0; i < open; ++i)
    if (&context->channels[i] != thread.channel) steps += advance_channel(&context->channels[i]);
  return steps;
}

/// With more threads polling than CPUs, whoever runs would take all there is until its time slice
/// ends: it makes room for the others from time to time.
void take_turns(Context* context, ThreadSlot& thread, int steps) {
  thread.served += static_cast<uint32_t>(steps);
  const bool is_alone = context->lanes[thread.lane].residents.load(std::memory_order_relaxed) <= 1;
  if (thread.served < (is_alone ? kTurn : kTurnShared)) return;
  thread.served = 0;
  if (context->pollers.load(std::memory_order_relaxed) > context->cpus) sched_yield();
}

/// May the thread run user callbacks of the lane? Those of a bound one are its owners'.
bool runs_user(const Context* context, const ThreadSlot& thread, int lane) {
  if (thread.is_internal) return false;
  return thread.bound_lane == lane ||
         context->lanes[lane].bound.load(std::memory_order_relaxed) == 0;
}

/// The thread's home.
[[gnu::always_inline]] inline int poll_home(Context* context, ThreadSlot& thread,
                                            uint32_t traffic) {
  Lane& home = context->lanes[thread.lane];
  home.polls.store(home.polls.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
  const bool is_alone = home.residents.load(std::memory_order_relaxed) <= 1;
  return poll_lane(context, thread, thread.lane, runs_user(context, thread, thread.lane), traffic,
                   is_alone ? kBudgetAlone : kBudgetShared);
}

/// Lanes of `which` that are not the thread's home. Of others' homes only those whose residents do
/// not poll: otherwise two would fetch every line of every message.
[[gnu::noinline]] int poll_others(Context* context, ThreadSlot& thread, uint64_t which,
                                  uint64_t homes, uint32_t traffic) {
  // On a crowded CPU who does not poll is rather waiting for a CPU than computing.
  const uint32_t patience = static_cast<uint32_t>(std::popcount(homes)) *
                            (base::Backoff::is_crowded() ? kPatienceWhenCrowded : 1);
  int steps = 0;
  for (uint64_t left = which; left != 0; left &= left - 1) {
    const int lane = std::countr_zero(left);
    if ((homes & lane_bit(lane)) != 0) {
      const Lane::Care care = context->lanes[lane].care(patience);
      if (care == Lane::Care::kAttended) continue;
      if (care == Lane::Care::kAbandoned) make_orphan(context, lane);
    }
    const bool is_alone = context->pollers.load(std::memory_order_relaxed) <= 1;
    steps += poll_lane(context, thread, lane, runs_user(context, thread, lane), traffic,
                       is_alone ? kBudgetAlone : kBudgetShared);
  }
  return steps;
}

/// Every so often. Operations are advanced again at once as long as there is something to do;
/// messages are not, so that all who look after a lane get their share.
[[gnu::noinline]] int look_after_others(Context* context, ThreadSlot& thread, uint64_t open,
                                        uint64_t homes, uint32_t traffic) {
  const int taken = poll_others(context, thread, open & homes, homes, traffic);
  if (traffic != net::kAllTraffic) return taken;
  const int advanced = advance_others(context, thread);
  if (advanced > 0) thread.ticks = ~uint32_t{0};
  return taken + advanced;
}

[[gnu::always_inline]] inline int poll_lanes(Context* context, ThreadSlot& thread,
                                             uint32_t traffic) {
  uint64_t homes = context->homes.lanes.load(std::memory_order_relaxed);
  const uint64_t open = context->homes.open();
  if (thread.is_internal) [[unlikely]]  // it looks after all, all the time
    return poll_others(context, thread, open, 0, traffic) +
           (traffic == net::kAllTraffic ? advance_others(context, thread) : 0);
  if (!thread.is_settled || (homes & lane_bit(thread.lane)) == 0) [[unlikely]] {
    settle_thread(context, &thread);
    homes = context->homes.lanes.load(std::memory_order_relaxed);
  }
  int steps = poll_home(context, thread, traffic);
  if ((open & ~homes) != 0) [[unlikely]]  // nobody's lanes
    steps += poll_others(context, thread, open & ~homes, homes, traffic);
  if ((++thread.ticks & context->poll_mask) == 0) [[unlikely]]
    steps += look_after_others(context, thread, open & ~lane_bit(thread.lane), homes, traffic);
  return steps;
}

}  // namespace

int progress(Context* context, ThreadSlot& thread) {
  if (thread.callbacks > 0) [[unlikely]]
    return 0;
  int steps = poll_lanes(context, thread, net::kAllTraffic);
  if (thread.channel->active.load(std::memory_order_relaxed) != 0) [[unlikely]]
    steps += advance_channel(thread.channel);
  if (steps > 0) take_turns(context, thread, steps);
  return steps;
}

int progress_replies(Context* context, ThreadSlot& thread) {
  return poll_lanes(context, thread, net::traffic_bit(net::Traffic::kReply));
}

int drain_all(Context* context, ThreadSlot& thread) {
  int steps = 0;
  for (int lane = 0; lane < context->shape.lanes; ++lane)
    steps += poll_lane(context, thread, lane, true, net::kAllTraffic, kBudgetAlone);
  return steps;
}

uccs_status_t post_reply(Context* context, ThreadSlot& thread, int link, int ec,
                         net::Envelope envelope, const void* head, size_t head_bytes,
                         const net::Payload* payload) {
  const Link& to = context->links[link];
  Channel* channel = thread.channel;
  const bool needs_channel = payload || !to.limits.short_is_shared;
  for (Waiter waiter(context, thread);; waiter.idle()) {
    if (!needs_channel || channel->lock.try_lock()) {
      const uccs_status_t status =
          post_message(channel, link, ec, envelope, head, head_bytes, payload);
      if (needs_channel) channel->lock.unlock();
      if (status != UCCS_AGAIN) return status;
    }
    (void)progress_replies(context, thread);
  }
}

std::atomic<uint32_t>* Waiter::arm(bool is_waiting) {
  std::atomic<uint32_t>* doorbell = nullptr;
  const net::Transport& first = *context_->links[0].table;
  for (uint64_t left = armed_; left != 0; left &= left - 1)
    doorbell = first.arm(context_->links[0].instance, std::countr_zero(left), is_waiting);
  return doorbell;
}

void Waiter::sleep() {
  // Whoever ended the job gave its status; this EC only gets out of the way.
  if (rte::job_is_ending()) rte::end_job(1, nullptr);
  armed_ = thread_.bound_lane >= 0 ? lane_bit(thread_.bound_lane) : context_->homes.open();
  std::atomic<uint32_t>* doorbell = arm(true);
  if (!doorbell || context_->link_count > 1) {  // one futex cannot wait for two transports
    arm(false);
    // Nothing wakes it at others' lanes either, so it looks at them each time.
    thread_.ticks = ~uint32_t{0};
    backoff_.pause();
    return;
  }
  const uint32_t seen = doorbell->load(std::memory_order_acquire);
  // A message that came before the announcement rang nothing: look once more, at others' lanes,
  // too.
  thread_.ticks = ~uint32_t{0};
  if (progress(context_, thread_) == 0) backoff_.pause_on(doorbell, seen);
  arm(false);
}

}  // namespace uccs::core
