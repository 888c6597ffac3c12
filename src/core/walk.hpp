// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include <cstddef>
#include <cstdint>

#include "uccs/rma.h"

namespace uccs::core {

/// Bytes that are contiguous on both sides. `remote` counts from wherever the walk's owner says.
struct Run {
  std::byte* local;
  uint64_t remote;
  size_t bytes;
};

/// A section of an array: counts[0] contiguous bytes, repeated as the levels above say.
struct Section {
  size_t levels;
  size_t counts[UCCS_STRIDED_LEVELS_MAX + 1];
  ptrdiff_t local_strides[UCCS_STRIDED_LEVELS_MAX];
  ptrdiff_t remote_strides[UCCS_STRIDED_LEVELS_MAX];
};

/// Enumerates the runs of a transfer of any shape. Trivially copyable; nothing is allocated.
class Walk {
 public:
  static Walk contiguous(void* local, uint64_t remote, size_t bytes) {
    Walk walk = {};
    walk.shape_ = bytes ? Shape::kContiguous : Shape::kEnd;
    walk.local_ = static_cast<std::byte*>(local);
    walk.remote_ = remote;
    walk.section_.counts[0] = bytes;
    return walk;
  }
  /// `pieces` stay while the walk is in use.
  static Walk list(const uccs_piece_t* pieces, size_t count, uint64_t remote) {
    Walk walk = {};
    walk.shape_ = Shape::kList;
    walk.pieces_ = pieces;
    walk.left_ = count;
    walk.remote_ = remote;
    return walk;
  }
  static Walk strided(void* local, uint64_t remote, const Section& section) {
    Walk walk = {};
    walk.shape_ = Shape::kStrided;
    walk.local_ = static_cast<std::byte*>(local);
    walk.remote_ = remote;
    walk.section_ = section;
    for (size_t level = 0; level <= section.levels; ++level)
      if (section.counts[level] == 0) walk.shape_ = Shape::kEnd;
    return walk;
  }

  /// The next run of at least one byte; false when there is none.
  bool next(Run* run_out) {
    switch (shape_) {
      case Shape::kContiguous:
        *run_out = {local_, remote_, section_.counts[0]};
        shape_ = Shape::kEnd;
        return true;
      case Shape::kList:
        for (; left_ > 0; ++pieces_, --left_) {
          if (pieces_->bytes == 0) continue;
          *run_out = {static_cast<std::byte*>(pieces_->base), remote_, pieces_->bytes};
          remote_ += pieces_->bytes;
          ++pieces_, --left_;
          return true;
        }
        return false;
      case Shape::kStrided:
        *run_out = {local_, remote_, section_.counts[0]};
        step();
        return true;
      case Shape::kEnd:
        break;
    }
    return false;
  }

 private:
  enum class Shape : uint8_t { kEnd, kContiguous, kList, kStrided };

  /// To the next block: an odometer whose lowest wheel is level 0.
  void step() {
    for (size_t level = 0; level < section_.levels; ++level) {
      local_ += section_.local_strides[level];
      remote_ += static_cast<uint64_t>(section_.remote_strides[level]);
      if (++index_[level] < section_.counts[level + 1]) return;
      const auto turns = static_cast<ptrdiff_t>(index_[level]);
      local_ -= turns * section_.local_strides[level];
      remote_ -= static_cast<uint64_t>(turns * section_.remote_strides[level]);
      index_[level] = 0;
    }
    shape_ = Shape::kEnd;
  }

  Shape shape_;
  std::byte* local_;
  uint64_t remote_;
  const uccs_piece_t* pieces_;
  size_t left_;
  Section section_;
  size_t index_[UCCS_STRIDED_LEVELS_MAX];
};

}  // namespace uccs::core
