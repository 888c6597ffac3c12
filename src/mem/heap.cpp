// SPDX-License-Identifier: BSD-3-Clause
#include "mem/heap.hpp"

#include <algorithm>
#include <cstring>
#include <iterator>

namespace uccs::mem {
namespace {

constexpr size_t kGranule = 64;
constexpr size_t kGuardBytes = 64;  // at least; the rest of the last granule belongs to it
constexpr unsigned char kGuardByte = 0xC5;

size_t round_up(size_t value, size_t step) { return (value + step - 1) / step * step; }

}  // namespace

void Heap::reset(std::byte* base, size_t bytes, bool has_guards) {
  base_ = base;
  total_bytes_ = bytes / kGranule * kGranule;
  free_bytes_ = 0;
  has_guards_ = has_guards;
  live_.clear();
  free_.clear();
  by_extent_.clear();
  if (total_bytes_) insert_free(0, total_bytes_);
}

size_t Heap::extent_for(size_t bytes) const {
  return round_up(bytes + (has_guards_ ? kGuardBytes : 0), kGranule);
}

void Heap::insert_free(size_t offset, size_t extent) {
  auto next = free_.lower_bound(offset);
  free_bytes_ += extent;
  if (next != free_.end() && offset + extent == next->first) {
    extent += next->second;
    by_extent_.erase({next->second, next->first});
    next = free_.erase(next);
  }
  if (next != free_.begin()) {
    auto before = std::prev(next);
    if (before->first + before->second == offset) {
      by_extent_.erase({before->second, before->first});
      before->second += extent;
      by_extent_.insert({before->second, before->first});
      return;
    }
  }
  free_.emplace_hint(next, offset, extent);
  by_extent_.insert({extent, offset});
}

void Heap::erase_free(std::map<size_t, size_t>::iterator range) {
  free_bytes_ -= range->second;
  by_extent_.erase({range->second, range->first});
  free_.erase(range);
}

void* Heap::allocate(size_t bytes, size_t alignment) {
  if (bytes > total_bytes_) return nullptr;
  const size_t extent = extent_for(std::max<size_t>(bytes, 1));
  const auto base = reinterpret_cast<uintptr_t>(base_);
  for (auto fit = by_extent_.lower_bound({extent, 0}); fit != by_extent_.end(); ++fit) {
    const size_t range_offset = fit->second, range_extent = fit->first;
    // Aligned as an address: the bases of all ECs agree modulo the largest alignment we take.
    const size_t offset = round_up(base + range_offset, std::max(alignment, kGranule)) - base;
    if (offset + extent > range_offset + range_extent) continue;
    erase_free(free_.find(range_offset));
    if (offset > range_offset) insert_free(range_offset, offset - range_offset);
    const size_t end = offset + extent, range_end = range_offset + range_extent;
    if (range_end > end) insert_free(end, range_end - end);
    const Block block{extent, bytes};
    live_.emplace(offset, block);
    write_guard(offset, block);
    return base_ + offset;
  }
  return nullptr;
}

bool Heap::resize(void* pointer, size_t bytes) {
  const auto found = live_.find(static_cast<size_t>(static_cast<std::byte*>(pointer) - base_));
  if (found == live_.end() || bytes > total_bytes_) return false;
  const size_t offset = found->first;
  Block& block = found->second;
  const size_t extent = extent_for(std::max<size_t>(bytes, 1));
  if (extent > block.extent) {
    const auto next = free_.find(offset + block.extent);
    const size_t more = extent - block.extent;
    if (next == free_.end() || next->second < more) return false;
    const size_t left = next->second - more;
    erase_free(next);
    if (left) insert_free(offset + extent, left);
  } else if (extent < block.extent) {
    insert_free(offset + extent, block.extent - extent);
  }
  block = {extent, bytes};
  write_guard(offset, block);
  return true;
}

bool Heap::release(void* pointer) {
  const auto found = live_.find(static_cast<size_t>(static_cast<std::byte*>(pointer) - base_));
  if (found == live_.end()) return false;
  insert_free(found->first, found->second.extent);
  live_.erase(found);
  return true;
}

bool Heap::find(const void* address, void** start_out, size_t* bytes_out) const {
  const auto offset = static_cast<size_t>(static_cast<const std::byte*>(address) - base_);
  auto after = live_.upper_bound(offset);
  if (after == live_.begin()) return false;
  const auto& [start, block] = *std::prev(after);
  if (offset >= start + block.requested) return false;
  *start_out = base_ + start;
  *bytes_out = block.requested;
  return true;
}

size_t Heap::bytes_from(const void* address) const {
  void* start;
  size_t bytes;
  if (!find(address, &start, &bytes)) return 0;
  return bytes - static_cast<size_t>(static_cast<const std::byte*>(address) -
                                     static_cast<std::byte*>(start));
}

void Heap::write_guard(size_t offset, const Block& block) {
  if (has_guards_)
    std::memset(base_ + offset + block.requested, kGuardByte, block.extent - block.requested);
}

bool Heap::guard_is_whole(size_t offset, const Block& block) const {
  const auto* guard = reinterpret_cast<const unsigned char*>(base_ + offset + block.requested);
  return std::all_of(guard, guard + (block.extent - block.requested),
                     [](unsigned char byte) { return byte == kGuardByte; });
}

void* Heap::first_overrun() const {
  if (!has_guards_) return nullptr;
  for (const auto& [offset, block] : live_)
    if (!guard_is_whole(offset, block)) return base_ + offset;
  return nullptr;
}

size_t Heap::largest_free() const {
  if (by_extent_.empty()) return 0;
  const size_t overhead = has_guards_ ? kGuardBytes : 0;
  const size_t largest = by_extent_.rbegin()->first;
  return largest > overhead ? largest - overhead : 0;
}

}  // namespace uccs::mem
