// SPDX-License-Identifier: BSD-3-Clause
#include "bind.hpp"

#include <stdio.h>

#include <map>
#include <utility>

namespace uccs::run {
namespace {

/// One number of the kernel's description of a CPU; -1 if it has none.
int topology_number(int cpu, const char* what) {
  char path[96];
  snprintf(path, sizeof path, "/sys/devices/system/cpu/cpu%d/topology/%s", cpu, what);
  FILE* file = fopen(path, "re");
  if (file == nullptr) return -1;
  int number;
  const bool is_read = fscanf(file, "%d", &number) == 1;
  fclose(file);
  return is_read ? number : -1;
}

}  // namespace

std::vector<cpu_set_t> plan_binding(Binding binding, int num_ecs) {
  cpu_set_t allowed;
  if (binding == Binding::kNone) return {};
  if (sched_getaffinity(0, sizeof allowed, &allowed) != 0) {
    perror("uccsrun: --bind is ignored: cannot read the CPUs of this process");
    return {};
  }
  std::map<std::pair<int, int>, cpu_set_t> places;
  for (int cpu = 0; cpu < CPU_SETSIZE; ++cpu) {
    if (!CPU_ISSET(cpu, &allowed)) continue;
    const int socket = topology_number(cpu, "physical_package_id");
    const int core = binding == Binding::kCore ? topology_number(cpu, "core_id") : 0;
    const auto [place, is_new] = places.try_emplace({socket, core});
    if (is_new) CPU_ZERO(&place->second);
    CPU_SET(cpu, &place->second);
  }
  std::vector<cpu_set_t> in_order;
  for (const auto& [key, cpus] : places) in_order.push_back(cpus);
  std::vector<cpu_set_t> plan;
  const size_t count = static_cast<size_t>(num_ecs);
  for (size_t i = 0; i < count; ++i)
    plan.push_back(binding == Binding::kCore ? in_order[i % in_order.size()]
                                             : in_order[i * in_order.size() / count]);
  return plan;
}

}  // namespace uccs::run
