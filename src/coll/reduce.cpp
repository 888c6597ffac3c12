// SPDX-License-Identifier: BSD-3-Clause
#include "coll/reduce.hpp"

#include "coll/far.hpp"

#include <algorithm>

#include "coll/lines.hpp"
#include "mem/copy.hpp"

namespace uccs::coll {
namespace {

struct Operands {
  void* dest;
  const void* source;
  size_t element;
  size_t count;
  Combine op;
  Keep keep;

  size_t bytes() const { return element * count; }
};

/// Combines the operands of members 0 to end - 1, in rank order, into `sum`.
inline void combine_blocks(const Members& members, const Operands& operands, const Blocks& blocks,
                           int end, void* sum) {
  const auto block = [&](int i) -> const void* {
    return i == members.rank ? operands.source : blocks.at(i);
  };
  if (sum != block(0)) copy_payload(sum, block(0), operands.bytes());
  for (int i = 1; i < end; ++i) operands.op(sum, block(i), operands.count);
}

/// In place the own operand must survive until its turn. Out of line, for the buffer's sake.
[[gnu::noinline]] void combine_aside(const Members& members, const Operands& operands,
                                     const Blocks& blocks, int end) {
  alignas(kLineBytes) std::byte aside[kBounceBytes / 2];
  combine_blocks(members, operands, blocks, end, aside);
  copy_payload(operands.dest, aside, operands.bytes());
}

/// Everybody gets all operands and reduces those it wants.
inline void reduce_exchange(const Members& members, const Operands& operands) {
  const Blocks blocks = exchange(members, operands.source, 0, operands.bytes());
  const int end = operands.keep == Keep::kAll        ? members.size
                  : operands.keep == Keep::kUpToMine ? members.rank + 1
                                                     : members.rank;
  if (end == 0)
    std::memset(operands.dest, 0, operands.bytes());
  else if (operands.dest == operands.source && members.rank > 0)
    combine_aside(members, operands, blocks, end);
  else
    combine_blocks(members, operands, blocks, end, operands.dest);
}

/// Private buffers: as much as fits at a time is reduced in place in the bounce buffers.
void reduce_staged(const Members& members, const Operands& operands) {
  auto* dest = static_cast<std::byte*>(operands.dest);
  const auto* source = static_cast<const std::byte*>(operands.source);
  const size_t step = kBounceBytes / operands.element;
  for (size_t at = 0; at < operands.count; at += step) {
    const size_t length = std::min(step, operands.count - at);
    const size_t offset = at * operands.element, bytes = length * operands.element;
    const Claim taken = claim(members, 0, 1);
    std::byte* buffer = bounce_of(members, members.rank, taken);
    std::memcpy(buffer, source + offset, bytes);
    const Symmetric buffers = symmetric_from(members, bounce_of(members, 0, taken));
    reduce_parts(members, buffers, buffers, operands.element, length, operands.op, operands.keep);
    std::memcpy(dest + offset, buffer, bytes);
    all_entered(members, taken);  // slow members may still be at their copy of this round
  }
}

/// More members or bytes than an exchange takes. Out of line, so that those save no registers for
/// it.
[[gnu::noinline]] void reduce_large(const Members& members, const Operands& operands) {
  const size_t bytes = operands.bytes();
  if (bytes <= kPayloadBytes) {
    if (operands.keep == Keep::kAll)
      reduce_lines(members, operands.dest, operands.source, bytes, operands.count, operands.op);
    else
      scan_lines(members, operands.dest, operands.source, bytes, operands.count, operands.op,
                 operands.keep == Keep::kUpToMine);
    return;
  }
  const Symmetric dests = symmetric(members, operands.dest);
  const Symmetric sources = symmetric(members, operands.source);
  if (dests && sources)
    reduce_parts(members, dests, sources, operands.element, operands.count, operands.op,
                 operands.keep);
  else
    reduce_staged(members, operands);
}

inline void reduce(const Members& members, const Operands& operands) {
  const size_t bytes = operands.bytes();
  if (bytes == 0) return;
  if (members.size == 1) {
    if (operands.keep == Keep::kBelowMine)
      std::memset(operands.dest, 0, bytes);
    else if (operands.dest != operands.source)
      mem::copy(operands.dest, operands.source, bytes);
    return;
  }
  if (can_exchange(members, bytes))
    reduce_exchange(members, operands);
  else
    reduce_large(members, operands);
}

}  // namespace

void allreduce(Group& group, void* dest, const void* source, size_t element, size_t count,
               Combine op) {
  if (is_far(group)) [[unlikely]]
    return far::allreduce(group, dest, source, element, count, op);
  const Members members = enter(group, {.kind = Kind::kAllreduce, .bytes = element * count});
  reduce(members, {dest, source, element, count, op, Keep::kAll});
}

void scan(Group& group, void* dest, const void* source, size_t element, size_t count, Combine op,
          bool is_inclusive) {
  if (is_far(group)) [[unlikely]]
    return far::scan(group, dest, source, element, count, op, is_inclusive);
  const Members members =
      enter(group, {.kind = Kind::kScan, .bytes = element * count, .root = is_inclusive});
  reduce(members,
         {dest, source, element, count, op, is_inclusive ? Keep::kUpToMine : Keep::kBelowMine});
}

}  // namespace uccs::coll
