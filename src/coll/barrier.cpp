// SPDX-License-Identifier: BSD-3-Clause
#include "coll/coll.hpp"
#include "coll/far.hpp"
#include "coll/members.hpp"
#include "coll/patterns/dissemination.hpp"

namespace uccs::coll {
namespace {

/// One flag per round. Numbers only grow, so a flag needs no reset, and a fast member that is one
/// barrier ahead does no harm.
inline void disseminate(const Members& members) {
  const uint64_t number = ++members.own.barriers;
  for (int round = 0; 1 << round < members.size; ++round) {
    const int to = patterns::dissemination_to(members.rank, members.size, round);
    // Release: what this member stored, and what it saw in earlier rounds, is visible with the
    // flag. Pairs with the acquire below at the peer.
    members.of(to).barrier[round].value.store(number, std::memory_order_release);
    const std::atomic<uint64_t>* flag = &members.mine.barrier[round].value;
    wait(members.kind, [flag, number] { return flag->load(std::memory_order_acquire) >= number; });
  }
}

/// One counter at member 0. Nobody has to run between the last arrival and the others' departure,
/// so with more members than CPUs a barrier costs one turn of each process, not one per round.
/// The counter cannot run ahead: nobody arrives for the next barrier before all arrived for this.
inline void count(const Members& members) {
  const uint64_t goal = ++members.own.barriers * static_cast<uint64_t>(members.size);
  std::atomic<uint64_t>* arrived = &members.of(0).arrived.value;
  // The additions form one release sequence: whoever sees the goal sees what all stored.
  if (arrived->fetch_add(1, std::memory_order_acq_rel) + 1 == goal) return;
  wait(members.kind, [arrived, goal] { return arrived->load(std::memory_order_acquire) >= goal; });
}

inline void arrive_by_shape(const Members& members) {
  if (members.own.is_oversubscribed)
    count(members);
  else
    disseminate(members);
}

[[gnu::noinline]] void barrier_of_any_shape(Group& group) {
  if (is_far(group)) [[unlikely]]
    return far::barrier(group);
  const Members members = enter(group, {.kind = Kind::kBarrier});
  arrive_by_shape(members);
  conclude(members.own);
}

/// A quick barrier from the wait of `round` on.
[[gnu::noinline]] void wait_and_go_on(Scratch& mine, int round) {
  const uint64_t number = mine.own.barriers;
  for (;;) {
    const std::atomic<uint64_t>* flag = &mine.barrier[round].value;
    wait(Kind::kBarrier,
         [flag, number] { return flag->load(std::memory_order_acquire) >= number; });
    if (++round == mine.own.quick_rounds) break;
    mine.own.partners[round]->store(number, std::memory_order_release);
  }
  conclude(mine.own);
}

/// Looks, with a pause in between, that a partner who is about to arrive is given. Beyond these the
/// wait makes progress, yields, sleeps.
constexpr int kQuickLooks = 32;

}  // namespace

void arrive(const Members& members) { arrive_by_shape(members); }

void arrive_by_dissemination(const Members& members) { disseminate(members); }

/// What is in this function is on the way of every small barrier between two hand-overs of a cache
/// line, which take 35 to 190 ns: no frame, no call, no look-up.
void barrier(Group& group) {
  const int rounds = reinterpret_cast<const Own*>(group.scratch)->quick_rounds;  // also of a Far
  if (rounds == 0) [[unlikely]]
    return barrier_of_any_shape(group);
  Scratch& mine = *reinterpret_cast<Scratch*>(group.scratch);
  const uint64_t number = ++mine.own.barriers;
  for (int round = 0; round < rounds; ++round) {
    mine.own.partners[round]->store(number, std::memory_order_release);  // as in disseminate
    const std::atomic<uint64_t>& flag = mine.barrier[round].value;
    for (int looks = 0; flag.load(std::memory_order_acquire) < number; ++looks) {
      if (looks == kQuickLooks) [[unlikely]]
        return wait_and_go_on(mine, round);
      base::cpu_pause();
    }
  }
  conclude(mine.own);
}

}  // namespace uccs::coll
