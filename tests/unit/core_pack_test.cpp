// SPDX-License-Identifier: BSD-3-Clause
/// Packed messages: what each record does, and that bytes which are none do no harm.
#include <gtest/gtest.h>

#include <random>
#include <vector>

#include "core/pack_records.hpp"

namespace {

using namespace uccs::core;
using uccs::base::AtomicOp;
using uccs::base::AtomicType;
using uccs::net::Area;

struct Fixture {
  alignas(64) std::byte heap[256] = {};
  alignas(64) std::byte statics[64] = {};
  PackAreas areas = {heap, sizeof heap, statics, sizeof statics};
  std::vector<uint64_t> records;
  PackAnswers answers;

  uint64_t& word(size_t offset) { return *reinterpret_cast<uint64_t*>(heap + offset); }
  void add(Packed what, uint64_t offset, uint64_t detail, std::vector<uint64_t> rest = {},
           Area area = Area::kHeap) {
    records.push_back(record_word(what, wire_address(area, offset), detail));
    records.insert(records.end(), rest.begin(), rest.end());
  }
  bool apply() {
    return apply_records(areas, reinterpret_cast<const std::byte*>(records.data()),
                         records.size() * 8, &answers);
  }
  bool deliver() { return deliver_answers(answers.data, answers.bytes); }
};

constexpr uint64_t kLong = static_cast<uint64_t>(AtomicType::kUint64);

TEST(Pack, PutsAndUpdates) {
  Fixture f;
  f.add(Packed::kPut, 8, 8, {77});
  f.add(Packed::kPut, 16, 3, {0x11030201});
  f.add(Packed::kPut, 0, 4, {5}, Area::kStatic);
  f.add(Packed::kPutWords, 32, 3, {1, 2, 3});
  f.add(Packed::kIncrement, 8, kLong);
  f.add(Packed::kUpdate, 8, atomic_detail(AtomicOp::kXor, AtomicType::kUint64), {1});
  ASSERT_TRUE(f.apply());
  EXPECT_EQ(f.word(8), 79u);  // (77 + 1) ^ 1
  EXPECT_EQ(f.word(16), 0x030201u);
  EXPECT_EQ(f.statics[0], std::byte{5});
  EXPECT_TRUE(f.word(32) == 1 && f.word(40) == 2 && f.word(48) == 3 && f.word(56) == 0);
  EXPECT_EQ(f.answers.bytes, 0u);
}

TEST(Pack, ResultsComeToTheirPlaces) {
  Fixture f;
  f.word(0) = 40;
  uint64_t got = 0, fetched = 0;
  uint32_t half = 0;
  f.add(Packed::kGet, 0, 8, {local_word(&got, 8)});
  f.add(Packed::kFetch, 0, atomic_detail(AtomicOp::kAdd, AtomicType::kUint64),
        {2, local_word(&fetched, 8)});
  f.add(Packed::kCompareSwap, 0, atomic_detail(AtomicOp::kCompareSwap, AtomicType::kUint32),
        {7, 42, local_word(&half, 4)});
  ASSERT_TRUE(f.apply());
  ASSERT_TRUE(f.deliver());
  EXPECT_EQ(got, 40u);
  EXPECT_EQ(fetched, 40u);
  EXPECT_EQ(half, 42u);
  EXPECT_EQ(f.word(0), 7u);
}

TEST(Pack, NothingOutsideOfTheAreas) {
  const auto is_refused = [](Packed what, uint64_t offset, uint64_t detail,
                             std::vector<uint64_t> rest, Area area = Area::kHeap) {
    Fixture f;
    f.add(what, offset, detail, rest, area);
    return !f.apply();
  };
  uint64_t local = 0;
  EXPECT_TRUE(is_refused(Packed::kPut, 256, 8, {1}));
  EXPECT_TRUE(is_refused(Packed::kPut, 249, 8, {1}));
  EXPECT_TRUE(is_refused(Packed::kPut, 0, 9, {1}));  // shorter than it says
  EXPECT_TRUE(is_refused(Packed::kPut, 60, 8, {1}, Area::kStatic));
  EXPECT_TRUE(is_refused(Packed::kPutWords, 248, 2, {1, 2}));
  EXPECT_TRUE(is_refused(Packed::kPutWords, 0, 3, {1, 2}));
  EXPECT_TRUE(is_refused(Packed::kIncrement, 4, kLong, {}));  // not aligned
  EXPECT_TRUE(is_refused(Packed::kGet, 250, 8, {local_word(&local, 8)}));
  EXPECT_TRUE(is_refused(Packed::kGet, 0, 8, {local_word(&local, 16)}));  // lengths differ
  EXPECT_TRUE(is_refused(Packed::kUpdate, 0, 15, {1}));                   // no such operation
  EXPECT_TRUE(is_refused(Packed::kUpdate, 0, 15 << 4, {1}));              // no such type
  EXPECT_TRUE(is_refused(static_cast<Packed>(9), 0, 0, {}));
}

TEST(Pack, AnswersDoNotOverflow) {
  Fixture f;
  uint64_t local[32];
  for (int i = 0; i < 40; ++i) f.add(Packed::kGet, 0, 256, {local_word(local, 256)});
  EXPECT_FALSE(f.apply());
  EXPECT_LE(f.answers.bytes, kPackMax);
}

TEST(Pack, BatchesHaveNoAnswers) {
  Fixture f;
  uint64_t got = 0;
  f.add(Packed::kPut, 0, 8, {9});
  f.add(Packed::kGet, 0, 8, {local_word(&got, 8)});
  const auto* records = reinterpret_cast<const std::byte*>(f.records.data());
  EXPECT_TRUE(apply_records(f.areas, records, 16, nullptr));
  EXPECT_EQ(f.word(0), 9u);
  EXPECT_FALSE(apply_records(f.areas, records, f.records.size() * 8, nullptr));
}

TEST(Pack, WhichPutsCanBePacked) {
  EXPECT_TRUE(is_put_length(2047, 2048) && is_put_length(4096, 4096) && is_put_length(1, 16384));
  EXPECT_FALSE(is_put_length(2049, 4096) || is_put_length(4104, 4096) || is_put_length(65, 64));
  const auto at = wire_address(Area::kHeap, 64);
  EXPECT_EQ(put_word(at, 2048), record_word(Packed::kPut, at, 2048));
  EXPECT_EQ(put_word(at, 16384), record_word(Packed::kPutWords, at, 2048));
}

TEST(Pack, RandomBytesStayInside) {
  std::mt19937_64 random(1);
  for (int round = 0; round < 20000; ++round) {
    Fixture f;
    const size_t count = random() % 12;
    for (size_t i = 0; i < count; ++i) {
      // Mostly plausible, so that the checks behind the first are reached.
      uint64_t word = random();
      if (random() % 4 != 0) word &= ~uint64_t{0} << 47 | 0x1ff;
      if (random() % 4 != 0) word &= ~(uint64_t{8} << 48);
      f.records.push_back(word);
    }
    (void)f.apply();
    EXPECT_LE(f.answers.bytes, kPackMax);
  }
}

}  // namespace
