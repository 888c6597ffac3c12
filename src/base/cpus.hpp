// SPDX-License-Identifier: BSD-3-Clause
#pragma once

namespace uccs::base {

/// CPUs this process may really use, at least 1: the affinity mask, capped by the cgroup's CPU
/// quota (v1 and v2, rounded up). Read once, then cached.
int usable_cpus();

/// The affinity mask alone; at least 1.
int affinity_cpus();

/// The quota alone, of the cgroups of this process; 0: none. Read once, then cached.
int quota_cpus();

/// CPUs that the quotas of a process's cgroups grant, rounded up; 0 when nothing limits it. The
/// arguments are files in the format of /proc/self/cgroup and /proc/self/mountinfo.
int cgroup_cpus(const char* cgroup_file, const char* mountinfo_file);

}  // namespace uccs::base
