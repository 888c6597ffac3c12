// SPDX-License-Identifier: BSD-3-Clause
/// Puts, gets and atomics on the areas of a peer.
#include <algorithm>
#include <atomic>
#include <cstring>

#include "../spmd/rounds.h"
#include "fixture.hpp"

namespace conformance {
namespace {

void fill(std::byte* at, size_t bytes, int seed) {
  for (size_t i = 0; i < bytes; ++i) at[i] = static_cast<std::byte>(seed * 37 + i * 11 + (i >> 8));
}
bool holds(const std::byte* at, size_t bytes, int seed) {
  for (size_t i = 0; i < bytes; ++i)
    if (at[i] != static_cast<std::byte>(seed * 37 + i * 11 + (i >> 8))) return false;
  return true;
}

const size_t kSizes[] = {0, 1, 3, 8, 63, 64, 65, 1000, 4096, 8193, 100000};

/// To the heap or the globals of the next EC and back, at even and odd offsets.
void put_get(Fixture& fixture) {
  if (!fixture.can.has_put_get) {
    std::printf("SKIP put_get: %s moves no memory\n", fixture.name.c_str());
    return;
  }
  std::vector<std::byte> out(kHeapBytes), back(kHeapBytes);
  for (const bool is_heap : {true, false})
    for (const size_t bytes : kSizes)
      for (const uint64_t shift : {0, 3}) {
        if (!is_heap && bytes + shift > kStaticBytes) continue;
        const Remote there = is_heap ? fixture.in_heap(shift) : fixture.in_statics(shift);
        const std::byte* mine = (is_heap ? fixture.heap : fixture.statics) + shift;
        fill(out.data(), bytes, fixture.me);
        CHECK(complete(fixture, [&](Completion* done) {
                return fixture.table->put(fixture.channels[0], fixture.next(), there, out.data(),
                                          bytes, done);
              }) == UCCS_OK);
        fixture.barrier();
        CHECK(holds(mine, bytes, fixture.previous()));
        CHECK(complete(fixture, [&](Completion* done) {
                return fixture.table->get(fixture.channels[0], fixture.next(), there, back.data(),
                                          bytes, done);
              }) == UCCS_OK);
        CHECK(holds(back.data(), bytes, fixture.me));
        fixture.barrier();
      }
}

/// Looks alone bring an answer, and end with a flag that is set.
void awaited(Fixture& fixture) {
  if (fixture.can.is_same_node || !fixture.can.has_put_get) {
    std::printf("SKIP awaited: nothing comes to %s later\n", fixture.name.c_str());
    return;
  }
  Channel* const channel = fixture.channels[0];
  std::byte back[8] = {};
  fill(fixture.heap, sizeof back, fixture.me);
  fixture.barrier();
  for (int round = 0; round < rounds(100); ++round) {
    std::memset(back, 0, sizeof back);
    CHECK(complete(
              fixture,
              [&](Completion* done) {
                return fixture.table->get(channel, fixture.next(), fixture.in_heap(0), back,
                                          sizeof back, done);
              },
              [&] { fixture.table->await(channel, {}, 8); }) == UCCS_OK);
    CHECK(holds(back, sizeof back, fixture.next()));
  }
  const std::atomic<uint64_t> word = 5;
  CHECK(fixture.table->await(channel, {&word, 4}, 8));
  CHECK(fixture.table->await(channel, {&word, 5}, 8));
  fixture.barrier();
}

/// Private memory of a peer, where the transport and the system let us.
void registered(Fixture& fixture) {
  constexpr size_t kBytes = 100000;
  std::vector<std::byte> memory(kBytes), out(kBytes), back(kBytes);
  struct Place {
    uint64_t address, key;
  } mine = {reinterpret_cast<uint64_t>(memory.data()), 0};
  CHECK(fixture.table->register_memory(fixture.instance, memory.data(), kBytes, &mine.key) ==
        UCCS_OK);
  const auto all = fixture.gather(&mine, sizeof mine);
  Place theirs;
  std::memcpy(&theirs, all.data() + sizeof theirs * static_cast<size_t>(fixture.next()),
              sizeof theirs);
  const Remote there = {Area::kRegistered, theirs.address + 5, theirs.key};
  fill(out.data(), kBytes, fixture.me);
  const uccs_status_t status = complete(fixture, [&](Completion* done) {
    return fixture.table->put(fixture.channels[0], fixture.next(), there, out.data(), kBytes - 5,
                              done);
  });
  CHECK(status == UCCS_OK || status == UCCS_ERR_UNSUPPORTED);
  fixture.barrier();
  if (status == UCCS_OK) {
    CHECK(holds(memory.data() + 5, kBytes - 5, fixture.previous()));
    CHECK(complete(fixture, [&](Completion* done) {
            return fixture.table->get(fixture.channels[0], fixture.next(), there, back.data(),
                                      kBytes - 5, done);
          }) == UCCS_OK);
    CHECK(holds(back.data(), kBytes - 5, fixture.me));
  } else {
    std::printf("SKIP registered: %s does not reach private memory here\n", fixture.name.c_str());
  }
  fixture.barrier();
  fixture.table->release_memory(fixture.instance, mine.key);
}

/// All ECs count on one word, in both areas and all types' sizes.
void atomics(Fixture& fixture) {
  if (!fixture.can.has_atomics) {
    std::printf("SKIP atomics: %s has none\n", fixture.name.c_str());
    return;
  }
  const auto kEach =
      2 * static_cast<uint64_t>(rounds(150));  // even, for the bits that change twice
  std::memset(fixture.heap, 0, 64);
  std::memset(fixture.statics, 0, 64);
  fixture.barrier();
  const auto apply = [&](const Remote& there, base::AtomicOp op, base::AtomicType type,
                         uint64_t operand, uint64_t expected) {
    uint64_t old = ~uint64_t{0};
    const AtomicArguments arguments = {op, type, operand, expected};
    CHECK(complete(fixture, [&](Completion* done) {
            return fixture.table->atomic(fixture.channels[0], 0, there, arguments, &old, done);
          }) == UCCS_OK);
    return old;
  };
  using base::AtomicOp;
  using base::AtomicType;
  for (uint64_t i = 0; i < kEach; ++i) {
    for (const Remote& there : {fixture.in_heap(0), fixture.in_statics(0)})
      CHECK(apply(there, AtomicOp::kAdd, AtomicType::kUint64, 3, 0) % 3 == 0);
    for (const Remote& there : {fixture.in_heap(8), fixture.in_statics(8)})
      CHECK(apply(there, AtomicOp::kAdd, AtomicType::kInt32, 1, 0) < 1u << 31);
    uint64_t seen = 0, expected;
    do {
      expected = seen;
      seen = apply(fixture.in_heap(16), AtomicOp::kCompareSwap, AtomicType::kInt64, expected + 1,
                   expected);
    } while (seen != expected);
    apply(fixture.in_heap(24), AtomicOp::kXor, AtomicType::kUint64, uint64_t{1} << fixture.me, 0);
  }
  fixture.barrier();
  const uint64_t total = kEach * static_cast<uint64_t>(fixture.size);
  CHECK(apply(fixture.in_heap(0), AtomicOp::kFetch, AtomicType::kUint64, 0, 0) == 3 * total);
  CHECK(apply(fixture.in_statics(0), AtomicOp::kFetch, AtomicType::kUint64, 0, 0) == 3 * total);
  CHECK(apply(fixture.in_heap(8), AtomicOp::kFetch, AtomicType::kInt32, 0, 0) == total);
  CHECK(apply(fixture.in_heap(16), AtomicOp::kFetch, AtomicType::kInt64, 0, 0) == total);
  CHECK(apply(fixture.in_heap(24), AtomicOp::kFetch, AtomicType::kUint64, 0, 0) == 0);
  fixture.barrier();
}

/// What was put before a flush that answers UCCS_OK is there, whoever was told: words, and longer
/// pieces; flushed for their target, and for all. Without completions: by a flush of any channel.
void flush_puts(Fixture& fixture, bool has_completion) {
  constexpr uint64_t kEach = 200;
  struct Count : Completion {
    int done_calls = 0;
  } completion;
  completion.done = [](Completion* self, uccs_status_t) {
    ++static_cast<Count*>(self)->done_calls;
  };
  int under_way = 0;
  Channel* flushed = has_completion ? fixture.channels.front() : fixture.channels.back();
  for (const size_t bytes : {8, 40}) {
    std::memset(fixture.heap, 0, kHeapBytes);
    fixture.barrier();
    // Everybody has a row for each sender: the next EC alone, then all.
    for (int distance = 1; distance < std::max(2, fixture.size); ++distance) {
      const int ec = (fixture.me + distance) % fixture.size;
      const uint64_t row = static_cast<uint64_t>(fixture.me) * kEach * bytes;
      const uint64_t count = distance == 1 ? kEach : 5;
      for (uint64_t i = 0; i < count; ++i) {
        const uint64_t piece[5] = {i + 1, i, i, i, i};
        uccs_status_t status;
        while ((status = fixture.table->put(fixture.channels[0], ec,
                                            fixture.in_heap(row + i * bytes), piece, bytes,
                                            has_completion ? &completion : nullptr)) == UCCS_AGAIN)
          fixture.nudge();
        if (status == UCCS_IN_PROGRESS) ++under_way;
        CHECK(status == UCCS_OK || (has_completion && status == UCCS_IN_PROGRESS));
      }
      if (distance > 1) continue;
      Flush one, all;
      while (fixture.table->flush(flushed, ec, &one) == UCCS_IN_PROGRESS) fixture.nudge();
      CHECK(completion.done_calls == under_way);
      CHECK(fixture.table->flush(flushed, -1, &all) == UCCS_OK);
    }
    Flush flush;
    while (fixture.table->flush(flushed, -1, &flush) == UCCS_IN_PROGRESS) fixture.nudge();
    CHECK(completion.done_calls == under_way);
    fixture.barrier();
    for (int distance = 1; distance < std::max(2, fixture.size); ++distance) {
      const int ec = (fixture.me + fixture.size - distance % fixture.size) % fixture.size;
      for (uint64_t i = 0; i < (distance == 1 ? kEach : 5); ++i) {
        uint64_t value[5] = {};
        std::memcpy(value, fixture.heap + (static_cast<uint64_t>(ec) * kEach + i) * bytes, bytes);
        CHECK(value[0] == i + 1 && (bytes == 8 || value[4] == i));
      }
    }
    fixture.barrier();
  }
}

void flush(Fixture& fixture) {
  if (!fixture.can.has_put_get) return;
  flush_puts(fixture, true);
  if (fixture.can.has_flushed_puts) flush_puts(fixture, false);
}

/// What apply_batch has seen, and what a batch holds: its number, then bytes that follow from it.
std::atomic<uint64_t> batches_seen = 0, numbers_seen = 0, bytes_wrong = 0;
std::byte byte_of(uint64_t number, int ec, size_t i) {
  return static_cast<std::byte>(number * 31 + static_cast<uint64_t>(ec) + i);
}

/// Batches of all lengths, many under way: each is applied once and whole before it is complete,
/// and its buffer, the same or another, is free when the call returns.
void batches(Fixture& fixture) {
  const size_t most = fixture.can.batch_bytes;
  if (most == 0) {
    std::printf("SKIP batches: %s has none\n", fixture.name.c_str());
    return;
  }
  const auto kEach = static_cast<uint64_t>(rounds(400));
  batches_seen = numbers_seen = 0;
  fixture.barrier();
  struct Count : Completion {
    std::atomic<uint64_t> ended = 0;
  } count;
  count.done = [](Completion* self, uccs_status_t status) {
    if (status == UCCS_OK) static_cast<Count*>(self)->ended.fetch_add(1);
  };
  auto* batch = new std::byte[most];
  uint64_t at_once = 0;
  for (uint64_t number = 0; number < kEach; ++number) {
    const size_t bytes = number % 5 == 0 ? most : sizeof number + number * 7919 % (most - 8);
    std::memcpy(batch, &number, sizeof number);
    for (size_t i = sizeof number; i < bytes; ++i) batch[i] = byte_of(number, fixture.me, i);
    uccs_status_t status;
    while ((status = fixture.table->batch(fixture.channels[0], fixture.next(), &batch, bytes,
                                          &count)) == UCCS_AGAIN)
      fixture.nudge();
    CHECK(status == UCCS_OK || status == UCCS_IN_PROGRESS);
    at_once += status == UCCS_OK ? 1 : 0;
    std::memset(batch, 0xee, most);
  }
  while (count.ended + at_once < kEach) fixture.nudge();
  delete[] batch;
  fixture.barrier();
  CHECK(batches_seen == kEach && numbers_seen == kEach * (kEach - 1) / 2 && bytes_wrong == 0);
  fixture.barrier();
}

}  // namespace

void apply_batch(void*, int ec, const std::byte* batch, size_t bytes) {
  uint64_t number;
  std::memcpy(&number, batch, sizeof number);
  for (size_t i = sizeof number; i < bytes; ++i)
    if (batch[i] != byte_of(number, ec, i)) ++bytes_wrong;
  numbers_seen += number;
  ++batches_seen;
}

const Case memory_cases[] = {{"put_get", put_get}, {"awaited", awaited}, {"registered", registered},
                             {"atomics", atomics}, {"flush", flush},     {"batches", batches},
                             {nullptr, nullptr}};

}  // namespace conformance
