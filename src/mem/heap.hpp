// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include <cstddef>
#include <map>
#include <set>
#include <utility>

namespace uccs::mem {

/// The allocator of a symmetric heap. It decides from sizes and order alone, so the same calls on
/// all ECs give the same offsets and nobody has to talk. Its bookkeeping is in private memory:
/// another EC's stray put can spoil the data, never the lists. Best fit, neighbours merge, 64-byte
/// granules (blocks of different owners share no cache line). Not thread safe: the caller holds a
/// lock.
class Heap {
 public:
  /// Manages [base, base + bytes). With guards each block is followed by a pattern that `release`
  /// and `first_overrun` verify.
  void reset(std::byte* base, size_t bytes, bool has_guards);

  /// nullptr when no free range is large enough. `alignment` is a power of two, at most what all
  /// bases agree on (kMaxAlignment of segment.hpp).
  void* allocate(size_t bytes, size_t alignment);

  /// Grows or shrinks in place; false when the block must move (or is unknown).
  bool resize(void* block, size_t bytes);

  /// False if `block` was not returned by allocate or is freed already.
  bool release(void* block);

  /// Bytes asked for from `address` to the end of the live block that holds it; 0 outside of any.
  size_t bytes_from(const void* address) const;

  /// The live block that holds `address`: its start and the bytes asked for; false outside of any.
  bool find(const void* address, void** start_out, size_t* bytes_out) const;

  /// A live block whose guard was overwritten, nullptr if all are whole (or there are no guards).
  void* first_overrun() const;

  size_t free_bytes() const { return free_bytes_; }
  size_t largest_free() const;
  size_t total_bytes() const { return total_bytes_; }

 private:
  struct Block {
    size_t extent;     ///< granules taken, in bytes
    size_t requested;  ///< what the caller asked for
  };
  bool guard_is_whole(size_t offset, const Block& block) const;
  void write_guard(size_t offset, const Block& block);
  void insert_free(size_t offset, size_t extent);
  void erase_free(std::map<size_t, size_t>::iterator range);
  size_t extent_for(size_t bytes) const;

  std::byte* base_ = nullptr;
  size_t total_bytes_ = 0;
  size_t free_bytes_ = 0;
  bool has_guards_ = false;
  std::map<size_t, Block> live_;                   ///< by offset
  std::map<size_t, size_t> free_;                  ///< offset -> extent, no two adjacent
  std::set<std::pair<size_t, size_t>> by_extent_;  ///< (extent, offset) of the same ranges
};

}  // namespace uccs::mem
