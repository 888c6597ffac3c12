// SPDX-License-Identifier: BSD-3-Clause
#include "coll/lines.hpp"
#include "coll/patterns/division.hpp"

namespace uccs::coll {

Blocks exchange(const Members& members, const void* source, size_t source_step, size_t bytes) {
  const auto* from = static_cast<const std::byte*>(source);
  const bool in_line = bytes <= kPayloadBytes;
  const size_t slot = in_line ? 0 : bounce_slot(members);
  const Claim taken = claim(members, members.size, in_line ? 0 : 1);
  const auto rank = static_cast<uint64_t>(members.rank);
  for (int step = 1; step < members.size; ++step) {
    const int to = patterns::rotated(members.rank, members.size, step);
    const std::byte* block = from + static_cast<size_t>(to) * source_step;
    if (in_line) {
      post(members, to, taken.line + rank, block, bytes);
    } else {
      std::memcpy(bounce_of(members, to, taken) + rank * slot, block, bytes);
      signal(members, to, taken.line + rank);
    }
  }
  for (int step = 1; step < members.size; ++step) {
    const int sender = patterns::rotated_back(members.rank, members.size, step);
    await(members, taken.line + static_cast<uint64_t>(sender));
  }
  all_entered(members, taken);
  return {members.mine, taken, slot};
}

}  // namespace uccs::coll
