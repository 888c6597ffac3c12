// SPDX-License-Identifier: BSD-3-Clause
/// The cases of tests/spmd/coll with the threads of one process as ECs, so that the thread
/// sanitizer sees every access to shared memory. What the rooms below `coll` provide is played
/// here: an array of slots, as in the node segment.
#include <gtest/gtest.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include <thread>
#include <vector>

#include "../../spmd/coll/cases.hpp"
#include "base/backoff.hpp"
#include "coll/coll.hpp"
#include "core/direct.hpp"
#include "core/group.hpp"
#include "core/idle.hpp"
#include "rte/identity.hpp"

namespace uccs {

namespace core {

thread_local uccs_direct_map_t direct_map;
std::atomic<uint32_t> live_contexts = 0;
void progress_all_contexts() {}

std::byte* group_scratch(int id) {
  return reinterpret_cast<std::byte*>(direct_map.heap_low) +
         kGroupScratchBytes * static_cast<size_t>(id);
}

}  // namespace core

namespace rte {
void set_activity(const char*) {}
bool job_is_ending() { return false; }
void end_job(int status, const char*) { _exit(status); }
}  // namespace rte

namespace test {

void fail_check(const char* file, int line, const char* claim) {
  fprintf(stderr, "EC %u of %u: %s:%d: not true: %s\n",
          static_cast<unsigned>((0 - core::direct_map.heap_delta) >> core::direct_map.slot_shift),
          core::direct_map.count, file, line, claim);
  _exit(1);
}

namespace {

constexpr uint32_t kSlotShift = 28;
constexpr size_t kSlotBytes = size_t{1} << kSlotShift;
constexpr size_t kScratchBytes = core::kGroupScratchBytes * core::kMaxGroups;
static_assert(kScratchBytes + kAreaBytes <= kSlotBytes);

/// The slots of n ECs, zero at first.
class Node {
 public:
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

  uccs_direct_map_t map_of(int i) const {
    uccs_direct_map_t map{};
    map.heap_low = reinterpret_cast<uintptr_t>(slot(i));
    map.heap_bytes = kSlotBytes;
    map.heap_delta = reinterpret_cast<uintptr_t>(slot(0)) - map.heap_low;
    map.count = static_cast<uint32_t>(n_);
    map.slot_shift = kSlotShift;
    return map;
  }

 private:
  size_t bytes() const { return static_cast<size_t>(n_) * kSlotBytes; }

  int n_;
  std::byte* low_ = nullptr;
};

/// spins 0: the shape of more members than CPUs.
void run_case(const Case& tested, int n, uint32_t spins, int effort) {
  base::detail::wait_policy_in_force.spins = spins;
  const Node node(n);
  std::vector<std::thread> ecs;
  for (int i = 0; i < n; ++i)
    ecs.emplace_back([&, i] {
      core::direct_map = node.map_of(i);
      core::Group world{.rank = i, .size = n, .first = 0, .stride = 1, .id = 0};
      world.scratch = core::group_scratch(0);
      Ec ec;
      ec.me = i;
      ec.size = n;
      ec.world = &world;
      ec.heap = node.slot(i) + kScratchBytes;
      ec.effort = effort;
      const uccs_direct_map_t map = core::direct_map;
      ec.adopt_thread = [map] { core::direct_map = map; };
      tested.run(ec);
      coll::barrier(world);
    });
  for (std::thread& ec : ecs) ec.join();
}

class CollThreads : public testing::TestWithParam<int> {};

TEST_P(CollThreads, EveryNumberOfEcsAndShape) {
  const Case& tested = kCases[GetParam()];
  for (const int n : {1, 2, 3, 5})
    for (const uint32_t spins : {0u, 1u}) run_case(tested, n, spins, 10);
}

INSTANTIATE_TEST_SUITE_P(Cases, CollThreads, testing::Range(0, kCaseCount),
                         [](const auto& param) { return std::string(kCases[param.param].name); });

/// More members than write to each other directly: trees and doubling.
TEST(CollThreadsMany, BackToBack) {
  for (const uint32_t spins : {0u, 1u}) {
    run_case({"back_to_back", back_to_back}, 19, spins, 2);
    run_case({"back_to_back", back_to_back}, 37, spins, 1);
  }
}

}  // namespace
}  // namespace test
}  // namespace uccs
