// SPDX-License-Identifier: BSD-3-Clause
/// Runs under callgrind and dumps the instructions of collectives of two members, as one member
/// executes them when the other one's signals are already there. path_budgets.py reads them.
#include <valgrind/callgrind.h>

#include "coll/coll.hpp"
#include "coll/layout.hpp"
#include "node.hpp"

namespace uccs::test {
namespace {

constexpr int kCalls = 1000;

/// All that the other member will ever signal.
void answer(coll::Scratch& scratch) {
  for (auto& flag : scratch.barrier) flag.value = UINT64_MAX;
  const uint64_t claimed = scratch.own.lines_claimed;
  for (uint64_t position = claimed; position < claimed + coll::kRingLines; ++position)
    scratch.ring[position % coll::kRingLines].sequence = position + 1;
}

void add(void* acc, const void* in, size_t count) {
  for (size_t i = 0; i < count; ++i)
    static_cast<int64_t*>(acc)[i] += static_cast<const int64_t*>(in)[i];
}

template <typename Call>
void measure(const char* name, coll::Scratch& scratch, Call call) {
  answer(scratch);
  call();  // the first use of a group sets it up
  CALLGRIND_ZERO_STATS;
  for (int i = 0; i < kCalls; ++i) {
    answer(scratch);
    CALLGRIND_TOGGLE_COLLECT;
    call();
    CALLGRIND_TOGGLE_COLLECT;
  }
  CALLGRIND_DUMP_STATS_AT(name);
}

void run() {
  const Node node(2);
  node.play(0);
  core::Group world = node.world_of(0);
  auto& scratch = *reinterpret_cast<coll::Scratch*>(world.scratch);
  auto* source = reinterpret_cast<int64_t*>(node.heap(0));
  auto* dest = source + 1024;
  measure("nothing", scratch, [] {});
  measure("barrier", scratch, [&] { coll::barrier(world); });
  measure("broadcast 8, root", scratch, [&] { coll::broadcast(world, dest, source, 8, 0, true); });
  measure("broadcast 8, other", scratch, [&] { coll::broadcast(world, dest, source, 8, 1, true); });
  measure("allreduce 8", scratch, [&] { coll::allreduce(world, dest, source, 8, 1, add); });
  measure("scan 8", scratch, [&] { coll::scan(world, dest, source, 8, 1, add, true); });
  measure("allgather 8", scratch, [&] { coll::allgather(world, dest, source, 8); });
  measure("alltoall 8", scratch, [&] { coll::alltoall(world, dest, source, 8); });
}

}  // namespace
}  // namespace uccs::test

int main() { uccs::test::run(); }
