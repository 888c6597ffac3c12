// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include <sys/types.h>

#include <cstdint>
#include <string>

#include "rte/local/wire.hpp"

namespace uccs::run {

/// One EC as the launcher knows it.
struct EcState {
  pid_t pid = -1;  ///< of the process we started; the EC itself may be its child
  bool is_running = false;
  int wait_status = 0;  ///< from waitpid, once it runs no more
};

/// "was killed by signal 11 (Segmentation fault)" or "exited with status 3".
std::string describe_end(int wait_status);

/// ", in barrier_all for 2.1 s", or "" if it says it waits for nothing.
std::string describe_activity(const rte::local::BoardEc& line);

/// "EC 3 of 8 on host (pid 4711)".
std::string describe_ec(int ec, const EcState& state, rte::local::BoardJob* board);

/// One line about where EC `ec` is: process, phase, activity, or how it ended.
std::string describe_state(int ec, const EcState& state, rte::local::BoardJob* board);

/// "./prog -x 3", cut when long.
std::string describe_command(char** command);

/// The exit status a shell would show.
int shell_status(int wait_status);

}  // namespace uccs::run
