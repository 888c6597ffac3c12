// SPDX-License-Identifier: BSD-3-Clause
#include "models/shmem/waiting.hpp"

#include <sched.h>

#include "core/idle.hpp"
#include "core/pack.hpp"
#include "rte/identity.hpp"

namespace uccs::shmem {

void Waiting::look_around() {
  if (!is_shown_ && backoff_.will_sleep()) {
    is_shown_ = true;
    show(call_);
  }
  core::age_packs();
  if (rte::job_is_ending()) rte::end_job(1, nullptr);
}

void Waiting::show(const char* what) { rte::set_activity(what); }

void pause_after_failed_test() {
  core::progress_idle();
  if (base::wait_policy().spins == 0) sched_yield();
}

}  // namespace uccs::shmem
