// SPDX-License-Identifier: BSD-3-Clause
/// A thread that waits for its CPU whenever it wakes is moved, stays where it may be, and is left
/// alone where there is nowhere else to go.
#include "net/parts/mover.hpp"

#include <gtest/gtest.h>
#include <sched.h>

#include <atomic>
#include <chrono>
#include <thread>
#include <vector>

#include "base/clock.hpp"

namespace uccs::net {
namespace {

using std::chrono_literals::operator""us;

cpu_set_t mask_of_this_thread() {
  cpu_set_t mask;
  CPU_ZERO(&mask);
  EXPECT_EQ(sched_getaffinity(0, sizeof mask, &mask), 0);
  return mask;
}

void spin_for(uint64_t ns) {
  for (const uint64_t end = base::now_ns() + ns; base::now_ns() < end;) {
  }
}

/// Threads enough that nobody finds a CPU free.
class Crowd {
 public:
  Crowd() {
    const cpu_set_t mask = mask_of_this_thread();
    for (int i = 0; i < 3 * CPU_COUNT(&mask); ++i)
      threads_.emplace_back([this] {
        while (!is_over_) spin_for(100'000);
      });
  }
  ~Crowd() {
    is_over_ = true;
    for (std::thread& each : threads_) each.join();
  }

 private:
  std::atomic<bool> is_over_ = false;
  std::vector<std::thread> threads_;
};

/// Of a thread that wakes until it has been moved, or `wakes` times.
uint32_t moves_within(int wakes, const cpu_set_t& allowed) {
  uint32_t moves = 0;
  std::thread([&] {
    ASSERT_EQ(sched_setaffinity(0, sizeof allowed, &allowed), 0);
    Mover mover;
    for (int i = 0; i < wakes && mover.moves() == 0; ++i) {
      std::this_thread::sleep_for(50us);
      spin_for(300'000);  // who uses its share of the CPU has to wait for the next
      mover.note_wake();
    }
    moves = mover.moves();
    const cpu_set_t now = mask_of_this_thread();
    EXPECT_TRUE(CPU_EQUAL(&now, &allowed));
  }).join();
  return moves;
}

TEST(Mover, MovesWhoWaitsForItsCpu) {
  const cpu_set_t all = mask_of_this_thread();
  if (CPU_COUNT(&all) < 2) GTEST_SKIP() << "one CPU";
  const Crowd crowd;
  EXPECT_EQ(moves_within(64 * 40, all), 1u);  // chance one half, each 64 wakes but the first
}

TEST(Mover, LeavesAloneWhoMayUseOneCpu) {
  cpu_set_t one;
  CPU_ZERO(&one);
  CPU_SET(sched_getcpu(), &one);
  const Crowd crowd;
  EXPECT_EQ(moves_within(64 * 8, one), 0u);
}

TEST(Mover, LeavesAloneWhoSeldomWakes) {
  const cpu_set_t all = mask_of_this_thread();
  EXPECT_EQ(moves_within(64, all), 0u);  // the first judgement only takes the measure
}

}  // namespace
}  // namespace uccs::net
