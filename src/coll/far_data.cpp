// SPDX-License-Identifier: BSD-3-Clause
/// The collectives of groups that span nodes. A part (far.hpp) stands for a range of blocks.
#include <algorithm>
#include <cstring>

#include "coll/far.hpp"
#include "coll/patterns/binomial.hpp"
#include "coll/patterns/dissemination.hpp"
#include "coll/patterns/division.hpp"
#include "core/context.hpp"
#include "core/remote.hpp"
#include "uccs/rma.h"

namespace uccs::coll::far {
namespace {

/// Memory of its own, aligned for every type.
class Space {
 public:
  explicit Space(size_t bytes)
      : bytes_(new std::max_align_t[bytes / sizeof(std::max_align_t) + 1]) {}
  std::byte* data() { return reinterpret_cast<std::byte*>(bytes_.get()); }

 private:
  std::unique_ptr<std::max_align_t[]> bytes_;
};

/// From the representative of part `root_part` to those of the other parts, down a binomial tree.
/// A part's representative is its leader, that of the root's part the root.
void broadcast_between(Group& group, Messages& messages, void* data, size_t bytes, int root,
                       int root_part) {
  const Far& far = far_of(group);
  const int parts = far.parts();
  const auto representative = [&](int part) {
    return part == root_part ? root : far.first_of(part);
  };
  const int relative = patterns::relative_to_root(far.part, root_part, parts);
  if (relative != 0) {
    // The parent is this number without its lowest one bit.
    const int parent = patterns::absolute_from_root(relative & (relative - 1), root_part, parts);
    messages.receive(representative(parent), data, bytes);
    messages.wait();
  }
  for (int distance = patterns::binomial_first_distance(relative, parts); distance > 0;
       distance >>= 1)
    messages.send(
        representative(patterns::absolute_from_root(relative + distance, root_part, parts)), data,
        bytes);
  messages.wait();
}

/// Elements of `element` bytes, `dest_step` and `source_step` bytes apart.
void copy_elements(std::byte* dest, size_t dest_step, const std::byte* source, size_t source_step,
                   size_t element, size_t count) {
  if (dest_step == element && source_step == element) {
    std::memcpy(dest, source, element * count);
    return;
  }
  for (size_t k = 0; k < count; ++k)
    std::memcpy(dest + k * dest_step, source + k * source_step, element);
}

int part_of_rank(const Far& far, int rank) {
  const auto after = std::upper_bound(far.firsts.begin(), far.firsts.end(), rank);
  return static_cast<int>(after - far.firsts.begin()) - 1;
}

/// Leaders exchange the ranges of `dest` that their nodes have filled, then hand on the others'.
/// `offset_of(part)`: where a part's range begins; of `parts()`: where the last one ends.
template <typename OffsetOf>
void spread_ranges(Group& group, std::byte* dest, Kind kind, OffsetOf offset_of) {
  Far& far = far_of(group);
  Messages messages(group, kind);
  const int parts = far.parts();
  const auto bytes_of = [&](int part) { return offset_of(part + 1) - offset_of(part); };
  if (far.is_leader()) {
    for (int step = 1; step < parts; ++step) {
      const int from = patterns::rotated_back(far.part, parts, step);
      messages.receive(far.first_of(from), dest + offset_of(from), bytes_of(from));
    }
    for (int step = 1; step < parts; ++step)
      messages.send(far.first_of(patterns::rotated(far.part, parts, step)),
                    dest + offset_of(far.part), bytes_of(far.part));
    messages.wait();
  }
  std::byte* after = dest + offset_of(far.part + 1);
  coll::broadcast(far.local, dest, dest, offset_of(far.part), 0, false);
  coll::broadcast(far.local, after, after, offset_of(parts) - offset_of(far.part + 1), 0, false);
}

/// By flags in the scratch of the leaders, as in shared memory. A flag of this barrier cannot fall
/// on one that is still awaited: who is two barriers ahead has heard that all are through with
/// that.
void meet_leaders(Group& group) {
  const Far& far = far_of(group);
  auto& mine = *reinterpret_cast<Scratch*>(far.local.scratch);
  const uint64_t number = ++mine.own.node_barriers;
  for (int round = 0; 1 << round < far.parts(); ++round) {
    const int part = patterns::dissemination_to(far.part, far.parts(), round);
    std::atomic<uint64_t>* flag = &mine.barrier[round].of_nodes[number % 2];
    store(group, Kind::kBarrier, far.first_of(part), flag, number);
    // Acquire: what was flushed before the flag was sent is visible.
    coll::wait(
        Kind::kBarrier, [flag, number] { return flag->load(std::memory_order_acquire) >= number; },
        [flag, number](base::Backoff& backoff) {
          if (core::look_for({flag, number})) return true;
          backoff.note_looks(core::kLooksAlone);
          return false;
        });
  }
}

}  // namespace

void barrier(Group& group) {
  compare(group, {.kind = Kind::kBarrier});
  Far& far = far_of(group);
  (void)uccs_context_flush(core::job_context());  // what models put on other nodes is visible there
  if (far.local.size == 1) return meet_leaders(group);
  coll::barrier(far.local);
  if (far.is_leader()) meet_leaders(group);
  coll::barrier(far.local);
}

void broadcast(Group& group, void* dest, const void* source, size_t bytes, int root,
               bool dest_at_root) {
  compare(group, {Kind::kBroadcast, bytes, root});
  Far& far = far_of(group);
  Messages messages(group, Kind::kBroadcast);
  if (bytes == 0) return;
  const int root_part = part_of_rank(far, root);
  const bool is_root = group.rank == root;
  const bool is_representative = root_part == far.part ? is_root : far.is_leader();
  // The root only reads what it is given here.
  void* data = is_root ? const_cast<void*>(source) : dest;
  if (is_representative) broadcast_between(group, messages, data, bytes, root, root_part);
  if (root_part == far.part)
    coll::broadcast(far.local, dest, source, bytes, root - far.first_of(root_part), dest_at_root);
  else
    coll::broadcast(far.local, dest, dest, bytes, 0, false);
}

void allgather(Group& group, void* dest, const void* source, size_t bytes) {
  compare(group, {.kind = Kind::kAllgather, .bytes = bytes});
  Far& far = far_of(group);
  auto* to = static_cast<std::byte*>(dest);
  const auto offset_of = [&](int part) { return bytes * static_cast<size_t>(far.first_of(part)); };
  coll::allgather(far.local, to + offset_of(far.part), source, bytes);
  spread_ranges(group, to, Kind::kAllgather, offset_of);
}

void allgatherv(Group& group, void* dest, const void* source, size_t bytes, size_t* total_out) {
  compare(group, {.kind = Kind::kAllgatherv});
  Far& far = far_of(group);
  auto* to = static_cast<std::byte*>(dest);
  std::vector<uint64_t> sizes(static_cast<size_t>(group.size));
  const uint64_t mine = bytes;
  far::allgather(group, sizes.data(), &mine, sizeof mine);
  std::vector<size_t> offsets(1, 0);
  for (int part = 0; part < far.parts(); ++part) {
    size_t sum = offsets.back();
    for (int rank = far.first_of(part); rank < far.first_of(part + 1); ++rank)
      sum += sizes[static_cast<size_t>(rank)];
    offsets.push_back(sum);
  }
  const auto offset_of = [&](int part) { return offsets[static_cast<size_t>(part)]; };
  coll::allgatherv(far.local, to + offset_of(far.part), source, bytes, nullptr);
  spread_ranges(group, to, Kind::kAllgatherv, offset_of);
  if (total_out != nullptr) *total_out = offsets.back();
}

void alltoall_strided(Group& group, void* dest, const void* source, ptrdiff_t dest_stride,
                      ptrdiff_t source_stride, size_t element, size_t count) {
  Far& far = far_of(group);
  const size_t bytes = element * count;
  compare(group, {.kind = Kind::kAlltoall, .bytes = bytes});
  Messages messages(group, Kind::kAlltoall);
  if (bytes == 0) return;
  const auto dest_step = static_cast<size_t>(dest_stride) * element;
  const auto source_step = static_cast<size_t>(source_stride) * element;
  const auto* from = static_cast<const std::byte*>(source);
  auto* to = static_cast<std::byte*>(dest);
  const auto block = [&](int rank) { return static_cast<size_t>(rank) * count; };
  const auto is_remote = [&](int rank) {
    return rank < far.first_of(far.part) || rank >= far.first_of(far.part + 1);
  };
  // Packed, so that a block is one message.
  Space outgoing(bytes * static_cast<size_t>(group.size)),
      incoming(bytes * static_cast<size_t>(group.size));
  for (int step = 1; step < group.size; ++step) {
    const int rank = patterns::rotated_back(group.rank, group.size, step);
    if (is_remote(rank)) messages.receive(rank, incoming.data() + block(rank) * element, bytes);
  }
  for (int step = 1; step < group.size; ++step) {
    const int rank = patterns::rotated(group.rank, group.size, step);
    if (!is_remote(rank)) continue;
    std::byte* packed = outgoing.data() + block(rank) * element;
    copy_elements(packed, element, from + block(rank) * source_step, source_step, element, count);
    messages.send(rank, packed, bytes);
  }
  const int first = far.first_of(far.part);
  coll::alltoall_strided(far.local, to + block(first) * dest_step,
                         from + block(first) * source_step, dest_stride, source_stride, element,
                         count);
  messages.wait();
  for (int rank = 0; rank < group.size; ++rank)
    if (is_remote(rank))
      copy_elements(to + block(rank) * dest_step, dest_step,
                    incoming.data() + block(rank) * element, element, element, count);
}

/// Members of a node combine in rank order, then the first leader combines the nodes' results in
/// their order and hands the sum to all: the same bits everywhere.
void allreduce(Group& group, void* dest, const void* source, size_t element, size_t count,
               Combine op) {
  Far& far = far_of(group);
  const size_t bytes = element * count;
  compare(group, {.kind = Kind::kAllreduce, .bytes = bytes});
  Messages messages(group, Kind::kAllreduce);
  if (bytes == 0) return;
  coll::allreduce(far.local, dest, source, element, count, op);
  if (far.is_leader()) {
    if (far.part != 0) {
      messages.send(0, dest, bytes);
      messages.wait();
    } else {
      Space theirs(bytes);
      for (int part = 1; part < far.parts(); ++part) {
        messages.receive(far.first_of(part), theirs.data(), bytes);
        messages.wait();
        op(dest, theirs.data(), count);
      }
    }
    broadcast_between(group, messages, dest, bytes, 0, 0);
  }
  coll::barrier(far.local);  // all have their node's result, which is overwritten now
  coll::broadcast(far.local, dest, dest, bytes, 0, false);
}

/// What the nodes before this one come to goes from leader to leader.
void scan(Group& group, void* dest, const void* source, size_t element, size_t count, Combine op,
          bool is_inclusive) {
  Far& far = far_of(group);
  const size_t bytes = element * count;
  compare(group, {.kind = Kind::kScan, .bytes = bytes, .root = is_inclusive});
  Messages messages(group, Kind::kScan);
  if (bytes == 0) return;
  Space total(bytes), before(bytes);
  coll::allreduce(far.local, total.data(), source, element, count, op);
  coll::scan(far.local, dest, source, element, count, op, is_inclusive);
  if (far.is_leader()) {
    if (far.part > 0) {
      messages.receive(far.first_of(far.part - 1), before.data(), bytes);
      messages.wait();
    }
    if (far.part + 1 < far.parts()) {
      Space sum(bytes);
      std::memcpy(sum.data(), far.part > 0 ? before.data() : total.data(), bytes);
      if (far.part > 0) op(sum.data(), total.data(), count);
      messages.send(far.first_of(far.part + 1), sum.data(), bytes);
      messages.wait();
    }
  }
  if (far.part == 0) return;
  coll::broadcast(far.local, before.data(), before.data(), bytes, 0, false);
  // Exclusive: the first member of a node has nothing of its node before it.
  if (is_inclusive || far.local.rank > 0) op(before.data(), dest, count);
  std::memcpy(dest, before.data(), bytes);
}

}  // namespace uccs::coll::far
