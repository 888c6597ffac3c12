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

int group_index_in_table(const Group& group, int ec) {
  const int* const pairs = group.table + group.size;
  int low = 0, high = group.size;  // the pair sought is in [low, high), if there is one
  while (low < high) {
    const int middle = low + (high - low) / 2;
    if (pairs[2 * middle] == ec) return pairs[2 * middle + 1];
    if (pairs[2 * middle] < ec)
      low = middle + 1;
    else
      high = middle;
  }
  return -1;
}

}  // namespace uccs::core
