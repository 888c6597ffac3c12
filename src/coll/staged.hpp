// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include <algorithm>

#include "coll/lines.hpp"

namespace uccs::coll {

/// For buffers that no peer reaches: in each round every member puts something into its own bounce
/// buffer with `fill(buffer)`, and when all have, `take(buffer of member i, i)` reads what the
/// others put. One barrier a round; the next round fills the other buffer while slow members still
/// read this one.
template <typename Fill, typename Take>
void staged_round(const Members& members, Fill fill, Take take) {
  const Claim taken = claim(members, 0, 1);
  fill(bounce_of(members, members.rank, taken));
  arrive(members);
  all_entered(members, taken);
  for (int i = 0; i < members.size; ++i)
    if (i != members.rank) take(static_cast<const std::byte*>(bounce_of(members, i, taken)), i);
}

}  // namespace uccs::coll
