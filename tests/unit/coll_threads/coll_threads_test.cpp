// SPDX-License-Identifier: BSD-3-Clause
/// The cases of tests/spmd/coll with the threads of one process as ECs, so that the thread
/// sanitizer sees every access to shared memory.
#include <gtest/gtest.h>
#include <stdio.h>
#include <unistd.h>

#include <thread>
#include <vector>

#include "../../spmd/coll/cases.hpp"
#include "base/backoff.hpp"
#include "coll/coll.hpp"
#include "node.hpp"

namespace uccs::test {

static_assert(kAreaBytes <= Node::kHeapBytes);

void fail_check(const char* file, int line, const char* claim) {
  const uccs_direct_map_t& map = core::direct_map;
  fprintf(stderr, "EC %u of %u: %s:%d: not true: %s\n",
          static_cast<unsigned>((0 - map.heap_delta) / map.slot_bytes), map.count, file, line,
          claim);
  _exit(1);
}

namespace {

/// spins 0: the shape of more members than CPUs.
void run_case(const Case& tested, int n, uint32_t spins, int effort) {
  base::detail::wait_policy_in_force.spins = spins;
  const Node node(n);
  std::vector<std::thread> ecs;
  for (int i = 0; i < n; ++i)
    ecs.emplace_back([&, i] {
      node.play(i);
      core::Group world = node.world_of(i);
      Ec ec;
      ec.me = i;
      ec.size = n;
      ec.world = &world;
      ec.heap = node.heap(i);
      ec.effort = effort;
      ec.adopt_thread = [&node, i] { node.play(i); };
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
}  // namespace uccs::test
