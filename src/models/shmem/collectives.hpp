// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include "coll/coll.hpp"
#include "models/shmem/check_collectives.hpp"
#include "models/shmem/context.hpp"
#include "models/shmem/order.hpp"

namespace uccs::shmem {

/// shmem_barrier_all for our own use. It needs no full fence where `quiet` does: nobody leaves
/// before this PE's flag arrived, and the flag follows the puts out of the store buffer.
inline void barrier_all() {
  fence();
  coll::barrier(core::world_group());
}

/// Runs `body(group)` of a team; -1 without one. `look(group)` says what the call is given, for
/// check mode.
template <class Look, class Body>
int on_team(shmem_team_t team, const char* call, const Look& look, const Body& body) {
  const Entry entry(call);
  if (entry.is_checked()) [[unlikely]] {
    const core::Group& group = *checked_team(team, call)->group;
    check_collective(group, call, look(group));
  }
  uccs_shmem_team* const members = team_of(team);
  if (members == nullptr) return -1;
  body(*members->group);
  return 0;
}

/// Ends the job unless `root` is a member of `group`.
void check_root(const core::Group& group, int root, const char* call);

}  // namespace uccs::shmem
