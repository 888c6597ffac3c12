// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <mutex>

#include "base/log.hpp"
#include "core/direct.hpp"
#include "core/job.hpp"
#include "core/nodes.hpp"
#include "models/shmem/active_sets.hpp"
#include "models/shmem/collectives.hpp"
#include "rte/identity.hpp"

namespace uccs::shmem {

uccs_shmem_team* predefined_teams[kPredefinedTeams];

namespace {

uccs_shmem_team world;
uccs_shmem_team shared;

std::mutex lock;                        // guards user_teams
uccs_shmem_team* user_teams = nullptr;  // the newest first

bool is_predefined(shmem_team_t team) {
  return reinterpret_cast<uintptr_t>(team) < kPredefinedTeams;
}

bool is_triplet_of(const core::Group& parent, int start, int stride, int size) {
  if (size < 1 || start < 0 || start >= parent.size || (stride == 0 && size > 1)) return false;
  const int64_t last = start + int64_t{stride} * (size - 1);
  return last >= 0 && last < parent.size;
}

/// The team of a group that was just split off, or SHMEM_TEAM_INVALID where that has no member.
shmem_team_t adopt(const core::Group& group, const shmem_team_config_t* config, long mask) {
  if (group.rank < 0) return SHMEM_TEAM_INVALID;
  auto* const team = new uccs_shmem_team;
  team->own = group;
  team->group = &team->own;
  if ((mask & SHMEM_TEAM_NUM_CONTEXTS) != 0) team->config = *config;
  const std::lock_guard guard(lock);
  team->next = user_teams;
  user_teams = team;
  return team;
}

void end_team(uccs_shmem_team* team) {
  end_contexts(team);
  coll::group_release(team->own);
  delete team;
}

/// One dimension of a grid: splits `count` lines, of which the caller is in line `mine`. `line`
/// gives line i's triplet.
struct Line {
  int start, stride, size;
};
template <class LineAt>
bool split_lines(core::Group& parent, int count, int mine, const LineAt& line_at,
                 core::Group* mine_out) {
  for (int i = 0; i < count; ++i) {
    const Line line = line_at(i);
    core::Group group;
    if (coll::group_split(parent, line.start, line.stride, line.size, &group) != UCCS_OK) {
      // The same on all members: lines up to this one exist, with one of them ours perhaps.
      if (mine < i) coll::group_release(*mine_out);
      return false;
    }
    if (i == mine) *mine_out = group;
  }
  return true;
}

}  // namespace

void make_predefined_teams() {
  prepare_active_sets();
  world.group = &core::world_group();
  predefined_teams[reinterpret_cast<uintptr_t>(SHMEM_TEAM_WORLD)] = &world;
  // As the world's, this group and its counters live as long as the process.
  const rte::Identity& me = rte::start();
  if (shared.group == nullptr) {
    // One split per node, all by all: a split is collective over the world.
    const int nodes = core::node_count();
    for (int i = 0; i < std::max(nodes, 1); ++i) {
      const core::Node node =
          nodes > 0 ? core::node_at(i) : core::Node{me.node_first, me.node_size};
      core::Group group;
      if (coll::group_split(*world.group, node.first, 1, node.size, &group) != UCCS_OK)
        base::fatal("shmem_init: there is no room for SHMEM_TEAM_SHARED");
      if (group.rank >= 0) shared.own = group;
    }
    shared.group = &shared.own;
  }
  predefined_teams[reinterpret_cast<uintptr_t>(SHMEM_TEAM_SHARED)] = &shared;
}

void end_all_teams() {
  // Oldest first is the same order on all members of a team, which ending one collectively asks
  // for.
  uccs_shmem_team* oldest_first = nullptr;
  while (user_teams != nullptr) {
    uccs_shmem_team* const team = user_teams;
    user_teams = team->next;
    team->next = oldest_first;
    oldest_first = team;
  }
  while (oldest_first != nullptr) {
    uccs_shmem_team* const team = oldest_first;
    oldest_first = team->next;
    end_team(team);
  }
  for (uccs_shmem_team*& team : predefined_teams) {
    if (team != nullptr) end_contexts(team);
    team = nullptr;
  }
}

}  // namespace uccs::shmem

using namespace uccs;
using namespace uccs::shmem;

UCCS_SHMEM(int, team_my_pe, (shmem_team_t team)) {
  const uccs_shmem_team* const members = team_of(team);
  return members != nullptr ? members->group->rank : -1;
}

UCCS_SHMEM(int, team_n_pes, (shmem_team_t team)) {
  const uccs_shmem_team* const members = team_of(team);
  return members != nullptr ? members->group->size : -1;
}

UCCS_SHMEM(int, team_get_config, (shmem_team_t team, long mask, shmem_team_config_t* config)) {
  const uccs_shmem_team* const members = team_of(team);
  if (members == nullptr) return -1;
  if ((mask & SHMEM_TEAM_NUM_CONTEXTS) != 0) config->num_contexts = members->config.num_contexts;
  return 0;
}

UCCS_SHMEM(int, team_translate_pe, (shmem_team_t from, int pe, shmem_team_t to)) {
  const uccs_shmem_team* const source = team_of(from);
  const uccs_shmem_team* const dest = team_of(to);
  if (source == nullptr || dest == nullptr || pe < 0 || pe >= source->group->size) return -1;
  return core::group_index(*dest->group, core::group_ec(*source->group, pe));
}

UCCS_SHMEM(void*, team_ptr, (shmem_team_t team, const void* dest, int pe)) {
  const uccs_shmem_team* const members = team_of(team);
  if (members == nullptr || pe < 0 || pe >= members->group->size) return nullptr;
  return pshmem_ptr(dest, core::group_ec(*members->group, pe));
}

UCCS_SHMEM(int, team_split_strided,
           (shmem_team_t parent_team, int start, int stride, int size,
            const shmem_team_config_t* config, long config_mask, shmem_team_t* new_team)) {
  *new_team = SHMEM_TEAM_INVALID;
  uccs_shmem_team* const parent = team_of(parent_team);
  if (parent == nullptr || !is_triplet_of(*parent->group, start, stride, size)) return -1;
  core::Group group;
  if (coll::group_split(*parent->group, start, stride, size, &group) != UCCS_OK) return -1;
  *new_team = adopt(group, config, config_mask);
  return 0;
}

UCCS_SHMEM(int, team_split_2d,
           (shmem_team_t parent_team, int xrange, const shmem_team_config_t* xaxis_config,
            long xaxis_mask, shmem_team_t* xaxis_team, const shmem_team_config_t* yaxis_config,
            long yaxis_mask, shmem_team_t* yaxis_team)) {
  *xaxis_team = *yaxis_team = SHMEM_TEAM_INVALID;
  uccs_shmem_team* const team = team_of(parent_team);
  if (team == nullptr || xrange < 1) return -1;
  core::Group& parent = *team->group;
  const int size = parent.size;
  const int width = xrange < size ? xrange : size;
  const int rows = (size + width - 1) / width;
  core::Group row, column;
  if (!split_lines(
          parent, rows, parent.rank / width,
          [=](int y) {
            return Line{y * width, 1, y < rows - 1 ? width : size - y * width};
          },
          &row))
    return -1;
  if (!split_lines(
          parent, width, parent.rank % width,
          [=](int x) {
            return Line{x, width, (size - x + width - 1) / width};
          },
          &column)) {
    coll::group_release(row);
    return -1;
  }
  *xaxis_team = adopt(row, xaxis_config, xaxis_mask);
  *yaxis_team = adopt(column, yaxis_config, yaxis_mask);
  return 0;
}

UCCS_SHMEM(void, team_destroy, (shmem_team_t team)) {
  if (is_predefined(team)) return;
  {
    const std::lock_guard guard(lock);
    uccs_shmem_team** link = &user_teams;
    while (*link != nullptr && *link != team) link = &(*link)->next;
    if (*link == nullptr) return;
    *link = team->next;
  }
  end_team(team);
}
