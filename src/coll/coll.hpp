// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include <cstddef>

#include "core/group.hpp"

/// Blocking collectives over a group. Collective: every member calls the same ones in the same
/// order with matching arguments, one thread of each at a time. On return the local destination is
/// final and the local source may be reused.
///
/// A buffer is symmetric (heap or static data) on all members, and then the same object, or it is
/// any other memory on all of them. A symmetric dest must be ready on all members before any of
/// them calls: others write into it at once. A source need only be ready locally.
namespace uccs::coll {

using core::Group;

/// acc[i] = acc[i] op in[i] for `count` elements. acc and in are aligned for their type, do not
/// overlap.
using Combine = void (*)(void* acc, const void* in, size_t count);

/// All have arrived and all stores made before are visible to all members. Completes no network
/// operation: flush first where the standard asks for it.
void barrier(Group& group);

/// `bytes` at `source` of member `root` go to `dest` of every member (root included when
/// `dest_at_root`; the active-set form of OpenSHMEM leaves it alone).
void broadcast(Group& group, void* dest, const void* source, size_t bytes, int root,
               bool dest_at_root);

/// Member i's `bytes` land at dest + i * bytes on every member. fcollect.
void allgather(Group& group, void* dest, const void* source, size_t bytes);

/// As allgather with a different count on each member (0 allowed), packed in rank order. collect.
/// Returns through `total_out` (may be nullptr) the bytes written to dest.
void allgatherv(Group& group, void* dest, const void* source, size_t bytes, size_t* total_out);

/// Block j of member i's source becomes block i of member j's dest; blocks of `bytes`.
void alltoall(Group& group, void* dest, const void* source, size_t bytes);

/// As alltoall with `count` elements of `element` bytes per block, read with stride `source_stride`
/// and written with `dest_stride` (in elements, >= 1): element k of block j is
/// source[(j * count + k) * source_stride].
void alltoall_strided(Group& group, void* dest, const void* source, ptrdiff_t dest_stride,
                      ptrdiff_t source_stride, size_t element, size_t count);

/// Element-wise reduction of all members' `source` into every member's `dest`; source == dest is
/// allowed. The same bits on every member: operands combine in rank order or in one fixed tree.
void allreduce(Group& group, void* dest, const void* source, size_t element, size_t count,
               Combine op);

/// Prefix reduction over members 0..rank (inclusive), or 0..rank-1 (exclusive: member 0 gets
/// zeros).
void scan(Group& group, void* dest, const void* source, size_t element, size_t count, Combine op,
          bool is_inclusive);

/// A new group of `size` members: parent's members start, start + stride, ... Collective over the
/// parent, members or not. Writes the group (rank -1 for non-members) and returns UCCS_OK, or an
/// error (bad triplet, no scratch left) that is the same on every parent member.
uccs_status_t group_split(Group& parent, int start, int stride, int size, Group* group_out);

/// New groups of the parent's members that give the same `color` >= 0, ordered by `key` and then as
/// in the parent; with kNoColor a member is in none. All colors take one number together.
/// Collective over the parent; returns as group_split.
constexpr int kNoColor = -1;
uccs_status_t group_split_by_color(Group& parent, int color, int key, Group* group_out);

/// This EC's scratch of a group, which is at the same place on all members: `Group::scratch` is
/// something else in groups that span nodes.
std::byte* symmetric_scratch(const Group& group);

/// Gives the scratch back. Collective over the group's members.
void group_release(Group& group);

}  // namespace uccs::coll
