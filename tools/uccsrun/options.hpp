// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include <cstdint>
#include <string>
#include <vector>

namespace uccs::run {

enum class Binding : uint8_t { kNone, kCore, kSocket };

/// The command line, checked.
struct Options {
  int num_ecs = 0;
  Binding binding = Binding::kNone;
  bool is_binding_given = false;
  uint64_t timeout_ns = 0;  ///< 0: none
  bool is_tagged = false;
  bool is_verbose = false;
  std::string directory;                 ///< "" = this one
  std::vector<std::string> environment;  ///< "NAME=value" to set
  std::string hosts;                     ///< of --hosts, "" = not given
  std::string hostfile;                  ///< of --hostfile
  std::string launcher;                  ///< of --launcher
  char** command = nullptr;              ///< the program and its arguments, NULL-terminated
};

/// Exit statuses of the launcher's own. Others are those of the job.
constexpr int kExitUsage = 2;
constexpr int kExitTimeout = 124;
constexpr int kExitNotExecutable = 126;
constexpr int kExitNotFound = 127;

/// Reads the command line. Prints help, version and errors itself and then ends the process.
Options parse_options(int argc, char** argv);

/// The file to execute for `program`, searched in PATH if it names no directory; relative to
/// `directory` if that is not "". On failure prints why, sets `exit_status_out` (126 or 127) and
/// returns "".
std::string find_program(const char* program, const std::string& directory, int* exit_status_out);

}  // namespace uccs::run
