// SPDX-License-Identifier: BSD-3-Clause
/// What comes from outside: packets and the hand-over. Every decoder meets rubbish.
#include "rte/packet.hpp"

#include <gtest/gtest.h>

#include <random>
#include <string>
#include <vector>

#include "rte/local/wire.hpp"

namespace uccs::rte {
namespace {

Packet make(PacketKind kind, int ec, int tag, const std::string& key, const std::string& data) {
  Packet packet;
  packet.header.kind = kind;
  packet.header.id = 42;
  packet.header.ec = ec;
  packet.header.tag = tag;
  packet.header.key_bytes = static_cast<uint32_t>(key.size());
  packet.header.data_bytes = static_cast<uint32_t>(data.size());
  packet.key = key.data();
  packet.data = data.data();
  return packet;
}

bool survives(PacketKind kind, int ec, int tag, const std::string& key, const std::string& data) {
  std::vector<char> buffer(sizeof(PacketHeader) + key.size() + data.size());
  const size_t bytes = encode_packet(make(kind, ec, tag, key, data), buffer.data());
  Packet decoded;
  return bytes == buffer.size() && decode_packet(buffer.data(), bytes, 4, &decoded) &&
         decoded.header.id == 42 && decoded.header.kind == kind && decoded.header.ec == ec &&
         std::string(decoded.key, decoded.header.key_bytes) == key &&
         std::string(decoded.data, decoded.header.data_bytes) == data;
}

TEST(Packet, WellFormed) {
  EXPECT_TRUE(survives(PacketKind::kPut, 0, 0, "key", "data"));
  EXPECT_TRUE(survives(PacketKind::kPut, 0, 0, std::string(kKeyMax, 'k'), ""));
  EXPECT_TRUE(survives(PacketKind::kPut, 0, 0, "k", std::string(kDataMax, 'd')));
  EXPECT_TRUE(survives(PacketKind::kGet, 3, 0, "key", ""));
  EXPECT_TRUE(survives(PacketKind::kFence, 0, 0, "", ""));
  EXPECT_TRUE(survives(PacketKind::kSend, 3, 0, "", ""));
  EXPECT_TRUE(survives(PacketKind::kReceive, kAnyEc, kAnyTag, "", ""));
  EXPECT_TRUE(survives(PacketKind::kCancel, 0, 0, "", ""));
  EXPECT_TRUE(survives(PacketKind::kEnd, 0, 0, std::string(kMessageMax, 'm'), ""));
  EXPECT_TRUE(survives(PacketKind::kReply, 0, 0, "", "data"));
}

TEST(Packet, Malformed) {
  EXPECT_FALSE(survives(PacketKind::kPut, 0, 0, "", "data"));
  EXPECT_FALSE(survives(PacketKind::kPut, 0, 0, std::string(kKeyMax + 1, 'k'), ""));
  EXPECT_FALSE(survives(PacketKind::kPut, 0, 0, "k", std::string(kDataMax + 1, 'd')));
  EXPECT_FALSE(survives(PacketKind::kGet, 4, 0, "key", ""));
  EXPECT_FALSE(survives(PacketKind::kGet, -1, 0, "key", ""));
  EXPECT_FALSE(survives(PacketKind::kGet, 0, 0, "key", "data"));
  EXPECT_FALSE(survives(PacketKind::kFence, 0, 0, "key", ""));
  EXPECT_FALSE(survives(PacketKind::kSend, 4, 0, "", ""));
  EXPECT_FALSE(survives(PacketKind::kSend, kAnyEc, 0, "", ""));
  EXPECT_FALSE(survives(PacketKind::kSend, 0, -1, "", ""));
  EXPECT_FALSE(survives(PacketKind::kReceive, -2, 0, "", ""));
  EXPECT_FALSE(survives(PacketKind::kReceive, 0, -2, "", ""));
  EXPECT_FALSE(survives(PacketKind::kReceive, 0, 0, "", "data"));
  EXPECT_FALSE(survives(PacketKind::kEnd, 0, 0, std::string(kMessageMax + 1, 'm'), ""));
  EXPECT_FALSE(survives(static_cast<PacketKind>(0), 0, 0, "", ""));
  EXPECT_FALSE(survives(static_cast<PacketKind>(9), 0, 0, "", ""));
}

TEST(Packet, EveryOtherLengthIsRefused) {
  char buffer[64];
  const size_t bytes = encode_packet(make(PacketKind::kPut, 0, 0, "key", "data"), buffer);
  Packet decoded;
  for (size_t length = 0; length < sizeof buffer; ++length)
    EXPECT_EQ(decode_packet(buffer, length, 4, &decoded), length == bytes) << length;
}

TEST(Packet, RandomBytesNeverLeadOutOfTheBuffer) {
  std::mt19937 random(1);
  for (int round = 0; round < 200000; ++round) {
    std::vector<char> buffer(random() % 80);
    for (char& byte : buffer) byte = static_cast<char>(random() % 5);
    Packet decoded;
    if (!decode_packet(buffer.data(), buffer.size(), 4, &decoded)) continue;
    EXPECT_EQ(decoded.data + decoded.header.data_bytes, buffer.data() + buffer.size());
  }
}

TEST(HandOver, SurvivesTheEnvironment) {
  local::HandOver sent;
  sent.ec = 4095;
  sent.num_ecs = 4096;
  sent.segment_fd = 2147483647;
  sent.board_fd = 0;
  sent.control_fd = 12;
  sent.lifeline_fd = 2147483647;
  sent.job_id = 0xfedcba9876543210;
  char text[local::kHandOverMax];
  ASSERT_LT(local::print_hand_over(sent, text), static_cast<int>(sizeof text));
  local::HandOver read;
  ASSERT_TRUE(local::parse_hand_over(text, &read));
  char again[local::kHandOverMax];
  local::print_hand_over(read, again);
  EXPECT_STREQ(again, text);
  EXPECT_EQ(read.job_id, sent.job_id);
}

TEST(HandOver, RefusesAllElse) {
  local::HandOver read;
  EXPECT_TRUE(local::parse_hand_over("2:0:2:3:4:5:6:0123456789abcdef", &read));
  for (const char* text : {"",
                           "2",
                           "2:0:2:3:4:5:6",
                           "2:0:2:3:4:5:6:",
                           "2:0:2:3:4:5:6:0123456789abcde",
                           "2:0:2:3:4:5:6:0123456789abcdef0",
                           "2:0:2:3:4:5:6:0123456789ABCDEF",
                           "2:0:2:3:4:5:6:0123456789abcdef ",
                           " 2:0:2:3:4:5:6:0123456789abcdef",
                           "1:0:2:3:4:5:6:0123456789abcdef",
                           "2:2:2:3:4:5:6:0123456789abcdef",
                           "2:-1:2:3:4:5:6:0123456789abcdef",
                           "2:+0:2:3:4:5:6:0123456789abcdef",
                           "2:00:2:3:4:5:6:0123456789abcdef",
                           "2:0:0:3:4:5:6:0123456789abcdef",
                           "2:0:4097:3:4:5:6:0123456789abcdef",
                           "2:0:2:3:4:5:2147483648:0123456789abcdef",
                           "2:0:2:3:4:5:99999999999999999999:0123456789abcdef",
                           "2:0:2:3:x:5:6:0123456789abcdef",
                           "2::2:3:4:5:6:0123456789abcdef",
                           "2:0:2:3:4:5:6:7:0123456789abcdef"})
    EXPECT_FALSE(local::parse_hand_over(text, &read)) << text;
}

}  // namespace
}  // namespace uccs::rte
