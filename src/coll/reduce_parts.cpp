// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>

#include "coll/lines.hpp"
#include "coll/patterns/division.hpp"
#include "coll/reduce.hpp"

namespace uccs::coll {
namespace {

/// A block of the part in work: two of them, a source and a dest stay in the first-level cache.
constexpr size_t kBlockBytes = 8 * 1024;

struct Block {
  size_t offset;
  size_t bytes;
  size_t count;
};

void reduce_block(const Members& members, const Symmetric& dests, const Symmetric& sources,
                  const Block& block, Combine op) {
  alignas(kLineBytes) std::byte sum[kBlockBytes];
  std::memcpy(sum, sources.at(0) + block.offset, block.bytes);
  for (int i = 1; i < members.size; ++i) op(sum, sources.at(i) + block.offset, block.count);
  for (int i = 0; i < members.size; ++i) std::memcpy(dests.at(i) + block.offset, sum, block.bytes);
}

/// Member i's source is read before its dest is written: they may be the same.
void scan_block(const Members& members, const Symmetric& dests, const Symmetric& sources,
                const Block& block, Combine op, bool is_inclusive) {
  alignas(kLineBytes) std::byte sum[kBlockBytes];
  alignas(kLineBytes) std::byte below[kBlockBytes];
  std::memcpy(sum, sources.at(0) + block.offset, block.bytes);
  if (is_inclusive)
    std::memcpy(dests.at(0) + block.offset, sum, block.bytes);
  else
    std::memset(dests.at(0) + block.offset, 0, block.bytes);
  for (int i = 1; i < members.size; ++i) {
    if (!is_inclusive) std::memcpy(below, sum, block.bytes);
    op(sum, sources.at(i) + block.offset, block.count);
    std::memcpy(dests.at(i) + block.offset, is_inclusive ? sum : below, block.bytes);
  }
}

}  // namespace

void reduce_parts(const Members& members, Symmetric dests, Symmetric sources, size_t element,
                  size_t count, Combine op, Keep keep) {
  synchronise(members);  // all sources are there
  const patterns::Part part =
      patterns::part_of(count, members.size, members.rank, patterns::line_granule(element));
  const size_t step = std::max<size_t>(1, kBlockBytes / element);
  for (size_t at = part.begin; at < part.end; at += step) {
    const size_t length = std::min(step, part.end - at);
    const Block block = {at * element, length * element, length};
    if (keep == Keep::kAll)
      reduce_block(members, dests, sources, block, op);
    else
      scan_block(members, dests, sources, block, op, keep == Keep::kUpToMine);
  }
  synchronise(members);  // all dests are there, and all sources free
}

}  // namespace uccs::coll
