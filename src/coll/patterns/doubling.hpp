// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include <bit>

namespace uccs::coll::patterns {

/// Recursive doubling for any n. Of the first 2 * extra members (extra = n - 2^k) the even ones
/// fold into the odd ones and are told the result at the end; the 2^k that stay ("cores") exchange
/// with a partner at distance 1, 2, 4, ... Cores are numbered in rank order and each holds a run
/// of consecutive ranks, so the operands combine in one fixed tree that keeps rank order.

constexpr int doubling_rounds(int n) { return std::bit_width(static_cast<unsigned>(n)) - 1; }

constexpr int doubling_extra(int n) { return n - (1 << doubling_rounds(n)); }

/// True for members that fold into their right neighbour.
constexpr bool doubling_folds(int rank, int n) {
  return rank < 2 * doubling_extra(n) && rank % 2 == 0;
}

/// True for members that their left neighbour folds into.
constexpr bool doubling_absorbs(int rank, int n) {
  return rank < 2 * doubling_extra(n) && rank % 2 == 1;
}

/// Number of a member that does not fold, among those that do not.
constexpr int doubling_core(int rank, int n) {
  const int extra = doubling_extra(n);
  return rank < 2 * extra ? rank / 2 : rank - extra;
}

constexpr int doubling_rank_of_core(int core, int n) {
  const int extra = doubling_extra(n);
  return core < extra ? 2 * core + 1 : core + extra;
}

/// With whom a member that does not fold exchanges in `round`.
constexpr int doubling_partner(int rank, int n, int round) {
  return doubling_rank_of_core(doubling_core(rank, n) ^ (1 << round), n);
}

/// The exchange of prefix reductions in `round`: rank ^ 2^round, -1 where there is no such member.
/// A member whose bit `round` is set always has a partner, whose 2^round members are all below.
constexpr int prefix_partner(int rank, int n, int round) {
  const int partner = rank ^ (1 << round);
  return partner < n ? partner : -1;
}

}  // namespace uccs::coll::patterns
