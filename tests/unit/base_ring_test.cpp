// SPDX-License-Identifier: BSD-3-Clause
/// The ring among threads (run this under TSan) and among processes that share a mapping.
#include "base/ring.hpp"

#include <gtest/gtest.h>
#include <sched.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <memory>
#include <thread>
#include <vector>

namespace {

template <size_t kCapacity>
using Ring = uccs::base::Ring<kCapacity>;

struct Unmap {
  size_t bytes;
  void operator()(void* at) const { munmap(at, bytes); }
};
using Memory = std::unique_ptr<void, Unmap>;

Memory shared_memory(size_t bytes) {
  void* at = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  EXPECT_NE(at, MAP_FAILED);
  return Memory(at, Unmap{bytes});
}

/// What producers send: who and which, spread over the slot so that a torn one shows.
struct Item {
  uint64_t producer;
  uint64_t number;
  uint64_t filler[5];
};
static_assert(sizeof(Item) == Ring<4>::kDataBytes);

template <typename R>
void send(R ring, uint64_t producer, uint64_t number) {
  Item item = {producer, number, {}};
  for (uint64_t& f : item.filler) f = producer * 1000003 + number;
  uint64_t position;
  while (!ring.reserve(&position)) sched_yield();
  memcpy(ring.data(position), &item, sizeof item);
  ring.commit(position, (producer << 8) | (number << 16));
}

/// Takes `count` items; false when one is torn, lost, doubled or out of its producer's order.
template <typename R>
bool receive_all(R ring, uint64_t producers, uint64_t each) {
  std::vector<uint64_t> next(producers, 0);
  uint64_t position = ring.published_head(), published = position;
  for (uint64_t left = producers * each; left > 0; --left) {
    const typename R::Slot* slot;
    while (!(slot = ring.peek(position))) sched_yield();
    Item item;
    memcpy(&item, slot->data, sizeof item);
    if (item.producer >= producers || item.number != next[item.producer]++) return false;
    for (uint64_t f : item.filler)
      if (f != item.producer * 1000003 + item.number) return false;
    ring.pop(++position, &published);
  }
  ring.publish(position, &published);
  return ring.peek(position) == nullptr;
}

TEST(Ring, ZeroMemoryIsEmptyAndFillsToCapacity) {
  alignas(64) static char memory[Ring<8>::kBytes];
  memset(memory, 0, sizeof memory);
  Ring<8> ring(memory);
  EXPECT_EQ(ring.peek(0), nullptr);
  uint64_t position = 99;
  for (uint64_t i = 0; i < 8; ++i) {
    ASSERT_TRUE(ring.reserve(&position));
    EXPECT_EQ(position, i);
    ring.commit(position, i << 8);
  }
  EXPECT_FALSE(ring.reserve(&position));
  EXPECT_EQ(position, 7u) << "written only on success";
}

TEST(Ring, AReservedSlotIsNotVisibleBeforeCommit) {
  alignas(64) static char memory[Ring<4>::kBytes];
  memset(memory, 0, sizeof memory);
  Ring<4> ring(memory);
  uint64_t first, second;
  ASSERT_TRUE(ring.reserve(&first));
  ASSERT_TRUE(ring.reserve(&second));
  ring.commit(second, 0);
  EXPECT_EQ(ring.peek(0), nullptr) << "what is behind waits";
  ring.commit(first, 0);
  EXPECT_NE(ring.peek(0), nullptr);
  EXPECT_NE(ring.peek(1), nullptr);
  EXPECT_EQ(ring.peek(2), nullptr);
}

TEST(Ring, GenerationsSurviveManyLaps) {
  alignas(64) static char memory[Ring<4>::kBytes];
  memset(memory, 0, sizeof memory);
  Ring<4> ring(memory);
  uint64_t published = 0;
  for (uint64_t i = 0; i < 4 * 256 * 3; ++i) {  // the generation is a byte: three times around
    EXPECT_EQ(ring.peek(i), nullptr) << i;
    uint64_t position;
    ASSERT_TRUE(ring.reserve(&position)) << i;
    ring.commit(position, (i & 0xffff) << 8);
    const Ring<4>::Slot* slot = ring.peek(i);
    ASSERT_NE(slot, nullptr) << i;
    EXPECT_EQ(slot->word.load() >> 8, i & 0xffff);
    ring.pop(i + 1, &published);
  }
}

TEST(Ring, HeadIsPublishedEveryQuarter) {
  alignas(64) static char memory[Ring<16>::kBytes];
  memset(memory, 0, sizeof memory);
  Ring<16> ring(memory);
  uint64_t published = 0;
  for (uint64_t position = 1; position < 4; ++position) ring.pop(position, &published);
  EXPECT_EQ(ring.published_head(), 0u);
  ring.pop(4, &published);
  EXPECT_EQ(ring.published_head(), 4u);
}

template <size_t kCapacity>
void run_threads(uint64_t producers, uint64_t each) {
  Memory memory = shared_memory(Ring<kCapacity>::kBytes);
  Ring<kCapacity> ring(memory.get());
  std::vector<std::thread> threads;
  for (uint64_t p = 0; p < producers; ++p)
    threads.emplace_back([=] {
      for (uint64_t n = 0; n < each; ++n) send(ring, p, n);
    });
  EXPECT_TRUE(receive_all(ring, producers, each));
  for (std::thread& thread : threads) thread.join();
}
TEST(Ring, OneProducerThread) { run_threads<4>(1, 20000); }
TEST(Ring, FourProducerThreads) { run_threads<16>(4, 5000); }
TEST(Ring, EightProducerThreadsOnFourSlots) { run_threads<4>(8, 1000); }

TEST(Ring, ConsumersTakeTurns) {
  constexpr uint64_t kEach = 4000, kProducers = 2;
  Memory memory = shared_memory(Ring<64>::kBytes);
  Ring<64> ring(memory.get());
  std::atomic<bool> lock = false;
  std::atomic<uint64_t> position = 0, taken = 0;
  uint64_t published = 0;  // guarded by lock
  std::vector<std::thread> threads;
  for (int c = 0; c < 3; ++c)
    threads.emplace_back([&] {
      while (taken.load() < kEach * kProducers) {
        if (!ring.peek(position.load(std::memory_order_relaxed)) ||
            lock.exchange(true, std::memory_order_acquire)) {
          sched_yield();
          continue;
        }
        uint64_t at = position.load(std::memory_order_relaxed);
        while (ring.peek(at)) {
          ++at;
          taken.fetch_add(1);
        }
        position.store(at, std::memory_order_relaxed);
        ring.pop(at, &published);
        lock.store(false, std::memory_order_release);
      }
    });
  for (uint64_t p = 0; p < kProducers; ++p)
    threads.emplace_back([&, p] {
      for (uint64_t n = 0; n < kEach; ++n) send(ring, p, n);
    });
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(taken.load(), kEach * kProducers);
}

template <size_t kCapacity>
void run_processes(uint64_t producers, uint64_t each) {
  Memory memory = shared_memory(Ring<kCapacity>::kBytes);
  std::vector<pid_t> children;
  for (uint64_t p = 0; p < producers; ++p) {
    const pid_t child = fork();
    ASSERT_GE(child, 0);
    if (child == 0) {
      for (uint64_t n = 0; n < each; ++n) send(Ring<kCapacity>(memory.get()), p, n);
      _exit(0);
    }
    children.push_back(child);
  }
  EXPECT_TRUE(receive_all(Ring<kCapacity>(memory.get()), producers, each));
  for (pid_t child : children) {
    int status = -1;
    EXPECT_EQ(waitpid(child, &status, 0), child);
    EXPECT_EQ(status, 0);
  }
}
TEST(Ring, OneProducerProcess) { run_processes<512>(1, 50000); }
TEST(Ring, FourProducerProcesses) { run_processes<8>(4, 5000); }

TEST(Ring, AConsumerThatAttachesLaterGoesOn) {
  Memory memory = shared_memory(Ring<8>::kBytes);
  Ring<8> ring(memory.get());
  for (int round = 0; round < 5; ++round) {
    for (uint64_t n = 0; n < 3; ++n) send(ring, 0, n);
    EXPECT_TRUE(receive_all(ring, 1, 3)) << round;
  }
}

}  // namespace
