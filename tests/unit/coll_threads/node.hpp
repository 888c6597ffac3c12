// SPDX-License-Identifier: BSD-3-Clause
/// The node segment of ECs that are threads of one process, or the roles of one thread.
#pragma once
#include <stdlib.h>
#include <sys/mman.h>

#include "core/direct.hpp"
#include "core/group.hpp"

namespace uccs::test {

/// The slots of n ECs, zero at first: the scratch of all groups, and a heap.
class Node {
 public:
  static constexpr size_t kScratchBytes = core::kGroupScratchBytes * core::kMaxGroups;
  static constexpr size_t kSlotBytes = size_t{1} << 28;
  static constexpr size_t kHeapBytes = kSlotBytes - kScratchBytes;

  explicit Node(int n) : n_(n) {
    void* at = mmap(nullptr, bytes(), PROT_READ | PROT_WRITE,
                    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (at == MAP_FAILED) abort();
    low_ = static_cast<std::byte*>(at);
  }
  ~Node() { munmap(low_, bytes()); }
  Node(const Node&) = delete;
  Node& operator=(const Node&) = delete;

  std::byte* slot(int i) const { return low_ + static_cast<size_t>(i) * kSlotBytes; }
  std::byte* heap(int i) const { return slot(i) + kScratchBytes; }

  /// From now on the calling thread is EC i.
  void play(int i) const {
    uccs_direct_map_t& map = core::direct_map;
    map = {};
    map.heap_low = reinterpret_cast<uintptr_t>(slot(i));
    map.heap_bytes = kSlotBytes;
    map.heap_delta = reinterpret_cast<uintptr_t>(slot(0)) - map.heap_low;
    map.count = static_cast<uint32_t>(n_);
    map.slot_bytes = kSlotBytes;
  }

  core::Group world_of(int i) const {
    core::Group world{.rank = i, .size = n_, .first = 0, .stride = 1, .id = 0};
    world.scratch = slot(i);
    return world;
  }

 private:
  size_t bytes() const { return static_cast<size_t>(n_) * kSlotBytes; }

  int n_;
  std::byte* low_ = nullptr;
};

}  // namespace uccs::test
