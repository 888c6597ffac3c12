// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include "options.hpp"
#include "table.hpp"

namespace uccs::perf {

/// One operation over all sizes asked for. Collective; the table is filled on EC 0.
Table sweep(const Options& options);

}  // namespace uccs::perf
