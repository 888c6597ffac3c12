// SPDX-License-Identifier: BSD-3-Clause
#include "models/shmem/collectives.hpp"

#include "base/log.hpp"

using namespace uccs;
using namespace uccs::shmem;

namespace uccs::shmem {

void check_root(const core::Group& group, int root, const char* call) {
  if (root >= 0 && root < group.size) [[likely]]
    return;
  base::fatal("%s: PE_root is %d: the team's PEs are numbered 0 to %d", call, root, group.size - 1);
}

}  // namespace uccs::shmem

namespace {

/// What there is to look at in a routine without data.
constexpr auto kNoData = [](const core::Group&) { return Collective{}; };

}  // namespace

UCCS_SHMEM(void, barrier_all, (void)) {
  const Entry entry("shmem_barrier_all");
  if (entry.is_checked()) [[unlikely]] {
    check_collective(core::world_group(), "shmem_barrier_all", {});
    note_quiet(default_context());
  }
  barrier_all();
}
UCCS_SHMEM(void, sync_all, (void)) {
  const Entry entry("shmem_sync_all");
  if (entry.is_checked()) [[unlikely]]
    check_collective(core::world_group(), "shmem_sync_all", {});
  coll::barrier(core::world_group());
}
UCCS_SHMEM(int, team_sync, (shmem_team_t team)) {
  return on_team(team, "shmem_team_sync", kNoData,
                 [](core::Group& group) { coll::barrier(group); });
}

// All types of one size move alike; BYTES is the size of an element.
#define DEFINE_MOVES(NAME, TYPE, BEFORE, AFTER, BYTES)                                           \
  UCCS_SHMEM(int, BEFORE##broadcast##AFTER,                                                      \
             (shmem_team_t team, TYPE * dest, const TYPE* source, size_t nelems, int PE_root)) { \
    constexpr const char* call = "shmem_" #BEFORE "broadcast" #AFTER;                            \
    return on_team(                                                                              \
        team, call,                                                                              \
        [=](const core::Group& group) {                                                          \
          check_root(group, PE_root, call);                                                      \
          return broadcasts(dest, source, nelems, BYTES, PE_root);                               \
        },                                                                                       \
        [=](core::Group& group) {                                                                \
          check_root(group, PE_root, call);                                                      \
          coll::broadcast(group, dest, source, nelems*(BYTES), PE_root, true);                   \
        });                                                                                      \
  }                                                                                              \
  UCCS_SHMEM(int, BEFORE##collect##AFTER,                                                        \
             (shmem_team_t team, TYPE * dest, const TYPE* source, size_t nelems)) {              \
    return on_team(                                                                              \
        team, "shmem_" #BEFORE "collect" #AFTER,                                                 \
        [=](const core::Group&) { return collects(dest, source, nelems, BYTES); },               \
        [=](core::Group& group) {                                                                \
          coll::allgatherv(group, dest, source, nelems*(BYTES), nullptr);                        \
        });                                                                                      \
  }                                                                                              \
  UCCS_SHMEM(int, BEFORE##fcollect##AFTER,                                                       \
             (shmem_team_t team, TYPE * dest, const TYPE* source, size_t nelems)) {              \
    return on_team(                                                                              \
        team, "shmem_" #BEFORE "fcollect" #AFTER,                                                \
        [=](const core::Group& group) {                                                          \
          return moves(dest, members_of(group), source, 1, nelems, BYTES);                       \
        },                                                                                       \
        [=](core::Group& group) { coll::allgather(group, dest, source, nelems*(BYTES)); });      \
  }                                                                                              \
  UCCS_SHMEM(int, BEFORE##alltoall##AFTER,                                                       \
             (shmem_team_t team, TYPE * dest, const TYPE* source, size_t nelems)) {              \
    return on_team(                                                                              \
        team, "shmem_" #BEFORE "alltoall" #AFTER,                                                \
        [=](const core::Group& group) {                                                          \
          return moves(dest, members_of(group), source, members_of(group), nelems, BYTES);       \
        },                                                                                       \
        [=](core::Group& group) { coll::alltoall(group, dest, source, nelems*(BYTES)); });       \
  }                                                                                              \
  UCCS_SHMEM(int, BEFORE##alltoalls##AFTER,                                                      \
             (shmem_team_t team, TYPE * dest, const TYPE* source, ptrdiff_t dst, ptrdiff_t sst,  \
              size_t nelems)) {                                                                  \
    constexpr const char* call = "shmem_" #BEFORE "alltoalls" #AFTER;                            \
    return on_team(                                                                              \
        team, call,                                                                              \
        [=](const core::Group& group) {                                                          \
          return strides(call, dest, source, dst, sst, nelems, BYTES, group.size);               \
        },                                                                                       \
        [=](core::Group& group) {                                                                \
          coll::alltoall_strided(group, dest, source, dst, sst, BYTES, nelems);                  \
        });                                                                                      \
  }
#define UCCS_RMA_TYPE(NAME, TYPE) DEFINE_MOVES(NAME, TYPE, NAME##_, , sizeof(TYPE))
#include "gen/types.def"
DEFINE_MOVES(mem, void, , mem, 1)
