// SPDX-License-Identifier: BSD-3-Clause
/// How all ECs end a context together. EC 0 counts, over messages of the context itself, so it
/// works on any transport. Two rounds: after the first nobody posts, so what is in the inboxes can
/// be delivered, replies included; after the second nothing is on its way any more.
#include "core/dispatch.hpp"
#include "core/job.hpp"
#include "core/progress.hpp"

namespace uccs::core {
namespace {

void say_leave(Context* context, ThreadSlot& thread) {
  const int link = context->routes[0];
  const Link& to = context->links[link];
  for (;;) {
    thread.channel->lock.lock();
    const uccs_status_t status = to.table->message(
        thread.channel->paths[link], 0, make_envelope(net::Traffic::kRequest, Kind::kLeave, 0, 0),
        nullptr, 0, nullptr);
    thread.channel->lock.unlock();
    if (status != UCCS_AGAIN) return;
    progress(context, thread);
  }
}

void run_round(Context* context, ThreadSlot& thread, int round) {
  say_leave(context, thread);
  // Only EC 0 gets beyond the first condition before it has told everybody.
  if (job.me == 0) {
    (void)wait_until(context, [&] {
      return context->leaves.load(std::memory_order_acquire) == round * job.size;
    });
    for (int ec = 0; ec < job.size; ++ec)
      (void)post_reply(context, thread, context->routes[ec], ec,
                       make_envelope(net::Traffic::kReply, Kind::kLeft, 0, 0), nullptr, 0, nullptr);
  }
  (void)wait_until(context, [&] { return context->left.load(std::memory_order_acquire) == round; });
}

void deliver_all(Context* context, ThreadSlot& thread) {
  while (drain_all(context, thread) > 0) {
  }
}

}  // namespace

void note_leave(Context* context) { context->leaves.fetch_add(1, std::memory_order_release); }

void leave_together(Context* context) {
  ThreadSlot& thread = this_thread(context);
  run_round(context, thread, 1);
  deliver_all(context, thread);
  forget_lanes(context);  // nobody names a lane any more, and nobody is in the next context yet
  run_round(context, thread, 2);
  deliver_all(context, thread);
}

}  // namespace uccs::core
