// SPDX-License-Identifier: BSD-3-Clause
#include "core/progress.hpp"

#include <pthread.h>
#include <sched.h>
#include <signal.h>

#include "core/dispatch.hpp"
#include "rte/identity.hpp"

namespace uccs::core {
namespace {

/// Messages of one class taken per look. Alone at a lane, a thread takes several for one lock;
/// where several poll it, each takes one, so that all get their share.
constexpr int kBudgetAlone = Batch::kCapacity / net::kTrafficClasses;
constexpr int kBudgetShared = 1;

/// Steps a thread makes before it lets others run, when they need its CPU.
constexpr uint32_t kTurn = 32;

[[gnu::noinline]] int run_deferred(Context* context, ThreadSlot& thread, Deferred& deferred) {
  int steps = 0;
  for (Kept kept; deferred.pop(&kept); ++steps) handle(context, thread, kept);
  return steps;
}

[[gnu::always_inline]] inline int poll_lane(Context* context, ThreadSlot& thread, int lane,
                                            bool runs_user, uint32_t traffic, int budget) {
  int steps = 0;
  Lane& waiting = context->lanes[lane];
  if (runs_user && !waiting.replies.is_empty()) [[unlikely]]
    steps += run_deferred(context, thread, waiting.replies);
  if (runs_user && !waiting.requests.is_empty() && traffic == net::kAllTraffic) [[unlikely]]
    steps += run_deferred(context, thread, waiting.requests);
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
  }
  return steps;
}

/// Steps of operations that were posted on channels of others, who may be computing.
int advance_others(Context* context, const ThreadSlot& thread) {
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
  if (thread.served < kTurn) return;
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
  int steps = 0;
  for (uint64_t left = which; left != 0; left &= left - 1) {
    const int lane = std::countr_zero(left);
    if ((homes & lane_bit(lane)) != 0 && !context->lanes[lane].is_unattended()) continue;
    const bool is_alone = context->pollers.load(std::memory_order_relaxed) <= 1;
    steps += poll_lane(context, thread, lane, runs_user(context, thread, lane), traffic,
                       is_alone ? kBudgetAlone : kBudgetShared);
  }
  return steps;
}

/// Every so often, and again at once as long as there is something to do.
[[gnu::noinline]] int look_after_others(Context* context, ThreadSlot& thread, uint64_t open,
                                        uint64_t homes, uint32_t traffic) {
  const int steps = poll_others(context, thread, open & homes, homes, traffic) +
                    (traffic == net::kAllTraffic ? advance_others(context, thread) : 0);
  if (steps > 0) thread.ticks = ~uint32_t{0};
  return steps;
}

[[gnu::always_inline]] inline int poll_lanes(Context* context, ThreadSlot& thread,
                                             uint32_t traffic) {
  if (!thread.is_settled && !thread.is_internal) [[unlikely]]
    settle_thread(context, &thread);
  const uint64_t homes = context->homes.lanes.load(std::memory_order_relaxed);
  const uint64_t open = context->homes.open();
  int steps = thread.is_internal ? 0 : poll_home(context, thread, traffic);
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
          to.table->message(channel->paths[link], ec, envelope, head, head_bytes, payload);
      if (needs_channel) channel->lock.unlock();
      if (status != UCCS_AGAIN) return status;
    }
    poll_lanes(context, thread, net::traffic_bit(net::Traffic::kReply));
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
    backoff_.pause();
    return;
  }
  const uint32_t seen = doorbell->load(std::memory_order_acquire);
  // A message that came before the announcement rang nothing: look once more.
  if (progress(context_, thread_) == 0) backoff_.pause_on(doorbell, seen);
  arm(false);
}

bool ProgressThread::start(Context* context) {
  context_ = context;
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);  // signals are the program's threads' business
  is_running_ = pthread_create(&thread_, nullptr, run, this) == 0;
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  return is_running_;
}

ProgressThread::~ProgressThread() {
  if (!is_running_) return;
  is_over_.store(true, std::memory_order_release);
  pthread_join(thread_, nullptr);
}

void* ProgressThread::run(void* argument) {
  auto* self = static_cast<ProgressThread*>(argument);
  ThreadSlot& slot = this_thread(self->context_);
  slot.is_internal = true;
  self->context_->pollers.fetch_sub(1, std::memory_order_relaxed);  // it competes with nobody
  Waiter waiter(self->context_, slot);
  while (!self->is_over_.load(std::memory_order_acquire)) {
    if (progress(self->context_, slot) > 0) {
      waiter.reset();
    } else {
      waiter.idle();
    }
  }
  return nullptr;
}

}  // namespace uccs::core
