// SPDX-License-Identifier: BSD-3-Clause
#include "core/progress.hpp"

#include <pthread.h>
#include <sched.h>
#include <signal.h>

#include "core/dispatch.hpp"
#include "rte/identity.hpp"

namespace uccs::core {
namespace {

/// Messages of one class taken per look. Alone, a thread takes several for one lock; where several
/// threads poll, each takes one, so that all get their share.
constexpr int kBudgetAlone = Batch::kCapacity / net::kTrafficClasses;
constexpr int kBudgetShared = 1;

/// Steps a thread makes before it lets others run, when they need its CPU.
constexpr uint32_t kTurn = 32;

/// How often a thread looks at lanes that are not its own.
constexpr uint32_t kForeignLaneEvery = 64;

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

/// Completions that wait on channels of threads that compute, and steps of operations.
int advance_channels(Context* context, ThreadSlot& thread) {
  int steps = advance_channel(thread.channel);
  for (int i = 0; i < kMaxChannels; ++i) {
    Channel* channel = &context->channels[i];
    if (i >= context->shape.channels) break;
    if (channel == thread.channel || channel->active.load(std::memory_order_relaxed) == 0) continue;
    steps += advance_channel(channel);
  }
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

int budget_of(const Context* context) {
  return context->pollers.load(std::memory_order_relaxed) <= 1 ? kBudgetAlone : kBudgetShared;
}

/// Whose lane is it? A bound thread's own, or anybody's if nobody is bound to it.
bool is_mine(Context* context, const ThreadSlot& thread, int lane) {
  return thread.bound_lane >= 0 ? thread.bound_lane == lane
                                : context->lanes[lane].bound.load(std::memory_order_relaxed) == 0;
}

[[gnu::noinline]] int poll_many_lanes(Context* context, ThreadSlot& thread, uint32_t traffic) {
  const int lanes = context->shape.lanes;
  const bool is_foreign_due = ++thread.ticks % kForeignLaneEvery == 0 || thread.is_internal;
  int steps = 0;
  for (int i = 0, lane = thread.lane; i < lanes; ++i, lane = lane + 1 == lanes ? 0 : lane + 1) {
    const bool is_own = is_mine(context, thread, lane);
    if (!is_own && !is_foreign_due) continue;
    steps += poll_lane(context, thread, lane, is_own && !thread.is_internal, traffic,
                       budget_of(context));
  }
  return steps;
}

[[gnu::always_inline]] inline int poll_lanes(Context* context, ThreadSlot& thread,
                                             uint32_t traffic) {
  // With one lane it is everybody's own, or of those who are bound to it.
  if (context->shape.lanes > 1 || thread.is_internal || !is_mine(context, thread, 0)) [[unlikely]]
    return poll_many_lanes(context, thread, traffic);
  return poll_lane(context, thread, 0, true, traffic, budget_of(context));
}

}  // namespace

int progress(Context* context, ThreadSlot& thread) {
  if (thread.callbacks > 0) [[unlikely]]
    return 0;
  int steps = poll_lanes(context, thread, net::kAllTraffic);
  if (context->active_channels.load(std::memory_order_relaxed) != 0) [[unlikely]]
    steps += advance_channels(context, thread);
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
          to.table->message(channel->paths[link], ec, envelope, head, head_bytes, payload);
      if (needs_channel) channel->lock.unlock();
      if (status != UCCS_AGAIN) return status;
    }
    (void)progress_replies(context, thread);
  }
}

std::atomic<uint32_t>* Waiter::arm(bool is_waiting) {
  std::atomic<uint32_t>* doorbell = nullptr;
  const net::Transport& first = *context_->links[0].table;
  for (int lane = 0; lane < context_->shape.lanes; ++lane)
    if (thread_.bound_lane == UCCS_LANE_ANY || thread_.bound_lane == lane)
      doorbell = first.arm(context_->links[0].instance, lane, is_waiting);
  return doorbell;
}

void Waiter::sleep() {
  // Whoever ended the job gave its status; this EC only gets out of the way.
  if (rte::job_is_ending()) rte::end_job(1, nullptr);
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
  // The job's context: nobody else may be about to need it, and CPUs are better left to those who
  // compute.
  const bool is_background = self->context_ == job_context();
  while (!self->is_over_.load(std::memory_order_acquire)) {
    if (progress(self->context_, slot) > 0) {
      waiter.reset();
    } else if (is_background) {
      waiter.rest();
    } else {
      waiter.idle();
    }
  }
  return nullptr;
}

}  // namespace uccs::core
