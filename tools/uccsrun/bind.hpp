// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include <sched.h>

#include <vector>

#include "options.hpp"

namespace uccs::run {

/// The CPUs of each EC: with kCore EC i gets core i, going round; with kSocket the ECs are dealt
/// out in blocks. Only CPUs that this process may use. Empty for kNone, or where the kernel does
/// not tell the topology (which is printed).
std::vector<cpu_set_t> plan_binding(Binding binding, int num_ecs);

}  // namespace uccs::run
