// SPDX-License-Identifier: BSD-3-Clause
#pragma once

namespace uccs::base {

/// CPUs this process may really use, at least 1: the affinity mask, capped by the cgroup's CPU
/// quota (v1 and v2, rounded up). Read once, then cached.
int usable_cpus();

}  // namespace uccs::base
