// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include <cstddef>
#include <cstdint>

#include "uccs/status.h"

namespace uccs::mem {

/// Largest alignment of an allocation that all ECs can agree on: slots are multiples of it.
constexpr size_t kMaxAlignment = size_t{16} << 20;

/// How the node segment is cut. Every EC computes the same layout from the same inputs, so nobody
/// waits for anybody; `NodeSegment::attach` compares and refuses a mismatch.
///
///     file:  | header | slot 0 | slot 1 | ... | slot count-1 |
///     slot:  | static data | internal | heap ......... |
///
/// Slots are odd multiples of kMaxAlignment long, so that an object and its copy at a neighbour
/// differ in address bits 24 to 27. Level-1 caches with way prediction (AMD's) tell lines of one
/// set apart by a hash of bits 12 to 27: where these are the same, an EC that polls its own copy
/// and writes the peer's misses at each turn (a barrier of 2 took 62 ns instead of 45).
struct SlotLayout {
  size_t slot_bytes = 0;
  size_t static_bytes = 0;    ///< mirror of the executable's writable data, whole pages
  size_t internal_bytes = 0;  ///< rings, flags and scratch of UCCS itself
  size_t heap_bytes = 0;

  size_t internal_offset() const { return static_bytes; }
  size_t heap_offset() const { return static_bytes + internal_bytes; }
};

/// The layout for `count` ECs. `heap_bytes` 0 asks for the default reserve: the machine's memory,
/// less where the address space is short. Nothing of it is resident until touched.
uccs_status_t plan_slots(int count, size_t static_bytes, bool heap_is_explicit, size_t heap_bytes,
                         uint64_t file_bytes, SlotLayout* layout_out);

/// All memory that the ECs of a node share, mapped once. Never unmapped: pointers into it live in
/// user programs until the process ends.
class NodeSegment {
 public:
  /// Maps the segment behind `fd` (-1: private memory for a lone EC) and agrees on the layout.
  /// Errors are logged with cause and remedy.
  /// `file_base`: where in the file the node's part begins.
  uccs_status_t attach(int fd, int count, int index, const SlotLayout& layout,
                       uint64_t file_base = 0);

  std::byte* slot(int index) const {
    return slots_ + static_cast<size_t>(index) * layout_.slot_bytes;
  }
  const SlotLayout& layout() const { return layout_; }
  int fd() const { return fd_; }
  /// Offset of slot `index` in the file, for mapping parts of it elsewhere.
  uint64_t file_offset(int index) const;

 private:
  uccs_status_t agree(int fd, int count, int index);

  SlotLayout layout_;
  std::byte* slots_ = nullptr;
  uint64_t file_base_ = 0;
  int fd_ = -1;
};

}  // namespace uccs::mem
