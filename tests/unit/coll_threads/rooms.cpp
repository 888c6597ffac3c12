// SPDX-License-Identifier: BSD-3-Clause
/// What the rooms below `coll` provide, where the ECs are threads.
#include <unistd.h>

#include "core/direct.hpp"
#include "core/group.hpp"
#include "core/idle.hpp"
#include "rte/identity.hpp"

namespace uccs {

namespace core {
thread_local uccs_direct_map_t direct_map;
std::atomic<uint32_t> live_contexts = 0;
int progress_all_contexts() { return 0; }

std::byte* group_scratch(int id) {
  return reinterpret_cast<std::byte*>(direct_map.heap_low) +
         kGroupScratchBytes * static_cast<size_t>(id);
}
}  // namespace core

namespace rte {
void set_activity(const char*) {}
bool job_is_ending() { return false; }
void end_job(int status, const char*) { _exit(status); }
}  // namespace rte

}  // namespace uccs
