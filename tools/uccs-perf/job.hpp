// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include <string>
#include <vector>

namespace uccs::perf {

/// Whether a launcher started this process.
bool is_launched();

/// Becomes `uccsrun -n procs uccs-perf arguments`. Returns never.
[[noreturn]] void become_job(int procs, const std::vector<std::string>& arguments);

/// Runs such a job with `environment` ("NAME=value") besides, and reads what it writes: lines whose
/// cells are separated by tabs. Ends the process with the job's status when the job fails.
std::vector<std::vector<std::string>> run_job(int procs, const std::vector<std::string>& arguments,
                                              const std::vector<std::string>& environment);

/// Writes a line for run_job.
void write_cells(const std::vector<std::string>& cells);

}  // namespace uccs::perf
