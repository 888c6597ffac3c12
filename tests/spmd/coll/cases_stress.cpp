// SPDX-License-Identifier: BSD-3-Clause
/// Thousands of calls without anything between them, by members that are not in step.
#include <sched.h>
#include <unistd.h>

#include "base/backoff.hpp"
#include "buffers.hpp"

namespace uccs::test {

void Delays::maybe() {
  state_ = state_ * 6364136223846793005u + 1442695040888963407u;
  const uint64_t die = state_ >> 56;
  if (die < 3) {
    usleep(static_cast<useconds_t>(state_ >> 40 & 127));
  } else if (die < 20) {
    sched_yield();
  } else if (die < 60) {
    for (uint64_t i = 0; i < (state_ >> 40 & 255); ++i) base::cpu_pause();
  }
}

namespace {

void add(void* acc, const void* in, size_t count) {
  auto* a = static_cast<int64_t*>(acc);
  const auto* b = static_cast<const int64_t*>(in);
  for (size_t i = 0; i < count; ++i) a[i] += b[i];
}

constexpr int kMembersMax = 64;
constexpr size_t kWordsMax = 1100;

int64_t word(int call, int rank, size_t i) {
  return call * 1000003LL + rank * 10007LL + static_cast<int64_t>(i);
}

/// One call on private buffers, which need no readiness: nothing but the collectives' own protocol
/// keeps the members apart.
void one_call(core::Group& group, int call, Dice& dice) {
  static thread_local int64_t source[kWordsMax * kMembersMax], dest[kWordsMax * kMembersMax];
  constexpr size_t kWordCounts[] = {1, 1, 1, 2, 7, 8, 40, 100, 600, kWordsMax};
  const int n = group.size, me = group.rank;
  const size_t words = kWordCounts[dice.below(10)];
  const size_t bytes = words * sizeof(int64_t);
  const int kind = dice.below(8);
  const int root = dice.below(n);
  const size_t blocks = kind == 5 ? static_cast<size_t>(n) : 1;
  for (size_t i = 0; i < words * blocks; ++i) source[i] = word(call, me, i);
  switch (kind) {
    case 0:
      coll::barrier(group);
      break;
    case 1:
    case 2:
      coll::broadcast(group, dest, source, bytes, root, true);
      for (size_t i = 0; i < words; ++i) CHECK(dest[i] == word(call, root, i));
      break;
    case 3:
      coll::allgather(group, dest, source, bytes);
      for (int r = 0; r < n; ++r)
        for (size_t i = 0; i < words; ++i)
          CHECK(dest[static_cast<size_t>(r) * words + i] == word(call, r, i));
      break;
    case 4: {
      size_t total = 0;
      coll::allgatherv(group, dest, source, me % 2 == 0 ? bytes : sizeof(int64_t), &total);
      size_t at = 0;
      for (int r = 0; r < n; ++r)
        for (size_t i = 0; i < (r % 2 == 0 ? words : 1); ++i) CHECK(dest[at++] == word(call, r, i));
      CHECK(total == at * sizeof(int64_t));
      break;
    }
    case 5:
      coll::alltoall(group, dest, source, bytes);
      for (int r = 0; r < n; ++r)
        for (size_t i = 0; i < words; ++i)
          CHECK(dest[static_cast<size_t>(r) * words + i] ==
                word(call, r, static_cast<size_t>(me) * words + i));
      break;
    default:
      if (kind == 6)
        coll::allreduce(group, dest, source, sizeof(int64_t), words, add);
      else
        coll::scan(group, dest, source, sizeof(int64_t), words, add, true);
      for (size_t i = 0; i < words; ++i) {
        int64_t sum = 0;
        for (int r = 0; r < (kind == 6 ? n : me + 1); ++r) sum += word(call, r, i);
        CHECK(dest[i] == sum);
      }
  }
}

}  // namespace

void back_to_back(Ec& ec) {
  if (ec.size > kMembersMax) return;
  const int calls = 60 * ec.effort;
  for (const bool with_delays : {false, true}) {
    Dice dice(4711);
    Delays delays(99, ec.me);
    for (int call = 0; call < calls; ++call) {
      one_call(*ec.world, call, dice);
      if (with_delays) delays.maybe();
    }
  }
  // Streams of one kind, where a fast member could lap the others.
  Delays delays(7, ec.me);
  for (int root = 0; root < ec.size && root < 4; ++root)
    for (int call = 0; call < calls; ++call) {
      int64_t data = call * 5;
      const int sender = call % 100 < 90 ? root : call % ec.size;
      int64_t got = -1;
      coll::broadcast(*ec.world, &got, &data, sizeof data, sender, true);
      CHECK(got == data);
      if (call % 16 == 0) delays.maybe();
    }
}

}  // namespace uccs::test
