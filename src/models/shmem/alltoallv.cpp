// SPDX-License-Identifier: BSD-3-Clause
#include <shmemx.h>

#include <cstddef>

#include "base/log.hpp"
#include "core/direct.hpp"
#include "core/job.hpp"
#include "mem/copy.hpp"
#include "models/shmem/active_sets.hpp"
#include "models/shmem/check_collectives.hpp"
#include "models/shmem/collectives.hpp"
#include "models/shmem/slow.hpp"

using namespace uccs;
using namespace uccs::shmem;

namespace {

/// What a member gives to an exchange; symmetric.
struct Outgoing {
  const void* source;
  const size_t* offsets;
  const size_t* sizes;
};

/// From symmetric memory of `ec`.
void fetch(void* dest, const void* source, size_t bytes, int ec, const char* call) {
  if (const void* const at = core::translate(source, ec))
    mem::copy(dest, at, bytes);
  else
    slow_get(SHMEM_CTX_DEFAULT, dest, source, bytes, ec, call);
}

size_t fetch_number(const size_t* source, int ec, const char* call) {
  size_t number;
  fetch(&number, source, sizeof number, ec, call);
  return number;
}

/// Bytes that `ec` gives to this member.
size_t given_bytes(const core::Group& group, const Outgoing& out, int ec, const char* call) {
  return fetch_number(out.sizes + group.rank, ec, call);
}

void fetch_given(const core::Group& group, const Outgoing& out, int ec, std::byte* dest,
                 size_t bytes, const char* call) {
  if (bytes == 0) return;
  const size_t offset = fetch_number(out.offsets + group.rank, ec, call);
  fetch(dest, static_cast<const std::byte*>(out.source) + offset, bytes, ec, call);
}

/// The member to fetch from in a step, 0 to size - 1: every member fetches, so nobody depends on
/// another's arrays but between the barriers. It begins with its neighbour, so that not all read
/// from one at once, and ends with itself.
int partner(const core::Group& group, int step) { return (group.rank + 1 + step) % group.size; }

void exchange(core::Group& group, void* dest, const size_t* offsets, size_t* sizes,
              const Outgoing& out, const char* call) {
  coll::barrier(group);
  for (int step = 0; step < group.size; ++step) {
    const int member = partner(group, step), ec = core::group_ec(group, member);
    sizes[member] = given_bytes(group, out, ec, call);
    fetch_given(group, out, ec, static_cast<std::byte*>(dest) + offsets[member], sizes[member],
                call);
  }
  coll::barrier(group);
}

/// Blocks follow each other in the order of the members. Returns their bytes.
size_t exchange_packed(core::Group& group, void* dest, size_t capacity, const Outgoing& out,
                       const char* call) {
  coll::barrier(group);
  size_t total = 0;
  size_t begin = 0;  // of the first partner's block
  for (int member = 0; member < group.size; ++member) {
    if (member == partner(group, 0)) begin = total;
    total += given_bytes(group, out, core::group_ec(group, member), call);
  }
  if (total > capacity)
    base::fatal("%s: PE %d gets %zu bytes, and target_len is %zu: make the target larger", call,
                core::job.me, total, capacity);
  size_t at = begin;
  for (int step = 0; step < group.size; ++step) {
    const int member = partner(group, step), ec = core::group_ec(group, member);
    if (member == 0) at = 0;
    const size_t bytes = given_bytes(group, out, ec, call);
    fetch_given(group, out, ec, static_cast<std::byte*>(dest) + at, bytes, call);
    at += bytes;
  }
  coll::barrier(group);
  return total;
}

/// A call on a group, the same on all members in check mode.
struct Members {
  Entry entry;
  core::Group& group;

  Members(core::Group& all, const char* call) : entry(call), group(all) {
    if (entry.is_checked()) [[unlikely]]
      check_collective(group, call, {});
  }
};

core::Group& team_group(shmem_team_t team, const char* call) {
  if (is_guarded) [[unlikely]] {
    const Entry entry(call);  // before the library is started there are no teams
  }
  uccs_shmem_team* const members = team_if_any(team, call);
  if (members == nullptr) base::fatal("%s: the team is SHMEM_TEAM_INVALID", call);
  return *members->group;
}

}  // namespace

UCCS_SHMEMX(void, alltoallv,
            (void* dest, size_t* t_offsets, size_t* t_sizes, const void* source, size_t* s_offsets,
             size_t* s_sizes, int PE_start, int logPE_stride, int PE_size, long*)) {
  constexpr const char* call = "shmemx_alltoallv";
  const Members members(active_set(PE_start, logPE_stride, PE_size, call), call);
  exchange(members.group, dest, t_offsets, t_sizes, {source, s_offsets, s_sizes}, call);
}

UCCS_SHMEMX(void, team_alltoallv,
            (void* dest, size_t* t_offsets, size_t* t_sizes, const void* source, size_t* s_offsets,
             size_t* s_sizes, shmem_team_t team, long*)) {
  constexpr const char* call = "shmemx_team_alltoallv";
  const Members members(team_group(team, call), call);
  exchange(members.group, dest, t_offsets, t_sizes, {source, s_offsets, s_sizes}, call);
}

UCCS_SHMEMX(void, alltoallv_packed,
            (void* target, size_t target_len, size_t* t_size, const void* source, size_t* s_offsets,
             size_t* s_sizes, int PE_start, int logPE_stride, int PE_size, long*)) {
  constexpr const char* call = "shmemx_alltoallv_packed";
  const Members members(active_set(PE_start, logPE_stride, PE_size, call), call);
  *t_size = exchange_packed(members.group, target, target_len, {source, s_offsets, s_sizes}, call);
}

UCCS_SHMEMX(void, team_alltoallv_packed,
            (void* target, size_t target_len, size_t* t_size, const void* source, size_t* s_offsets,
             size_t* s_sizes, shmem_team_t team, long*)) {
  constexpr const char* call = "shmemx_team_alltoallv_packed";
  const Members members(team_group(team, call), call);
  *t_size = exchange_packed(members.group, target, target_len, {source, s_offsets, s_sizes}, call);
}
