// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include <cstddef>
#include <cstdint>

#include "uccs/status.h"

namespace uccs::core {

/// Scratch of one group in every EC's internal memory, at the same offset everywhere.
/// `coll` lays it out; zero when the group is made.
constexpr size_t kGroupScratchBytes = 16 * 1024;
constexpr int kMaxGroups = 8192;

/// This EC's scratch of group number `id` (0 is the world group's); nothing is resident until
/// touched.
std::byte* group_scratch(int id);

/// An ordered set of ECs that communicate collectively. Member i is EC `first + i * stride`, or
/// `table[i]` in groups that no such triplet describes.
/// One thread of each member EC at a time may be inside a collective of the group; different groups
/// are independent.
struct Group {
  int rank = -1;  ///< this EC's index in the group
  int size = 0;
  int first = 0;
  int stride = 1;  ///< may be negative
  /// nullptr, or the members' ECs in order, and after them the same sorted as pairs of EC and
  /// index: 3 * size numbers. Owned by the group, freed by coll::group_release. `first` is table[0]
  /// then.
  const int* table = nullptr;
  int id = -1;                   ///< number of its scratch, same on all members
  std::byte* scratch = nullptr;  ///< this EC's scratch; peers' by translate()
  uint64_t sync_epoch = 0;       ///< barriers done; owned by coll
  uint64_t data_epoch = 0;       ///< data-moving collectives done; owned by coll
};

inline int group_ec(const Group& group, int index) {
  return group.table == nullptr ? group.first + index * group.stride : group.table[index];
}

/// The ECs with the lowest and the highest number.
inline int group_lowest_ec(const Group& group) {
  if (group.table != nullptr) return group.table[group.size];
  return group.stride >= 0 ? group.first : group_ec(group, group.size - 1);
}
inline int group_highest_ec(const Group& group) {
  if (group.table != nullptr) return group.table[3 * group.size - 2];
  return group.stride >= 0 ? group_ec(group, group.size - 1) : group.first;
}

/// All ECs of the job, number 0; valid after job_start. Its scratch and epochs live as long as the
/// process, so a job that ends and starts again goes on where it was.
extern Group world;
inline Group& world_group() { return world; }

/// `group_index` in a table: a binary search.
inline int group_index_in_table(const Group& group, int ec) {
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

/// Index of `ec` in `group`, -1 if it is no member. Arithmetic, unless the group has a table.
inline int group_index(const Group& group, int ec) {
  if (group.table != nullptr) [[unlikely]]
    return group_index_in_table(group, ec);
  const int distance = ec - group.first;
  if (group.stride == 1) return distance >= 0 && distance < group.size ? distance : -1;
  if (group.stride == 0) return distance == 0 ? 0 : -1;
  const int index = distance / group.stride;
  return index * group.stride == distance && index >= 0 && index < group.size ? index : -1;
}

}  // namespace uccs::core
