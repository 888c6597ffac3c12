// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include <bit>

namespace uccs::coll::patterns {

/// Dissemination: in round r member i signals i + 2^r and is signalled by i - 2^r (mod n). After
/// all rounds everybody has heard, directly or not, from everybody.

/// Rounds for n members: the smallest r with 2^r >= n.
constexpr int dissemination_rounds(int n) {
  return n <= 1 ? 0 : std::bit_width(static_cast<unsigned>(n - 1));
}

constexpr int dissemination_to(int rank, int n, int round) {
  const int to = rank + (1 << round);  // 2^round < n, so one subtraction wraps
  return to >= n ? to - n : to;
}

constexpr int dissemination_from(int rank, int n, int round) {
  const int from = rank - (1 << round);
  return from < 0 ? from + n : from;
}

}  // namespace uccs::coll::patterns
