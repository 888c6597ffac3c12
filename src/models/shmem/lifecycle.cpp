// SPDX-License-Identifier: BSD-3-Clause
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <mutex>

#include "base/config_values.hpp"
#include "base/log.hpp"
#include "core/job.hpp"
#include "models/shmem/check_locks.hpp"
#include "models/shmem/collectives.hpp"
#include "models/shmem/heaps.hpp"
#include "rte/identity.hpp"
#include "uccs/info.h"

namespace uccs::shmem {
namespace {

std::mutex lock;             // one thread at a time starts or ends the library
std::atomic<int> starts{0};  // that no end undid; atomic for shmem_query_initialized
std::atomic<int> thread_level{SHMEM_THREAD_SINGLE};
pid_t owner = 0;  // a child that a PE forked is no PE

void print_information() {
  const base::Config& config = base::config();
  if (core::job.me != 0) return;
  if (config.check)
    fprintf(stderr,
            "uccs: check mode is on (SHMEM_DEBUG or UCCS_CHECK): every call is looked at, and "
            "slower\n");
  if (config.shmem_version || config.shmem_info)
    printf("UCCS %s (%s), OpenSHMEM %d.%d\n", uccs_version_string(), uccs_build_string(),
           SHMEM_MAJOR_VERSION, SHMEM_MINOR_VERSION);
  if (!config.shmem_info) return;
  uccs_config_entry_t entry;
  for (size_t i = 0; uccs_config_get(i, &entry) == UCCS_OK; ++i)
    printf("  %s=%s  %s\n", entry.name, entry.value, entry.help);
  fflush(stdout);
}

void finish(bool is_exit);

/// The implicit finalize. A PE that exits with an error is not waited for: the launcher then ends
/// the job, because it was not finalized.
void at_exit(int status, void*) {
  if (starts == 0 || status != 0 || getpid() != owner || rte::job_is_ending()) return;
  starts = 1;
  finish(true);
}

uccs_status_t start_first(int level) {
  const uccs_status_t status = core::job_start(level == SHMEM_THREAD_MULTIPLE);
  if (status != UCCS_OK) return status;
  rte::set_phase(rte::Phase::kInitialized);  // from here on PEs wait for each other
  prepare_comparisons();
  make_predefined_teams();
  if (owner == 0) on_exit(at_exit, nullptr);
  owner = getpid();
  print_information();
  coll::barrier(core::world_group());
  open_gate();
  return UCCS_OK;
}

/// Every level costs the same, so the highest that was asked for is in force.
uccs_status_t start(int level) {
  const std::lock_guard guard(lock);
  if (starts == 0) {
    const uccs_status_t status = start_first(level);
    if (status != UCCS_OK) return status;
    thread_level = level;
  }
  thread_level = std::max(thread_level.load(), level);
  note_start(thread_level, starts == 0);
  ++starts;
  return UCCS_OK;
}

/// In check mode: what a finalize that undoes one of `starts` finds. An exit is not asked for its
/// thread.
void look_at_finish(bool is_exit) {
  if (!is_checking()) return;
  if (!is_exit) check_finalizer();
  if (starts == 1) {
    end_contexts_check();
    end_locks_check();
    core::check_heap_guards();
  }
  Collective what;
  what.agreed[0] = {"the number of inits that were not finalized", starts};
  check_collective(core::world_group(), "shmem_finalize", what);
  leave_collective();
  note_quiet(default_context());
  if (starts == 1) forget_freed();
}

void finish(bool is_exit) {
  const std::lock_guard guard(lock);
  if (starts == 0) {
    if (is_checking())
      base::log_line(base::LogLevel::kWarn,
                     "shmem_finalize: called without an init that it could undo: ignored");
    return;
  }
  look_at_finish(is_exit);
  barrier_all();
  if (starts > 1) {
    --starts;
    return;
  }
  end_all_teams();
  end_all_spaces();
  shut_gate();
  core::job_stop();
  rte::set_phase(rte::Phase::kFinalized);
  thread_level = SHMEM_THREAD_SINGLE;
  starts = 0;
}

void start_or_fail(const char* call) {
  const uccs_status_t status = start(SHMEM_THREAD_SINGLE);
  if (status != UCCS_OK)
    base::fatal("%s: the library cannot start: %s", call, uccs_status_string(status));
}

}  // namespace
}  // namespace uccs::shmem

using namespace uccs;
using namespace uccs::shmem;

UCCS_SHMEM(void, init, (void)) { start_or_fail("shmem_init"); }

UCCS_SHMEM(int, init_thread, (int requested, int* provided)) {
  if (requested < SHMEM_THREAD_SINGLE || requested > SHMEM_THREAD_MULTIPLE) {
    base::log_line(base::LogLevel::kError,
                   "shmem_init_thread: %d is no thread level: SHMEM_THREAD_SINGLE (%d) to MULTIPLE "
                   "(%d) are",
                   requested, SHMEM_THREAD_SINGLE, SHMEM_THREAD_MULTIPLE);
    return -1;
  }
  const uccs_status_t status = start(requested);
  if (status != UCCS_OK) return status;
  if (provided != nullptr) *provided = thread_level;
  return 0;
}

UCCS_SHMEM(void, finalize, (void)) { finish(false); }

UCCS_SHMEM(void, query_initialized, (int* initialized)) { *initialized = starts > 0; }
UCCS_SHMEM(void, query_thread, (int* provided)) { *provided = thread_level; }

UCCS_SHMEM(void, global_exit, (int status)) {
  if (starts == 0) exit(status);
  rte::end_job(status, nullptr);
}

// Once the library is started further calls do nothing; finalizing happens at exit.
extern "C" void start_pes(int) {
  if (starts == 0) start_or_fail("start_pes");
}
