// SPDX-License-Identifier: BSD-3-Clause
#include <shmemx.h>

#include <deque>
#include <mutex>

#include "base/log.hpp"
#include "core/direct.hpp"
#include "core/job.hpp"
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
  if ((mask & SHMEM_TEAM_NUM_CONTEXTS) != 0 && config != nullptr) team->config = *config;
  const std::lock_guard guard(lock);
  team->next = user_teams;
  user_teams = team;
  return team;
}

/// In check mode teams that ended stay for a while, so that their handles are not given to new
/// ones.
constexpr size_t kMaxKept = 4096;
std::deque<uccs_shmem_team*> kept;  // guarded by the lock

void end_team(uccs_shmem_team* team) {
  end_contexts(team);
  coll::group_release(team->own);
  if (!is_checking()) return delete team;
  const std::lock_guard guard(lock);
  kept.push_back(team);
  if (kept.size() <= kMaxKept) return;
  delete kept.front();
  kept.pop_front();
}

/// One dimension of a grid of PEs.
struct Axis {
  int line;   ///< the line along the axis that this PE is on, coll::kNoColor: on none
  int place;  ///< of this PE in it
  const shmem_team_config_t* config;
  long mask;
  shmem_team_t* team_out;
};

/// The teams of all lines along all axes, or of none. Collective over `parent`.
template <int count>
int split_grid(core::Group& parent, const Axis (&axes)[count]) {
  core::Group lines[count];
  for (int i = 0; i < count; ++i) {
    if (coll::group_split_by_color(parent, axes[i].line, axes[i].place, &lines[i]) == UCCS_OK)
      continue;
    while (--i >= 0)  // the same on all members
      if (lines[i].rank >= 0) coll::group_release(lines[i]);
    return -1;
  }
  for (int i = 0; i < count; ++i) *axes[i].team_out = adopt(lines[i], axes[i].config, axes[i].mask);
  return 0;
}

/// In check mode: a split's configuration is there if the mask asks for it.
void check_config(const char* call, const char* name, const shmem_team_config_t* config,
                  long mask) {
  if (mask != 0 && config == nullptr)
    base::fatal("%s: %s is NULL, which is legal only with a mask of 0: here it is %ld", call, name,
                mask);
}

}  // namespace

uccs_shmem_team* guarded_team(shmem_team_t team, const char* call) {
  if (is_predefined(team)) return team_of(team);
  const std::lock_guard guard(lock);
  for (uccs_shmem_team* user = user_teams; user != nullptr; user = user->next)
    if (user == team) return user;
  for (const uccs_shmem_team* ended : kept)
    if (ended == team)
      base::fatal("%s: the team %p does not exist any more: shmem_team_destroy ended it", call,
                  static_cast<void*>(team));
  base::fatal(
      "%s: %p is no team: SHMEM_TEAM_WORLD, SHMEM_TEAM_SHARED and what shmem_team_split_strided or "
      "shmem_team_split_2d made are",
      call, static_cast<void*>(team));
}

uccs_shmem_team* checked_team(shmem_team_t team, const char* call) {
  if (team == SHMEM_TEAM_INVALID)
    base::fatal("%s: the team is SHMEM_TEAM_INVALID: only members of a team may call", call);
  return team_if_any(team, call);
}

void make_predefined_teams() {
  prepare_active_sets();
  prepare_counters();
  world.group = &core::world_group();
  predefined_teams[reinterpret_cast<uintptr_t>(SHMEM_TEAM_WORLD)] = &world;
  // As the world's, this group and its counters live as long as the process.
  const rte::Identity& me = rte::start();
  if (shared.group == nullptr) {
    const uccs_status_t status =
        me.num_nodes == 1
            ? coll::group_split(*world.group, me.node_first, 1, me.node_size, &shared.own)
            : coll::group_split_by_color(*world.group, me.node, me.ec, &shared.own);
    if (status != UCCS_OK) base::fatal("shmem_init: there is no room for SHMEM_TEAM_SHARED");
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
  for (const uccs_shmem_team* const team : kept) delete team;
  kept.clear();
  forget_ended_contexts();
}

}  // namespace uccs::shmem

using namespace uccs;
using namespace uccs::shmem;

UCCS_SHMEM(int, team_my_pe, (shmem_team_t team)) {
  const Entry entry("shmem_team_my_pe");
  const uccs_shmem_team* const members = team_if_any(team, "shmem_team_my_pe");
  return members != nullptr ? members->group->rank : -1;
}

UCCS_SHMEM(int, team_n_pes, (shmem_team_t team)) {
  const Entry entry("shmem_team_n_pes");
  const uccs_shmem_team* const members = team_if_any(team, "shmem_team_n_pes");
  return members != nullptr ? members->group->size : -1;
}

UCCS_SHMEM(int, team_get_config, (shmem_team_t team, long mask, shmem_team_config_t* config)) {
  const Entry entry("shmem_team_get_config");
  const uccs_shmem_team* const members = team_if_any(team, "shmem_team_get_config");
  if (members == nullptr) return -1;
  if ((mask & SHMEM_TEAM_NUM_CONTEXTS) != 0) config->num_contexts = members->config.num_contexts;
  return 0;
}

UCCS_SHMEM(int, team_translate_pe, (shmem_team_t from, int pe, shmem_team_t to)) {
  const Entry entry("shmem_team_translate_pe");
  const uccs_shmem_team* const source = team_if_any(from, "shmem_team_translate_pe");
  const uccs_shmem_team* const dest = team_if_any(to, "shmem_team_translate_pe");
  if (source == nullptr || dest == nullptr || pe < 0 || pe >= source->group->size) return -1;
  return core::group_index(*dest->group, core::group_ec(*source->group, pe));
}

UCCS_SHMEM(void*, team_ptr, (shmem_team_t team, const void* dest, int pe)) {
  const Entry entry("shmem_team_ptr");
  const uccs_shmem_team* const members = team_if_any(team, "shmem_team_ptr");
  if (members == nullptr || pe < 0 || pe >= members->group->size) return nullptr;
  return pshmem_ptr(dest, core::group_ec(*members->group, pe));
}

UCCS_SHMEM(int, team_split_strided,
           (shmem_team_t parent_team, int start, int stride, int size,
            const shmem_team_config_t* config, long config_mask, shmem_team_t* new_team)) {
  constexpr const char* call = "shmem_team_split_strided";
  *new_team = SHMEM_TEAM_INVALID;
  const Entry entry(call);
  uccs_shmem_team* const parent = team_if_any(parent_team, call);
  if (parent == nullptr) return -1;
  if (entry.is_checked()) [[unlikely]] {
    check_config(call, "config", config, config_mask);
    Collective what;
    what.agreed[0] = {"start", start};
    what.agreed[1] = {"stride", stride};
    what.agreed[2] = {"size", size};
    check_collective(*parent->group, call, what);
  }
  if (!is_triplet_of(*parent->group, start, stride, size)) return -1;
  core::Group group;
  if (coll::group_split(*parent->group, start, stride, size, &group) != UCCS_OK) return -1;
  *new_team = adopt(group, config, config_mask);
  return 0;
}

UCCS_SHMEM(int, team_split_2d,
           (shmem_team_t parent_team, int xrange, const shmem_team_config_t* xaxis_config,
            long xaxis_mask, shmem_team_t* xaxis_team, const shmem_team_config_t* yaxis_config,
            long yaxis_mask, shmem_team_t* yaxis_team)) {
  constexpr const char* call = "shmem_team_split_2d";
  *xaxis_team = *yaxis_team = SHMEM_TEAM_INVALID;
  const Entry entry(call);
  uccs_shmem_team* const team = team_if_any(parent_team, call);
  if (team == nullptr) return -1;
  if (entry.is_checked()) [[unlikely]] {
    check_config(call, "xaxis_config", xaxis_config, xaxis_mask);
    check_config(call, "yaxis_config", yaxis_config, yaxis_mask);
    Collective what;
    what.agreed[0] = {"xrange", xrange};
    check_collective(*team->group, call, what);
  }
  if (xrange < 1) return -1;
  core::Group& parent = *team->group;
  const int width = xrange < parent.size ? xrange : parent.size;
  const int x = parent.rank % width, y = parent.rank / width;
  return split_grid(parent, {{y, x, xaxis_config, xaxis_mask, xaxis_team},
                             {x, y, yaxis_config, yaxis_mask, yaxis_team}});
}

UCCS_SHMEMX(int, team_split_3d,
            (shmem_team_t parent_team, int xrange, int yrange, int zrange, shmem_team_t* xaxis_team,
             shmem_team_t* yaxis_team, shmem_team_t* zaxis_team)) {
  *xaxis_team = *yaxis_team = *zaxis_team = SHMEM_TEAM_INVALID;
  uccs_shmem_team* const team = team_of(parent_team);
  if (team == nullptr || xrange < 1 || yrange < 1 || zrange < 1) return -1;
  core::Group& parent = *team->group;
  const int width = xrange < parent.size ? xrange : parent.size;
  const int rows = (parent.size + width - 1) / width;
  const int height = yrange < rows ? yrange : rows;
  const int row = parent.rank / width;
  const int x = parent.rank % width, y = row % height, z = row / height;
  if (z >= zrange) {
    constexpr int none = coll::kNoColor;
    return split_grid(parent, {{none, 0, nullptr, 0, xaxis_team},
                               {none, 0, nullptr, 0, yaxis_team},
                               {none, 0, nullptr, 0, zaxis_team}});
  }
  return split_grid(parent, {{row, x, nullptr, 0, xaxis_team},
                             {z * width + x, y, nullptr, 0, yaxis_team},
                             {y * width + x, z, nullptr, 0, zaxis_team}});
}

UCCS_SHMEMX(int, team_split_color,
            (shmem_team_t parent_team, int color, int key, shmem_team_t* new_team)) {
  static_assert(SHMEMX_COLOR_UNDEFINED == coll::kNoColor);
  *new_team = SHMEM_TEAM_INVALID;
  uccs_shmem_team* const parent = team_of(parent_team);
  if (parent == nullptr) return -1;
  return split_grid(*parent->group, {{color, key, nullptr, 0, new_team}});
}

UCCS_SHMEM(void, team_destroy, (shmem_team_t team)) {
  constexpr const char* call = "shmem_team_destroy";
  const Entry entry(call);
  if (entry.is_checked() && team != SHMEM_TEAM_INVALID) [[unlikely]] {
    if (is_predefined(team)) base::fatal("%s: predefined teams cannot be destroyed", call);
    check_collective(*checked_team(team, call)->group, call, {});
    leave_collective();
  }
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
