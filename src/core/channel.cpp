// SPDX-License-Identifier: BSD-3-Clause
#include "core/channel.hpp"

#include "base/log.hpp"
#include "core/job.hpp"
#include "core/progress_thread.hpp"
#include "core/thread.hpp"
#include "rte/identity.hpp"

namespace uccs::core {
namespace {

bool open_channel(Context* context, Channel* channel, int index) {
  for (int link = 0; link < context->link_count; ++link) {
    const Link& to = context->links[link];
    if (to.table->open_channel(to.instance, index, &channel->paths[link]) != UCCS_OK) return false;
  }
  if (!channel->pool.reserve(kRequestsPerChannel)) return false;
  channel->context = context;
  channel->index = index;
  channel->lane = static_cast<uint8_t>(index % context->shape.lanes);
  return true;
}

}  // namespace

Channel* adopt_channel(Context* context, int least) {
  const std::lock_guard guard(context->lock);
  const auto least_used = [&](int from) {
    Channel* best = nullptr;
    for (int i = from; i < context->open_channels.load(std::memory_order_relaxed); ++i) {
      Channel* candidate = &context->channels[i];
      if (!best || candidate->users < best->users) best = candidate;
    }
    return best;
  };
  const auto open_next = [&] {
    const int next = context->open_channels.load(std::memory_order_relaxed);
    if (next == context->shape.channels || !open_channel(context, &context->channels[next], next))
      return false;
    context->open_channels.store(next + 1, std::memory_order_release);  // pairs with is_quiet
    return true;
  };
  Channel* best = least_used(least);
  while ((!best || best->users > 0) && open_next()) best = least_used(least);
  if (!best) best = least_used(0);
  if (!best) base::fatal("a thread cannot communicate: not even one channel could be opened");
  ++best->users;
  return best;
}

void hand_back_channel(Channel* channel) {
  const std::lock_guard guard(channel->context->lock);
  --channel->users;  // it stays open: requests of the thread may still be under way
}

int advance_channel(Channel* channel) {
  if (channel->active.load(std::memory_order_relaxed) == 0 || !channel->lock.try_lock()) return 0;
  Context* context = channel->context;
  int steps = 0;
  // Completions only: no class of messages is asked for.
  const net::Sink nobody = {[](void*, const net::Arrival&) { return false; }, nullptr};
  for (int link = 0; link < context->link_count; ++link)
    steps += context->links[link].table->progress(channel->paths[link], 0, 0, 0, nobody);

  Request* previous = nullptr;
  for (Request* request = channel->active_first; request;) {
    Request* next = request->active_next;
    const Step step = request->advance(request);
    if (step != Step::kIdle) ++steps;
    if (step == Step::kOver) {
      (previous ? previous->active_next : channel->active_first) = next;
      if (!next) channel->active_last = previous;
      channel->active.fetch_sub(1, std::memory_order_relaxed);
      complete(request, request->status);
    } else {
      previous = request;
    }
    request = next;
  }
  channel->lock.unlock();
  return steps;
}

void list_locked(Request* request) {
  Channel* channel = request->home;
  request->active_next = nullptr;
  (channel->active_last ? channel->active_last->active_next : channel->active_first) = request;
  channel->active_last = request;
  channel->active.fetch_add(1, std::memory_order_relaxed);
}

void activate_locked(Request* request) {
  list_locked(request);
  if (ProgressThread* thread = request->context->progress_thread.get()) thread->wake_if_asleep();
}

void activate(Request* request) {
  Channel* channel = request->home;
  channel->lock.lock();
  activate_locked(request);
  channel->lock.unlock();
}

Request* take_request(Context* context, const ThreadSlot& thread, Endpoint* endpoint,
                      bool is_implicit) {
  Channel* channel = thread.channel;
  Request* request = channel->pool.take();
  if (!request) return nullptr;
  request->home = channel;
  request->context = context;
  request->endpoint = endpoint;
  request->status = UCCS_OK;
  request->is_implicit = is_implicit;
  request->lane = thread.lane;
  request->state.store(Request::kPending, std::memory_order_relaxed);
  request->outstanding.store(0, std::memory_order_relaxed);
  request->part_error.store(UCCS_OK, std::memory_order_relaxed);
  request->received.store(0, std::memory_order_relaxed);
  request->done = [](net::Completion* self, uccs_status_t status) {
    part_done(static_cast<Request*>(self), status);
  };
  if (!endpoint) return request;
  request->bucket = context->packs_bursts ? thread.account : endpoint->bucket;
  channel->pending.add(request->bucket);
  return request;
}

namespace {
void uncount(Request* request) {
  if (request->endpoint) request->home->pending.remove(request->bucket);
}
}  // namespace

bool is_quiet(Context* context, uint8_t bucket) {
  const int open = context->open_channels.load(std::memory_order_acquire);
  for (int i = 0; i < open; ++i)
    if (context->channels[i].pending.of_bucket[bucket].load(std::memory_order_acquire) != 0)
      return false;
  return true;
}

bool is_quiet(Context* context) {
  const int open = context->open_channels.load(std::memory_order_acquire);
  for (int i = 0; i < open; ++i)
    if (context->channels[i].pending.all.load(std::memory_order_acquire) != 0) return false;
  return true;
}

void drop_request(Request* request) {
  uncount(request);
  request->home->pool.give_back(request);
}

void complete(Request* request, uccs_status_t status) {
  request->status = status;
  const bool is_implicit = request->is_implicit;
  if (is_implicit && status < 0)
    base::fatal("an operation on EC %d on %s failed: %s",
                request->endpoint ? request->endpoint->ec : job.me,
                rte::host_of(request->endpoint ? request->endpoint->ec : job.me),
                uccs_status_string(status));
  uncount(request);
  if (is_implicit) {
    request->home->pool.give_back(request);
  } else {
    request->state.store(Request::kDone, std::memory_order_release);  // pairs with uccs_test
  }
}

void part_done(Request* request, uccs_status_t status) {
  if (status < 0) {
    int none = UCCS_OK;
    request->part_error.compare_exchange_strong(none, status, std::memory_order_relaxed);
  }
  request->outstanding.fetch_sub(1, std::memory_order_release);  // pairs with `advance`
}

}  // namespace uccs::core
