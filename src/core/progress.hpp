// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include "base/backoff.hpp"
#include "core/idle.hpp"
#include "core/thread.hpp"

namespace uccs::core {

/// Delivers messages of the lanes that this thread serves, runs callbacks, advances operations.
/// Returns how many steps were made. Nothing is done from a callback.
int progress(Context* context, ThreadSlot& thread);

/// Sends a message that must get through, of class kReply. While the target's inbox is full,
/// delivers replies to this EC: they need nothing that could run out, so both sides go on.
uccs_status_t post_reply(Context* context, ThreadSlot& thread, int link, int ec,
                         net::Envelope envelope, const void* head, size_t head_bytes,
                         const net::Payload* payload);

/// Delivers replies only, which needs nothing that could run out. From callbacks, too.
int progress_replies(Context* context, ThreadSlot& thread);

/// One pass over all lanes for every class and any callback, whoever the thread is.
int drain_all(Context* context, ThreadSlot& thread);

/// How a thread waits for a context: spins, yields, then sleeps on the doorbell of its lanes.
class Waiter {
 public:
  Waiter(Context* context, ThreadSlot& thread) : context_(context), thread_(thread) {}

  /// After a look in vain. May make progress before it sleeps.
  void idle() {
    if (backoff_.will_sleep()) [[unlikely]] {
      sleep();
    } else {
      backoff_.pause();
    }
  }
  void reset() { backoff_.reset(); }

 private:
  void sleep();
  std::atomic<uint32_t>* arm(bool is_waiting);

  Context* context_;
  ThreadSlot& thread_;
  base::Backoff backoff_;
  uint64_t armed_ = 0;  ///< lanes whose senders were told of the sleep
};

/// Makes progress until `is_over()`; UCCS_ERR_STATE from a callback when it is not over yet.
template <typename Condition>
uccs_status_t wait_until(Context* context, Condition is_over) {
  if (is_over()) return UCCS_OK;
  ThreadSlot& thread = this_thread(context);
  if (thread.callbacks > 0) return UCCS_ERR_STATE;
  Waiter waiter(context, thread);
  for (;;) {
    const int steps = progress(context, thread);
    if (is_over()) return UCCS_OK;
    if (steps > 0) {
      waiter.reset();
    } else {
      waiter.idle();
    }
  }
}

}  // namespace uccs::core
