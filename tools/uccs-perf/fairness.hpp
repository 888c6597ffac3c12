// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include "options.hpp"
#include "table.hpp"

namespace uccs::perf {

/// Starts one job per number of threads; prints a summary per thread and records every run.
int fairness(const Options& options, const std::vector<std::string>& arguments);

/// What an EC of such a job does: EC 0 sends, the threads of EC 1 receive, EC 0 writes the rows.
void fairness_job(const Options& options);

}  // namespace uccs::perf
