// SPDX-License-Identifier: BSD-3-Clause
/// How all ECs end a context together, so that nothing that was posted is lost.
///
/// In rounds by way of EC 0, over messages of the context itself, which work on any transport: each
/// EC says how many messages it has sent and handled, EC 0 adds that up and tells all that the
/// round is over. If all together had handled as many in one round as they have sent by the next,
/// no message was on its way between the two (Mattern, "Algorithms for distributed termination
/// detection", 1987: the method of four counters). Messages in shared memory are not counted: one
/// that was sent before a round is there after it, so none was on its way if nobody handled any
/// between two rounds.
#include "core/dispatch.hpp"
#include "core/job.hpp"
#include "core/post.hpp"
#include "core/progress.hpp"

namespace uccs::core {
namespace {

LeaveHead counts(Context* context) {
  LeaveHead counted = {
      .sent = 0, .handled = 0, .others = context->late.exchange(0, std::memory_order_relaxed)};
  // What was handled first: the sum of what was sent covers what handlers sent until then.
  for (int lane = 0; lane < context->shape.lanes; ++lane)
    counted.handled += context->lanes[lane].handled.load(std::memory_order_acquire);
  const int open = context->open_channels.load(std::memory_order_acquire);
  for (int i = 0; i < open; ++i) {
    const std::lock_guard guard(context->channels[i].lock);
    counted.sent += context->channels[i].sent;
  }
  return counted;
}

void say_leave(Context* context, ThreadSlot& thread) {
  const LeaveHead head = counts(context);
  for (;;) {
    thread.channel->lock.lock();
    const uccs_status_t status = post_message(
        thread.channel, context->routes[0], 0,
        make_envelope(net::Traffic::kRequest, Kind::kLeave, 0, 0), &head, sizeof head, nullptr);
    thread.channel->lock.unlock();
    if (status != UCCS_AGAIN) return;
    progress(context, thread);
  }
}

/// At EC 0, of a round in which all have said what they have counted.
bool is_nothing_left(Context* context, int round) {
  const uint64_t sent = context->sent.exchange(0, std::memory_order_relaxed);
  const uint64_t handled = context->handled.exchange(0, std::memory_order_relaxed);
  const uint64_t others = context->others.exchange(0, std::memory_order_relaxed);
  const bool is_still = round > 1 && sent == context->handled_before && others == 0;
  context->handled_before = handled;
  return is_still;
}

void run_round(Context* context, ThreadSlot& thread, int round) {
  say_leave(context, thread);
  // Only EC 0 gets beyond the first condition before it has told everybody.
  if (job.me == 0) {
    (void)wait_until(context, [&] {
      return context->leaves.load(std::memory_order_acquire) == round * job.size;
    });
    const int id = is_nothing_left(context, round) ? 1 : 0;
    for (int ec = 0; ec < job.size; ++ec)
      (void)post_reply(context, thread, context->routes[ec], ec,
                       make_envelope(net::Traffic::kReply, Kind::kLeft, 0, 0, id), nullptr, 0,
                       nullptr);
  }
  (void)wait_until(context, [&] { return context->left.load(std::memory_order_acquire) == round; });
}

void deliver_all(Context* context, ThreadSlot& thread) {
  while (drain_all(context, thread) > 0) {
  }
}

}  // namespace

void note_leave(Context* context, const LeaveHead& said) {
  context->sent.fetch_add(said.sent, std::memory_order_relaxed);
  context->handled.fetch_add(said.handled, std::memory_order_relaxed);
  context->others.fetch_add(said.others, std::memory_order_relaxed);
  context->leaves.fetch_add(1, std::memory_order_release);
}

void note_left(Context* context, bool is_over) {
  context->is_over.store(is_over, std::memory_order_relaxed);
  context->left.fetch_add(1, std::memory_order_release);
}

void announce_end(Context* context) {
  context->is_ending.store(true, std::memory_order_relaxed);
  run_round(context, this_thread(context), 1);
}

void leave_together(Context* context) {
  ThreadSlot& thread = this_thread(context);
  deliver_all(context, thread);
  forget_lanes(context);  // nobody names a lane any more, and nobody is in the next context yet
  for (int round = 2; !context->is_over.load(std::memory_order_relaxed); ++round) {
    deliver_all(context, thread);
    (void)uccs_context_flush(context);  // what callbacks have posted
    run_round(context, thread, round);
  }
}

}  // namespace uccs::core
