// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <cstring>
#include <utility>
#include <vector>

#include "base/log.hpp"
#include "coll/coll.hpp"
#include "coll/far.hpp"
#include "coll/lines.hpp"
#include "coll/numbers.hpp"
#include "coll/reduce.hpp"

namespace uccs::coll {
namespace {

/// What the members of the parent agree on: bits that all have set.
struct Ballot {
  uint64_t words[Numbers::kWindowWords];
};
static_assert(sizeof(Ballot) <= kPayloadBytes);

void intersect(void* acc, const void* in, size_t) {
  Ballot a, b;
  std::memcpy(&a, acc, sizeof a);
  std::memcpy(&b, in, sizeof b);
  for (uint32_t w = 0; w < Numbers::kWindowWords; ++w) a.words[w] &= b.words[w];
  std::memcpy(acc, &a, sizeof a);
}

/// The parent of a split; `near` is nullptr when its members are on several nodes.
struct Voters {
  Group& group;
  const Members* near;

  uint32_t& window() const {
    return near ? near->own.split_window : far_of(group).own.split_window;
  }
};

Ballot agree(const Voters& voters, const Ballot& own) {
  Ballot result = own;
  if (!voters.near) {
    far::allreduce(voters.group, &result, &own, sizeof own, 1, intersect);
    return result;
  }
  const Members& members = *voters.near;
  if (members.size == 1) return result;
  if (!is_flat(members)) {
    reduce_lines(members, &result, &own, sizeof own, 1, intersect);
    return result;
  }
  const Blocks blocks = exchange(members, &own, 0, sizeof own);
  for (int i = 0; i < members.size; ++i)
    if (i != members.rank) intersect(&result, blocks.at(i), 1);
  return result;
}

/// The first number of `ballot` in `window` from bit `start` on, around its end; -1: none.
int pick(const Ballot& ballot, uint32_t window, uint32_t start) {
  constexpr uint32_t kBits = 64 * Numbers::kWindowWords;
  for (uint32_t i = 0; i < kBits; ++i) {
    const uint32_t bit = (start + i) % kBits;
    if ((ballot.words[bit / 64] >> (bit % 64) & 1) != 0)
      return static_cast<int>(window * kBits + bit);
  }
  return -1;
}

/// Takes `number` at all members of the parent, or at none.
bool take_everywhere(const Voters& voters, int number) {
  Ballot own{};
  own.words[0] = Numbers::mine().take(number) ? 1 : 0;
  const bool is_agreed = agree(voters, own).words[0] != 0;
  if (!is_agreed && own.words[0] != 0) Numbers::mine().release(number);
  return is_agreed;
}

/// A number that was free at all members of the parent and is taken now; -1, everywhere, if there
/// is none. Windows are tried in turn from the one that served this parent last, so the search is
/// as long as the number of groups alive only once.
///
/// Threads that split different groups may pick the same number; who does not get it everywhere
/// tries again from a place that depends on the parent, which nobody else splits now.
int take_number(const Voters& voters, int parent_id) {
  constexpr uint32_t kCollisionsMax = 1000;
  uint32_t& window = voters.window();
  uint32_t start = 0;
  uint32_t collisions = 0;
  for (uint32_t barren = 0; barren < Numbers::kWindows && collisions < kCollisionsMax;) {
    Ballot own;
    Numbers::mine().look(window, own.words);
    const int number = pick(agree(voters, own), window, start);
    if (number < 0) {
      window = (window + 1) % Numbers::kWindows;
      ++barren;
      continue;
    }
    if (take_everywhere(voters, number)) return number;
    ++collisions;
    barren = 0;
    start = (static_cast<uint32_t>(parent_id) + collisions) * 2654435761u >> 16;
  }
  return -1;
}

/// Takes a number at all members of the parent; false, everywhere, after a message if there is
/// none.
bool number_group(const Voters& voters, Group* group) {
  group->id = take_number(voters, voters.group.id);
  if (group->id < 0) {
    if (voters.group.rank == 0)
      base::log_line(base::LogLevel::kError,
                     "group split: all %d groups that an EC can be in are in use: release some",
                     Numbers::kLastNumber - 1);
    return false;
  }
  // Its scratch is as zero as it was when the number was free, at all members, so those who leave
  // first may write into it at once.
  if (group->rank >= 0)
    group->scratch = core::group_scratch(group->id);
  else
    Numbers::mine().release(group->id);
  return true;
}

bool is_triplet(int parent_size, int start, int stride, int size) {
  if (size < 1 || start < 0 || start >= parent_size) return false;
  if (stride == 0) return size == 1;
  const int64_t last = start + int64_t{stride} * (size - 1);
  return last >= 0 && last < parent_size;
}

uccs_status_t split(const Voters& voters, int start, int stride, int size, Group* group_out) {
  const Group& parent = voters.group;
  *group_out = Group{};
  if (!is_triplet(parent.size, start, stride, size)) {
    if (parent.rank == 0)
      base::log_line(base::LogLevel::kError,
                     "group split: start %d, stride %d, size %d is no subset of the %d members of "
                     "the parent",
                     start, stride, size, parent.size);
    return UCCS_ERR_INVALID;
  }
  Group group;
  if (parent.table == nullptr) {
    group.size = size;
    group.first = core::group_ec(parent, start);
    group.stride = parent.stride * stride;
  } else {
    std::vector<int> ecs;
    for (int i = 0; i < size; ++i) ecs.push_back(core::group_ec(parent, start + i * stride));
    describe(ecs, &group);
  }
  group.rank = core::group_index(group, core::group_ec(parent, parent.rank));
  if (!number_group(voters, &group)) {
    delete[] group.table;
    return UCCS_ERR_NO_MEMORY;
  }
  if (group.rank < 0) {  // nobody will release it
    delete[] group.table;
    group.table = nullptr;
  }
  *group_out = group;
  return UCCS_OK;
}

uccs_status_t split_by_color(const Voters& voters, int color, int key, Group* group_out) {
  Group& parent = voters.group;
  struct Choice {
    int color, key;
  };
  const Choice own = {color, key};
  std::vector<Choice> choices(static_cast<size_t>(parent.size));
  allgather(parent, choices.data(), &own, sizeof own);
  *group_out = Group{};
  for (int i = 0; i < parent.size; ++i) {
    const int given = choices[static_cast<size_t>(i)].color;
    if (given >= 0 || given == kNoColor) continue;
    if (parent.rank == 0)
      base::log_line(
          base::LogLevel::kError,
          "group split: member %d gives the color %d: colors are at least 0, or %d for no "
          "group",
          i, given, kNoColor);
    return UCCS_ERR_INVALID;
  }
  Group group;
  if (color != kNoColor) {
    std::vector<std::pair<int, int>> chosen;  // key, and index in the parent
    for (int i = 0; i < parent.size; ++i) {
      const Choice& choice = choices[static_cast<size_t>(i)];
      if (choice.color == color) chosen.emplace_back(choice.key, i);
    }
    std::sort(chosen.begin(), chosen.end());
    std::vector<int> ecs;
    for (const auto& [_, index] : chosen) ecs.push_back(core::group_ec(parent, index));
    describe(ecs, &group);
    group.rank = core::group_index(group, core::group_ec(parent, parent.rank));
  }
  // The groups have no member in common, so one number serves them all.
  if (!number_group(voters, &group)) {
    delete[] group.table;
    return UCCS_ERR_NO_MEMORY;
  }
  *group_out = group;
  return UCCS_OK;
}
}  // namespace

void describe(const std::vector<int>& ecs, Group* group) {
  group->size = static_cast<int>(ecs.size());
  group->first = ecs[0];
  group->stride = ecs.size() > 1 ? ecs[1] - ecs[0] : 1;
  bool is_triplet = true;
  for (size_t i = 2; i < ecs.size(); ++i) is_triplet &= ecs[i] - ecs[i - 1] == group->stride;
  if (is_triplet) return;
  std::vector<std::pair<int, int>> sorted;  // EC and index
  for (size_t i = 0; i < ecs.size(); ++i) sorted.emplace_back(ecs[i], static_cast<int>(i));
  std::sort(sorted.begin(), sorted.end());
  int* const table = new int[3 * ecs.size()];
  int* end = std::copy(ecs.begin(), ecs.end(), table);
  for (const auto& [ec, index] : sorted) {
    *end++ = ec;
    *end++ = index;
  }
  group->table = table;
}

uccs_status_t group_split(Group& parent, int start, int stride, int size, Group* group_out) {
  if (is_far(parent)) return split({parent, nullptr}, start, stride, size, group_out);
  const uint64_t triplet = static_cast<uint32_t>(start) | uint64_t{static_cast<uint32_t>(stride)}
                                                              << 32;
  const Members members = enter(parent, {Kind::kGroupSplit, triplet, size});
  return split({parent, &members}, start, stride, size, group_out);
}

uccs_status_t group_split_by_color(Group& parent, int color, int key, Group* group_out) {
  if (is_far(parent)) return split_by_color({parent, nullptr}, color, key, group_out);
  const Members members = enter(parent, {Kind::kGroupSplit, UINT64_MAX, parent.size});
  return split_by_color({parent, &members}, color, key, group_out);
}

void group_release(Group& group) {
  if (is_far(group)) {
    far::barrier(group);
    Group local = far_of(group).local;
    end_far(group);
    group_release(local);
    delete[] group.table;
    group = Group{};
    return;
  }
  const Members members = enter(group, {.kind = Kind::kGroupRelease});
  // After this nobody writes to this member's scratch, nor reads it: all have entered, so they
  // have left all other collectives, and a member leaves the dissemination only when all signals
  // meant for it are there.
  arrive_by_dissemination(members);
  std::memset(static_cast<void*>(group.scratch), 0, kNotedBytes);
  Numbers::mine().release(group.id);
  delete[] group.table;
  group = Group{};
}

}  // namespace uccs::coll
