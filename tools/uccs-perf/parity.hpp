// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include "options.hpp"
#include "table.hpp"

namespace uccs::perf {

/// Starts one job per number of threads and collects their rows. Returns the exit status.
int parity(const Options& options, const std::vector<std::string>& arguments);

/// What an EC of such a job does. EC 0 writes the rows.
void parity_job(const Options& options);

/// ECs of the job that compares `threads` threads with as many pairs of processes.
inline int parity_ecs(int threads) { return 2 + 2 * threads; }

}  // namespace uccs::perf
