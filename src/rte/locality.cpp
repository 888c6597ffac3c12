// SPDX-License-Identifier: BSD-3-Clause
#include "rte/locality.hpp"

#include <dlfcn.h>
#include <sched.h>
#include <stdio.h>
#include <sys/utsname.h>

#include <mutex>

#include "base/log.hpp"
#include "rte/backend.hpp"

#if defined(UCCS_HAVE_HWLOC)
#include <hwloc.h>
#endif

namespace uccs::rte {
namespace {

#if defined(UCCS_HAVE_HWLOC)

/// The functions of libhwloc that are used here. Loaded on demand: neither its start-up time nor
/// its presence is asked of programs that want no locality.
struct Hwloc {
  decltype(&hwloc_topology_init) topology_init;
  decltype(&hwloc_topology_load) topology_load;
  decltype(&hwloc_get_type_depth) get_type_depth;
  decltype(&hwloc_get_nbobjs_by_depth) get_nbobjs_by_depth;
  decltype(&hwloc_get_obj_by_depth) get_obj_by_depth;
  decltype(&hwloc_bitmap_isset) bitmap_isset;
  hwloc_topology_t topology = nullptr;
};

template <typename Function>
bool find(void* library, const char* name, Function* out) {
  *out = reinterpret_cast<Function>(dlsym(library, name));
  return *out != nullptr;
}

/// Fills `out`; false, with one line in the log, when hwloc cannot be used.
bool load(Hwloc* out) {
  // The major version is part of the name: its structures are those of the header.
  void* library = dlopen("libhwloc.so.15", RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) {
    base::log_line(base::LogLevel::kInfo, "localities are unknown: %s", dlerror());
    return false;
  }
  const bool is_complete = find(library, "hwloc_topology_init", &out->topology_init) &&
                           find(library, "hwloc_topology_load", &out->topology_load) &&
                           find(library, "hwloc_get_type_depth", &out->get_type_depth) &&
                           find(library, "hwloc_get_nbobjs_by_depth", &out->get_nbobjs_by_depth) &&
                           find(library, "hwloc_get_obj_by_depth", &out->get_obj_by_depth) &&
                           find(library, "hwloc_bitmap_isset", &out->bitmap_isset);
  if (!is_complete || out->topology_init(&out->topology) != 0 ||
      out->topology_load(out->topology) != 0) {
    base::log_line(base::LogLevel::kInfo, "localities are unknown: hwloc cannot read the machine");
    return false;
  }
  return true;
}

/// The logical number of the one object of `type` that holds all CPUs of `mask`.
int covering(const Hwloc& hwloc, hwloc_obj_type_t type, const cpu_set_t& mask) {
  const int depth = hwloc.get_type_depth(hwloc.topology, type);
  if (depth == HWLOC_TYPE_DEPTH_UNKNOWN || depth == HWLOC_TYPE_DEPTH_MULTIPLE) return RTE_UNKNOWN;
  const unsigned count = hwloc.get_nbobjs_by_depth(hwloc.topology, depth);
  for (unsigned i = 0; i < count; ++i) {
    const hwloc_obj_t object = hwloc.get_obj_by_depth(hwloc.topology, depth, i);
    int inside = 0;
    for (unsigned cpu = 0; cpu < CPU_SETSIZE; ++cpu)
      if (CPU_ISSET(cpu, &mask) && hwloc.bitmap_isset(object->cpuset, cpu) != 0) ++inside;
    if (inside == CPU_COUNT(&mask)) return static_cast<int>(object->logical_index);
  }
  return RTE_UNKNOWN;
}

void find_places(const cpu_set_t& mask, rte_locality_t* locality) {
  static std::mutex mutex;  // hwloc promises no thread safety for a first query
  const std::lock_guard<std::mutex> lock(mutex);
  static Hwloc hwloc;
  static const bool is_loaded = load(&hwloc);
  if (!is_loaded) return;
  locality->socket = covering(hwloc, HWLOC_OBJ_PACKAGE, mask);
  locality->core = covering(hwloc, HWLOC_OBJ_CORE, mask);
  locality->numa = covering(hwloc, HWLOC_OBJ_NUMANODE, mask);
}

#else

void find_places(const cpu_set_t&, rte_locality_t*) {}

#endif

}  // namespace

void find_locality(int ec, rte_locality_t* locality_out) {
  rte_locality_t found{};
  found.socket = found.core = found.numa = RTE_UNKNOWN;
  found.endianness = __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ ? RTE_LITTLE_ENDIAN : RTE_BIG_ENDIAN;
  utsname system;
  if (uname(&system) == 0)
    snprintf(found.architecture, sizeof found.architecture, "%.31s", system.machine);
  found.node = node_of(ec);
  snprintf(found.host, sizeof found.host, "%s", start().nodes[found.node].host);
  const pid_t pid = backend().ec_pid(ec);
  cpu_set_t mask;
  if (pid > 0 && sched_getaffinity(pid, sizeof mask, &mask) == 0) find_places(mask, &found);
  *locality_out = found;
}

}  // namespace uccs::rte
