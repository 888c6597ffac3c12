// SPDX-License-Identifier: BSD-3-Clause
#include "mem/heap.hpp"

#include <gtest/gtest.h>
#include <sys/mman.h>

#include <cstring>
#include <map>
#include <random>
#include <vector>

namespace uccs::mem {
namespace {

constexpr size_t kBytes = 1 << 20;

struct Memory {
  std::byte* base = static_cast<std::byte*>(
      mmap(nullptr, kBytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
  ~Memory() { munmap(base, kBytes); }
};

TEST(Heap, GivesAlignedDisjointBlocks) {
  Memory memory;
  Heap heap;
  heap.reset(memory.base, kBytes, false);
  auto* a = static_cast<std::byte*>(heap.allocate(1, 16));
  auto* b = static_cast<std::byte*>(heap.allocate(100, 4096));
  auto* c = static_cast<std::byte*>(heap.allocate(64, 64));
  ASSERT_TRUE(a && b && c);
  EXPECT_EQ(reinterpret_cast<uintptr_t>(b) % 4096, 0u);
  EXPECT_GE(std::abs(b - a), 64);
  EXPECT_GE(std::abs(c - a), 64);
  EXPECT_EQ(heap.bytes_from(b + 40), 60u);
  EXPECT_EQ(heap.bytes_from(b + 100), 0u) << "past the end of the block";
  void* start = nullptr;
  size_t bytes = 0;
  EXPECT_TRUE(heap.find(b + 99, &start, &bytes));
  EXPECT_EQ(start, b);
  EXPECT_EQ(bytes, 100u);
  EXPECT_FALSE(heap.find(b + 100, &start, &bytes));
  EXPECT_FALSE(heap.find(memory.base - 1, &start, &bytes)) << "below the heap";
}

TEST(Heap, ExhaustionReturnsNullAndLosesNothing) {
  Memory memory;
  Heap heap;
  heap.reset(memory.base, kBytes, false);
  EXPECT_EQ(heap.allocate(kBytes + 1, 16), nullptr);
  EXPECT_EQ(heap.allocate(SIZE_MAX, 16), nullptr);
  EXPECT_EQ(heap.allocate(SIZE_MAX - 60, 16), nullptr);
  void* all = heap.allocate(kBytes, 16);
  ASSERT_NE(all, nullptr);
  EXPECT_EQ(heap.allocate(1, 16), nullptr);
  EXPECT_TRUE(heap.release(all));
  EXPECT_EQ(heap.free_bytes(), kBytes);
  EXPECT_EQ(heap.largest_free(), kBytes);
}

TEST(Heap, EmptyHeapRefusesEverything) {
  Heap heap;
  heap.reset(nullptr, 0, false);
  EXPECT_EQ(heap.allocate(1, 16), nullptr);
  EXPECT_EQ(heap.largest_free(), 0u);
}

TEST(Heap, RefusesWhatItDidNotGive) {
  Memory memory;
  Heap heap;
  heap.reset(memory.base, kBytes, false);
  auto* block = static_cast<std::byte*>(heap.allocate(128, 16));
  EXPECT_FALSE(heap.release(block + 64));
  EXPECT_FALSE(heap.release(nullptr));
  EXPECT_TRUE(heap.release(block));
  EXPECT_FALSE(heap.release(block)) << "freed twice";
}

TEST(Heap, ResizesInPlaceWhereItCan) {
  Memory memory;
  Heap heap;
  heap.reset(memory.base, kBytes, false);
  void* a = heap.allocate(64, 16);
  EXPECT_TRUE(heap.resize(a, 4096));
  EXPECT_EQ(heap.bytes_from(a), 4096u);
  void* b = heap.allocate(64, 16);
  ASSERT_NE(b, nullptr);
  EXPECT_FALSE(heap.resize(a, 8192)) << "its neighbour is in the way";
  EXPECT_TRUE(heap.resize(a, 10));
  EXPECT_FALSE(heap.resize(a, SIZE_MAX));
  heap.release(a);
  heap.release(b);
  EXPECT_EQ(heap.largest_free(), kBytes);
}

TEST(Heap, GuardsNoticeAnOverrun) {
  Memory memory;
  Heap heap;
  heap.reset(memory.base, kBytes, true);
  auto* a = static_cast<char*>(heap.allocate(100, 16));
  auto* b = static_cast<char*>(heap.allocate(100, 16));
  ASSERT_TRUE(a && b);
  memset(a, 1, 100);
  EXPECT_EQ(heap.first_overrun(), nullptr);
  b[100] = 1;
  EXPECT_EQ(heap.first_overrun(), b);
}

/// Two heaps at different addresses that see the same calls give the same offsets: what makes the
/// heap symmetric. And blocks never overlap, whatever the order.
TEST(Heap, SameCallsGiveSameOffsets) {
  Memory memory[2];
  Heap heap[2];
  for (int i = 0; i < 2; ++i) heap[i].reset(memory[i].base, kBytes, false);
  std::mt19937 random(42);
  std::map<size_t, size_t> live;  // offset -> bytes
  for (int step = 0; step < 20000; ++step) {
    if (live.empty() || random() % 3) {
      const size_t bytes = 1 + random() % (random() % 8 ? 500 : 60000);
      const size_t alignment = size_t{16} << (random() % 6);
      auto* a = static_cast<std::byte*>(heap[0].allocate(bytes, alignment));
      auto* b = static_cast<std::byte*>(heap[1].allocate(bytes, alignment));
      ASSERT_EQ(a == nullptr, b == nullptr);
      if (!a) continue;
      const size_t offset = static_cast<size_t>(a - memory[0].base);
      ASSERT_EQ(offset, static_cast<size_t>(b - memory[1].base));
      ASSERT_LE(offset + bytes, kBytes);
      auto after = live.lower_bound(offset);
      if (after != live.end()) {
        ASSERT_LE(offset + bytes, after->first);
      }
      if (after != live.begin()) {
        ASSERT_LE(std::prev(after)->first + std::prev(after)->second, offset);
      }
      live[offset] = bytes;
    } else {
      auto victim = std::next(live.begin(), static_cast<long>(random() % live.size()));
      for (int i = 0; i < 2; ++i) ASSERT_TRUE(heap[i].release(memory[i].base + victim->first));
      live.erase(victim);
    }
  }
  for (const auto& [offset, bytes] : live) ASSERT_TRUE(heap[0].release(memory[0].base + offset));
  EXPECT_EQ(heap[0].largest_free(), kBytes) << "neighbours did not merge";
}

}  // namespace
}  // namespace uccs::mem
