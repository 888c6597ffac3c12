// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include "options.hpp"
#include "table.hpp"

namespace uccs::perf {

/// Starts one job per value of the polling mask.
int mask(const Options& options, const std::vector<std::string>& arguments);

/// What an EC of such a job does; EC 0 writes the rows.
void mask_job(const Options& options);

}  // namespace uccs::perf
