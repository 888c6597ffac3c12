// SPDX-License-Identifier: BSD-3-Clause
#include "models/shmem/waiting.hpp"

#include <sched.h>

#include "core/idle.hpp"
#include "rte/identity.hpp"

namespace uccs::shmem {

void Waiting::look_around() {
  if (misses_ == kLong) show(call_);
  if (misses_ > 2 * kLong) misses_ -= kLong;  // it must not wrap
  if (rte::job_is_ending()) rte::end_job(1, nullptr);
}

void Waiting::show(const char* what) { rte::set_activity(what); }

void pause_after_failed_test() {
  core::progress_idle();
  if (base::wait_policy().spins == 0) sched_yield();
}

}  // namespace uccs::shmem
