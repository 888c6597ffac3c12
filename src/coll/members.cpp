// SPDX-License-Identifier: BSD-3-Clause
#include "coll/members.hpp"

#include <cstring>

#include "base/config.hpp"
#include "base/config_values.hpp"
#include "base/log.hpp"
#include "coll/patterns/dissemination.hpp"
#include "rte/identity.hpp"

namespace uccs::coll {
namespace {

/// Values of Scratch::setup.
constexpr uint64_t kSetupSpins = 1;
constexpr uint64_t kSetupYields = 2;

/// With one peer no shape saves a wake-up, so there is nothing to agree on.
constexpr int kSmallestAgreeing = 3;

/// ECs of a node have consecutive numbers, so the ends of the group stand for all.
void find_members(const Group& group, Own* own) {
  const int low = core::group_lowest_ec(group), high = core::group_highest_ec(group);
  auto* low_scratch = static_cast<std::byte*>(core::translate(group.scratch, low));
  auto* high_scratch = static_cast<std::byte*>(core::translate(group.scratch, high));
  const ptrdiff_t slot = high > low ? (high_scratch - low_scratch) / (high - low) : 0;
  if (group.table != nullptr) {
    own->origin = low_scratch - low * slot;
    own->stride = slot;
  } else {
    own->origin = low_scratch + (group.first - low) * slot;
    own->stride = group.stride * slot;
  }
}

/// Whether to spin is decided by each process for itself, but the shape of a barrier must be the
/// same everywhere: member 0's opinion holds.
void agree_on_shape(const Group& group, const Call& call, Scratch* mine) {
  if (group.size < kSmallestAgreeing) return;
  uint64_t choice = base::wait_policy().spins == 0 ? kSetupYields : kSetupSpins;
  if (group.rank == 0) {
    const Places places = {mine->own.stride, group.table};
    for (int i = 1; i < group.size; ++i) {
      auto* scratch = reinterpret_cast<Scratch*>(mine->own.origin + places.offset(i));
      scratch->setup.value.store(choice, std::memory_order_release);  // pairs with the wait below
    }
  } else {
    wait(call.kind, [&] {
      choice = mine->setup.value.load(std::memory_order_acquire);
      return choice != 0;
    });
  }
  mine->own.is_oversubscribed = choice == kSetupYields;
}

/// Barriers of a small group that is ready need to look nothing up.
void find_partners(const Group& group, Scratch* mine) {
  const int rounds = patterns::dissemination_rounds(group.size);
  if (mine->own.state != State::kReady || mine->own.is_oversubscribed || rounds > kQuickRounds)
    return;
  const Places places = {mine->own.stride, group.table};
  for (int round = 0; round < rounds; ++round) {
    const int to = patterns::dissemination_to(group.rank, group.size, round);
    auto* scratch = reinterpret_cast<Scratch*>(mine->own.origin + places.offset(to));
    mine->own.partners[round] = &scratch->barrier[round].value;
  }
  mine->own.quick_rounds = rounds;
}

/// All members say what they call; each compares with member 0.
void compare(const Group& group, const Call& call, Scratch* mine) {
  const Members members = {
      *mine,      mine->own,  mine->own.origin, {mine->own.stride, group.table},
      group.rank, group.size, group.first,      call.kind};
  std::memcpy(mine->published.payload, &call, sizeof call);
  arrive(members);
  Call expected;
  std::memcpy(&expected, members.of(0).published.payload, sizeof expected);
  require_same(group, call, expected);
  arrive(members);  // member 0's words stay until all have read them
}

}  // namespace

void require_same(const Group& group, const Call& mine, const Call& theirs) {
  if (mine.kind == theirs.kind && mine.bytes == theirs.bytes && mine.root == theirs.root) return;
  base::fatal(
      "collectives do not match: EC %d is in %s (%llu bytes, root or mode %lld), EC %d, the "
      "first of the group, in %s (%llu bytes, root or mode %lld); all members must make the same "
      "calls in the same order",
      core::group_ec(group, group.rank), kind_name(mine.kind),
      static_cast<unsigned long long>(mine.bytes), static_cast<long long>(mine.root),
      core::group_ec(group, 0), kind_name(theirs.kind),
      static_cast<unsigned long long>(theirs.bytes), static_cast<long long>(theirs.root));
}

const char* kind_name(Kind kind) {
  switch (kind) {
    case Kind::kBarrier:
      return "barrier";
    case Kind::kBroadcast:
      return "broadcast";
    case Kind::kAllgather:
      return "allgather";
    case Kind::kAllgatherv:
      return "allgatherv";
    case Kind::kAlltoall:
      return "alltoall";
    case Kind::kAllreduce:
      return "allreduce";
    case Kind::kScan:
      return "scan";
    case Kind::kGroupSplit:
      return "group split";
    case Kind::kGroupRelease:
      return "group release";
  }
  return "a collective";
}

void enter_slow(Group& group, Call call) {
  auto* mine = reinterpret_cast<Scratch*>(group.scratch);
  if (mine->own.state == State::kNew) {
    find_members(group, &mine->own);
    agree_on_shape(group, call, mine);
    mine->own.state = base::config().check ? State::kChecked : State::kReady;
    find_partners(group, mine);
  }
  if (mine->own.state == State::kChecked && group.size > 1) compare(group, call, mine);
}

LongWait::LongWait(Kind kind) { rte::set_activity(kind_name(kind)); }
LongWait::~LongWait() { rte::set_activity(nullptr); }

void LongWait::pause(base::Backoff& backoff) {
  // Whoever ended the job gave its status; this EC only gets out of the way.
  if (rte::job_is_ending()) rte::end_job(1, nullptr);
  if (core::progress_idle() > 0) backoff.reset();
  backoff.pause();
}

}  // namespace uccs::coll
