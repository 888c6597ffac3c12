// SPDX-License-Identifier: BSD-3-Clause
#include "core/group.hpp"

#include "core/job.hpp"

namespace uccs::core {

constinit Group world;

std::byte* group_scratch(int id) {
  static std::byte* const all =
      static_cast<std::byte*>(internal_allocate(kGroupScratchBytes * kMaxGroups, 4096));
  return all + kGroupScratchBytes * static_cast<size_t>(id);
}

}  // namespace uccs::core
