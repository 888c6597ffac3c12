// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include <bit>

namespace uccs::coll::patterns {

/// The binomial tree over n members, in numbers relative to the root (the root is 0). The parent of
/// v is v without its lowest bit; its children are v + 2^k for every 2^k below that bit, so
/// subtrees are runs of consecutive members. Who sends starts with the largest subtree.

constexpr int relative_to_root(int rank, int root, int n) {
  return rank >= root ? rank - root : rank - root + n;
}

constexpr int absolute_from_root(int relative, int root, int n) {
  const int rank = relative + root;
  return rank >= n ? rank - n : rank;
}

/// For relative != 0.
constexpr int binomial_parent(int relative) { return relative & (relative - 1); }

/// The distance 2^k to the first child to serve, 0 for leaves; the next one is half of it.
constexpr int binomial_first_distance(int relative, int n) {
  const int limit = relative == 0 ? n : relative & -relative;
  int distance = limit > 1 ? 1 << (std::bit_width(static_cast<unsigned>(limit - 1)) - 1) : 0;
  while (distance > 0 && relative + distance >= n) distance >>= 1;
  return distance;
}

}  // namespace uccs::coll::patterns
