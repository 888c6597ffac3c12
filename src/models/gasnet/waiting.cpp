// SPDX-License-Identifier: BSD-3-Clause
#include "models/gasnet/waiting.hpp"

#include <sched.h>

#include <atomic>
#include <new>

#include "core/job.hpp"
#include "models/gasnet/job.hpp"
#include "rte/identity.hpp"

namespace uccs::gasnet {
namespace {

std::atomic<int> wait_mode = GASNET_WAIT_SPINBLOCK;

/// Contexts of other models and of the program; their messages come in this thread, too.
constexpr uint32_t kOthersEvery = 16;
bool has_other_contexts() {
  const uint32_t all = core::live_contexts.load(std::memory_order_relaxed);
  return (all & (all - 1)) != 0;
}

}  // namespace

Waiting::Waiting(const char* call)
    : call_(call),
      thread_(core::this_thread(attached.context)),
      waiter_(attached.context, thread_) {}

void Waiting::show(const char* what) { rte::set_activity(what); }

void Waiting::idle() {
  const int mode = wait_mode.load(std::memory_order_relaxed);
  if (mode == GASNET_WAIT_BLOCK) sched_yield();
  if (mode != GASNET_WAIT_SPIN || base::wait_policy().spins == 0 || misses_ % 256 == 0)
    waiter_.idle();
  else
    base::cpu_pause();
}

void Waiting::pause() {
  if (core::job.is_spread) advance_meetings();
  if (core::progress(attached.context, thread_) > 0) {
    waiter_.reset();
    return;
  }
  if (++misses_ == kLong) show(call_);
  if (misses_ % kOthersEvery == 0 && has_other_contexts() && core::progress_idle() > 0) {
    waiter_.reset();
    return;
  }
  idle();
}

void poll() {
  (void)uccs_progress(attached.context);
  if (core::job.is_spread) [[unlikely]]
    advance_meetings();
}

}  // namespace uccs::gasnet

using namespace uccs;
using namespace uccs::gasnet;

static_assert(sizeof(Waiting) <= sizeof(uccs_gasnet_wait_t) &&
              alignof(Waiting) <= alignof(uccs_gasnet_wait_t));

extern "C" {

int gasnet_AMPoll(void) {
  if (attached.map.nodes == 0) return refuse_unattached("gasnet_AMPoll");
  poll();
  return GASNET_OK;
}

void uccs_gasnet_pause(uccs_gasnet_wait_t* wait) {
  auto* waiting = reinterpret_cast<Waiting*>(wait);
  if (wait->opaque[0] == 0) {  // the name of the call, once there is a wait
    if (attached.map.nodes == 0) {
      refuse_unattached("GASNET_BLOCKUNTIL");
      gasnet_exit(1);
    }
    new (waiting) Waiting("GASNET_BLOCKUNTIL");
  }
  waiting->pause();
}

void uccs_gasnet_resume(uccs_gasnet_wait_t* wait) { reinterpret_cast<Waiting*>(wait)->end(); }

int gasnet_set_waitmode(int mode) {
  if (mode < GASNET_WAIT_SPIN || mode > GASNET_WAIT_SPINBLOCK)
    return refuse(GASNET_ERR_BAD_ARG, "gasnet_set_waitmode", "%d is no mode", mode);
  wait_mode.store(mode, std::memory_order_relaxed);
  return GASNET_OK;
}

}  // extern "C"
