// SPDX-License-Identifier: BSD-3-Clause
/// Groups: of all shapes, side by side, in threads, made and released many times.
#include <sched.h>

#include <thread>
#include <vector>

#include "buffers.hpp"
#include "coll/numbers.hpp"

namespace uccs::test {
namespace {

using core::Group;

/// A little of everything.
void exercise(Ec& ec, Group& group, int round) {
  for (const size_t bytes : {size_t{8}, size_t{300}, size_t{5000}}) {
    check_broadcast(ec, group, bytes, round % group.size, true, Place::kHeap, Place::kHeap, round);
    check_allgather(ec, group, bytes, Place::kHeap, Place::kPrivate, round);
    check_allgatherv(ec, group, bytes, Place::kHeap, Place::kHeap, round);
    check_alltoall(ec, group, bytes, Place::kPrivate, Place::kHeap, round);
    check_allreduce(ec, group, bytes / 8, Place::kHeap, Place::kHeap, round % 2 == 0, round);
    check_scan(ec, group, bytes / 8, true, Place::kPrivate, Place::kPrivate, false, round);
  }
}

Group split(Group& parent, int start, int stride, int size) {
  Group child;
  CHECK(coll::group_split(parent, start, stride, size, &child) == UCCS_OK);
  CHECK(child.size == size);
  const int index = parent.rank - start;
  const bool is_member = stride == 0
                             ? index == 0
                             : index % stride == 0 && index / stride >= 0 && index / stride < size;
  CHECK((child.rank >= 0) == is_member);
  if (is_member) {
    CHECK(child.rank == (stride == 0 ? 0 : index / stride));
    CHECK(child.scratch == core::group_scratch(child.id));
  }
  return child;
}

void exercise_and_release(Ec& ec, Group& group, int round) {
  if (group.rank < 0) return;
  exercise(ec, group, round);
  coll::group_release(group);
  CHECK(group.rank == -1);
}

int sum_of_ecs(Group& group) {
  int64_t own = core::group_ec(group, group.rank);
  int64_t sum = 0;
  coll::allreduce(group, &sum, &own, sizeof own, 1, [](void* acc, const void* in, size_t) {
    *static_cast<int64_t*>(acc) += *static_cast<const int64_t*>(in);
  });
  return static_cast<int>(sum);
}

}  // namespace

void subsets(Ec& ec) {
  Group& world = *ec.world;
  const int n = world.size;
  for (int round = 0; round < 2; ++round) {
    Group all = split(world, 0, 1, n);
    Group reversed = split(world, n - 1, -1, n);
    Group even = split(world, 0, 2, (n + 1) / 2);
    Group last = split(world, n - 1, 0, 1);
    Group odd = n > 1 ? split(world, 1, 2, n / 2) : Group{};
    Group inner = even.rank >= 0 ? split(even, even.size - 1, -1, even.size) : Group{};
    exercise_and_release(ec, even, round);
    exercise(ec, world, round);
    exercise_and_release(ec, reversed, round);
    exercise_and_release(ec, inner, round + 1);
    exercise_and_release(ec, last, round);
    exercise_and_release(ec, all, round + 3);
    exercise_and_release(ec, odd, round);
    coll::barrier(world);
  }
  for (int round = 0; round < 3; ++round) {
    const int i = world.rank;
    const int color = round == 0 ? 4 : i % 5 == 3 ? coll::kNoColor : i * i % 7 % 2;
    Group colored;
    CHECK(coll::group_split_by_color(world, color, i * 7 % 5, &colored) == UCCS_OK);
    CHECK((colored.rank >= 0) == (color != coll::kNoColor));
    if (colored.rank >= 0) CHECK(core::group_ec(colored, colored.rank) == ec.me);
    for (int m = 0; m < colored.size; ++m)
      CHECK(core::group_index(colored, core::group_ec(colored, m)) == m);
    exercise_and_release(ec, colored, round);
  }
  Group wrong;
  CHECK(coll::group_split(world, 0, 1, n + 1, &wrong) == UCCS_ERR_INVALID);
  CHECK(coll::group_split(world, -1, 1, 1, &wrong) == UCCS_ERR_INVALID);
  CHECK(coll::group_split(world, 0, 1, 0, &wrong) == UCCS_ERR_INVALID);
  CHECK(coll::group_split(world, 0, -1, 2, &wrong) == UCCS_ERR_INVALID);
  CHECK(coll::group_split(world, 0, 0, 2, &wrong) == UCCS_ERR_INVALID);
  CHECK(coll::group_split_by_color(world, n == world.rank + 1 ? -2 : 1, 0, &wrong) ==
        UCCS_ERR_INVALID);
  CHECK(wrong.rank == -1);
}

void groups_come_and_go(Ec& ec) {
  Group& world = *ec.world;
  const int n = world.size;
  Dice dice(31337);
  Delays delays(5, ec.me);
  std::vector<Group> alive;
  int highest = 0;
  for (int cycle = 0; cycle < 40 * ec.effort; ++cycle) {
    const int size = 1 + dice.below(n);
    const int start = dice.below(n - size + 1);
    Group group = split(world, start, 1, size);
    if (group.id > highest) highest = group.id;
    delays.maybe();
    // The fast use it while the slow are still on their way out of the split.
    if (group.rank >= 0) {
      CHECK(sum_of_ecs(group) == size * start + size * (size - 1) / 2);
      alive.push_back(group);
    }
    if (dice.below(4) == 0) {
      for (Group& old : alive) {
        coll::barrier(old);
        coll::group_release(old);
      }
      alive.clear();
    }
  }
  for (Group& old : alive) coll::group_release(old);
  CHECK(highest < 200);  // numbers are used again
}

void groups_run_out(Ec& ec) {
  Group& world = *ec.world;
  coll::barrier(world);
  std::vector<Group> all;
  Group group;
  while (coll::group_split(world, 0, 1, world.size, &group) == UCCS_OK) {
    if (all.size() % 512 == 0) CHECK(sum_of_ecs(group) == world.size * (world.size - 1) / 2);
    all.push_back(group);
  }
  CHECK(all.size() == static_cast<size_t>(coll::Numbers::kLastNumber) - 1);
  CHECK(group.rank == -1);
  coll::group_release(all.back());
  all.pop_back();
  CHECK(coll::group_split(world, 0, 1, world.size, &group) == UCCS_OK);
  CHECK(sum_of_ecs(group) == world.size * (world.size - 1) / 2);
  coll::group_release(group);
  for (Group& old : all) coll::group_release(old);
  group = split(world, 0, 1, world.size);
  exercise_and_release(ec, group, 1);
}

void groups_in_threads(Ec& ec) {
  constexpr int kThreads = 3;
  Group& world = *ec.world;
  const int n = world.size;
  std::vector<Group> parents;
  for (int t = 0; t < kThreads; ++t)
    parents.push_back(t % 2 == 0 ? split(world, 0, 1, n) : split(world, n - 1, -1, n));
  const auto work = [&](int t) {
    Group& parent = parents[static_cast<size_t>(t)];
    Dice dice(static_cast<uint64_t>(t) + 40);
    Delays delays(static_cast<uint64_t>(t) + 3, ec.me);
    for (int i = 0; i < 3 * ec.effort; ++i) {
      CHECK(sum_of_ecs(parent) == n * (n - 1) / 2);
      const int size = 1 + dice.below(n);
      Group child = split(parent, 0, 1, size);
      delays.maybe();
      if (child.rank >= 0) {
        (void)sum_of_ecs(child);
        coll::group_release(child);
      }
      const int color = parent.rank * parent.rank % 3;
      CHECK(coll::group_split_by_color(parent, color, 0, &child) == UCCS_OK);
      (void)sum_of_ecs(child);
      coll::group_release(child);
    }
  };
  std::vector<std::thread> threads;
  for (int t = 1; t < kThreads; ++t)
    threads.emplace_back([&, t] {
      ec.adopt_thread();
      work(t);
    });
  work(0);
  for (std::thread& thread : threads) thread.join();
  for (Group& parent : parents) coll::group_release(parent);
}

}  // namespace uccs::test
