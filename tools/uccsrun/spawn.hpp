// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include <sched.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/types.h>

#include <string>
#include <vector>

#include "options.hpp"
#include "rte/local/wire.hpp"

namespace uccs::run {

/// What all ECs of the job share at their start. Descriptors are close-on-exec here; `spawn` passes
/// on those that the ECs are to have, under the same numbers.
struct JobFiles {
  int segment_fd = -1;
  int board_fd = -1;
  // The numbers under which an EC finds its control socket and its lifeline.
  int control_number = -1, lifeline_number = -1;
  int null_fd = -1;
  rte::local::BoardJob* board = nullptr;
};

/// Makes the shared memory objects and raises the limit of open files to what `num_ecs` need. False
/// when it cannot, which it has printed.
bool open_job_files(int num_ecs, JobFiles* files_out, rlimit* file_limit_out);

struct SpawnPlan {
  std::string path;
  char** argv = nullptr;
  std::string directory;
  std::vector<std::string> environment;  ///< to set on top of ours
  std::vector<cpu_set_t> cpus;           ///< per EC, or empty
  rlimit file_limit{};                   ///< ours before it was raised
  sigset_t signal_mask{};                ///< ours before it was changed
};

/// The launcher's ends of one EC.
struct Spawned {
  pid_t pid = -1;
  int out_fd = -1;
  int err_fd = -1;
  int control_fd = -1;
};

/// Starts EC `ec` as the leader of a process group of its own, killed by the kernel should this
/// process end. `stdin_fd` becomes its standard input. False when it cannot, which it describes in
/// `error_out`.
bool spawn(const SpawnPlan& plan, const JobFiles& files, int ec, int num_ecs, int stdin_fd,
           Spawned* spawned_out, std::string* error_out);

}  // namespace uccs::run
