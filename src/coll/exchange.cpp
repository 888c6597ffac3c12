// SPDX-License-Identifier: BSD-3-Clause
#include "coll/lines.hpp"

namespace uccs::coll {

Blocks exchange_bounced(const Members& members, const std::byte* source, size_t source_step,
                        size_t bytes) {
  const int n = members.size, rank = members.rank;
  const size_t slot = bounce_slot(members);
  const Claim taken = claim(members, n, 1);
  const uint64_t own_line = taken.line + static_cast<uint64_t>(rank);
  for (int step = 1; step < n; ++step) {
    const int to = patterns::rotated(rank, n, step);
    std::memcpy(bounce_of(members, to, taken) + static_cast<size_t>(rank) * slot,
                source + static_cast<size_t>(to) * source_step, bytes);
    signal(members, to, own_line);
  }
  for (int step = 1; step < n; ++step)
    await(members, taken.line + static_cast<uint64_t>(patterns::rotated_back(rank, n, step)));
  all_entered(members, taken);
  return {members.mine, taken, slot};
}

}  // namespace uccs::coll
