// SPDX-License-Identifier: BSD-3-Clause
/// Runs of transfers: all shapes against loops written out, and what messages are made of.
#include "core/walk.hpp"

#include <gtest/gtest.h>

#include <random>
#include <vector>

#include "core/wire.hpp"

namespace {

using namespace uccs::core;

struct Seen {
  ptrdiff_t local;
  uint64_t remote;
  size_t bytes;
  bool operator==(const Seen&) const = default;
};

std::vector<Seen> runs_of(Walk walk, const std::byte* base) {
  std::vector<Seen> all;
  for (Run run; walk.next(&run);) all.push_back({run.local - base, run.remote, run.bytes});
  return all;
}

TEST(Walk, Contiguous) {
  std::byte memory[100] = {};
  EXPECT_EQ(runs_of(Walk::contiguous(memory + 5, 70, 30), memory),
            (std::vector<Seen>{{5, 70, 30}}));
  EXPECT_TRUE(runs_of(Walk::contiguous(nullptr, 0, 0), memory).empty());
}

TEST(Walk, ListPassesOverNothing) {
  std::byte memory[100] = {};
  const uccs_piece_t pieces[] = {{nullptr, 0}, {memory + 50, 10}, {nullptr, 0},
                                 {memory, 3},  {memory + 99, 1},  {nullptr, 0}};
  EXPECT_EQ(runs_of(Walk::list(pieces, 6, 1000), memory),
            (std::vector<Seen>{{50, 1000, 10}, {0, 1010, 3}, {99, 1013, 1}}));
  EXPECT_TRUE(runs_of(Walk::list(pieces, 1, 0), memory).empty());
  EXPECT_TRUE(runs_of(Walk::list(nullptr, 0, 0), memory).empty());
}

/// The definition, by recursion.
void expand(const Section& section, size_t level, ptrdiff_t local, uint64_t remote,
            std::vector<Seen>* out) {
  if (level == 0) {
    if (section.counts[0] > 0) out->push_back({local, remote, section.counts[0]});
    return;
  }
  for (size_t i = 0; i < section.counts[level]; ++i)
    expand(section, level - 1, local + static_cast<ptrdiff_t>(i) * section.local_strides[level - 1],
           remote +
               static_cast<uint64_t>(static_cast<ptrdiff_t>(i) * section.remote_strides[level - 1]),
           out);
}

TEST(Walk, SectionsOfAnyShape) {
  std::mt19937 random(7);
  std::byte memory[1] = {};
  for (int round = 0; round < 500; ++round) {
    Section section = {};
    section.levels = random() % 5;
    section.counts[0] = random() % 9;
    for (size_t i = 0; i < section.levels; ++i) {
      section.counts[i + 1] = random() % 4;
      section.local_strides[i] = static_cast<ptrdiff_t>(random() % 200) - 100;
      section.remote_strides[i] = static_cast<ptrdiff_t>(random() % 200) - 100;
    }
    std::vector<Seen> expected;
    expand(section, section.levels, 0, 5000, &expected);
    EXPECT_EQ(runs_of(Walk::strided(memory, 5000, section), memory), expected) << round;
  }
}

TEST(Walk, DeepestSection) {
  Section section = {};
  section.levels = UCCS_STRIDED_LEVELS_MAX;
  for (size_t i = 0; i <= section.levels; ++i) section.counts[i] = 2;
  for (size_t i = 0; i < section.levels; ++i) {
    section.local_strides[i] = ptrdiff_t{2} << i;
    section.remote_strides[i] = -(ptrdiff_t{2} << i);
  }
  std::byte memory[1] = {};
  const auto runs = runs_of(Walk::strided(memory, 1000, section), memory);
  ASSERT_EQ(runs.size(), 128u);
  for (size_t i = 0; i < runs.size(); ++i)
    EXPECT_EQ(runs[i], (Seen{static_cast<ptrdiff_t>(2 * i), 1000 - 2 * i, 2}));
}

TEST(Wire, AddressesKeepAreaAndOffset) {
  using uccs::net::Area;
  for (const Area area : {Area::kHeap, Area::kStatic, Area::kRegistered})
    for (const uint64_t offset : {uint64_t{0}, uint64_t{1}, uint64_t{0x7fffffffffff}}) {
      const WireAddress at = wire_address(area, offset);
      EXPECT_EQ(wire_area(at), area);
      EXPECT_EQ(wire_offset(at), offset);
    }
}

TEST(Wire, EnvelopesKeepWhatTheyCarry) {
  using uccs::net::Envelope;
  using uccs::net::Traffic;
  for (const Traffic traffic : {Traffic::kReply, Traffic::kRequest, Traffic::kSend})
    for (const int lane : {0, 1, 63})
      for (const int id : {0, 1, 255}) {
        const Envelope sent(traffic, lane, 63 - lane, 31, id);
        EXPECT_EQ(sent.traffic(), traffic);
        EXPECT_EQ(sent.lane(), lane);
        EXPECT_EQ(sent.source_lane(), 63 - lane);
        EXPECT_EQ(sent.kind(), 31);
        EXPECT_EQ(sent.id(), id);
        const Envelope got = Envelope::arrived(sent.carried(), traffic, lane);
        EXPECT_EQ(got.id(), id);
        EXPECT_EQ(got.kind(), 31);
        EXPECT_EQ(got.source_lane(), 63 - lane);
        EXPECT_EQ(got.lane(), lane);
        EXPECT_EQ(got.traffic(), traffic);
      }
}

}  // namespace
