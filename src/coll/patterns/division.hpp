// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include <cstddef>

namespace uccs::coll::patterns {

struct Part {
  size_t begin = 0;
  size_t end = 0;
};

/// Part `index` of `count` elements cut into `parts` runs of equal length, which is a multiple of
/// `granule` so that neighbours do not share a cache line; the last parts may be short or empty.
constexpr Part part_of(size_t count, int parts, int index, size_t granule) {
  const size_t n = static_cast<size_t>(parts);
  const size_t even = count / n + (count % n != 0);
  const size_t length = (even + granule - 1) / granule * granule;
  const size_t begin = length * static_cast<size_t>(index);
  if (begin >= count) return {count, count};
  return {begin, count - begin < length ? count : begin + length};
}

/// Elements of `element` bytes that fill whole cache lines, 1 where they never do.
constexpr size_t line_granule(size_t element) {
  constexpr size_t kLine = 64;
  return element != 0 && element < kLine && kLine % element == 0 ? kLine / element : 1;
}

/// Whom to serve in step `step` (1..n-1) of an all-to-all: everybody serves somebody else.
constexpr int rotated(int rank, int n, int step) {
  const int to = rank + step;
  return to >= n ? to - n : to;
}

/// Who serves `rank` in that step.
constexpr int rotated_back(int rank, int n, int step) {
  const int from = rank - step;
  return from < 0 ? from + n : from;
}

/// In which step `from` serves `rank`; 0 for itself.
constexpr int step_from(int rank, int n, int from) {
  return rank >= from ? rank - from : rank - from + n;
}

}  // namespace uccs::coll::patterns
