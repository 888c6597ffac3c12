// SPDX-License-Identifier: BSD-3-Clause
#include "rte/exchange.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace uccs::rte {
namespace {

struct Answer {
  int ec;
  uint64_t id;
  int status;
  int source;
  int tag;
  std::string data;
};

class ExchangeTest : public testing::Test {
 protected:
  static void take(void* user, int ec, const Packet& reply) {
    const PacketHeader& header = reply.header;
    const std::string data =
        header.data_bytes != 0 ? std::string(reply.data, header.data_bytes) : "";
    static_cast<ExchangeTest*>(user)->answers_.push_back(
        {ec, header.id, header.status, header.ec, header.tag, data});
  }

  void ask(int ec, uint64_t id, PacketKind kind, int peer = 0, int tag = 0,
           const std::string& key = "", const std::string& data = "") {
    Packet packet;
    packet.header.kind = kind;
    packet.header.id = id;
    packet.header.ec = peer;
    packet.header.tag = tag;
    packet.header.key_bytes = static_cast<uint32_t>(key.size());
    packet.header.data_bytes = static_cast<uint32_t>(data.size());
    packet.key = key.data();
    packet.data = data.data();
    exchange_.handle(ec, packet);
  }

  /// What was answered since the last call, as "ec/id:status" or "ec/id:data".
  std::string answered() {
    std::string text;
    for (const Answer& answer : answers_) {
      text += text.empty() ? "" : " ";
      text += std::to_string(answer.ec) + "/" + std::to_string(answer.id) + ":" +
              (answer.data.empty() ? std::to_string(answer.status) : answer.data);
    }
    last_ = answers_;
    answers_.clear();
    return text;
  }

  Exchange exchange_{3, take, this};
  std::vector<Answer> answers_;
  std::vector<Answer> last_;
};

TEST_F(ExchangeTest, PutThenGet) {
  ask(0, 1, PacketKind::kPut, 0, 0, "k", "old");
  ask(0, 2, PacketKind::kPut, 0, 0, "k", "new");
  ask(1, 3, PacketKind::kGet, 0, 0, "k");
  ask(0, 4, PacketKind::kGet, 0, 0, "k");
  EXPECT_EQ(answered(), "0/1:0 0/2:0 1/3:new 0/4:new");
}

TEST_F(ExchangeTest, KeysBelongToTheirEc) {
  ask(0, 1, PacketKind::kPut, 0, 0, "k", "zero");
  ask(1, 2, PacketKind::kGet, 1, 0, "k");
  EXPECT_EQ(answered(), "0/1:0");
  ask(1, 3, PacketKind::kPut, 0, 0, "k", "one");
  EXPECT_EQ(answered(), "1/2:one 1/3:0");
}

TEST_F(ExchangeTest, GetsWaitForTheirKey) {
  ask(1, 1, PacketKind::kGet, 0, 0, "k");
  ask(2, 2, PacketKind::kGet, 0, 0, "k");
  ask(0, 3, PacketKind::kPut, 0, 0, "other", "x");
  EXPECT_EQ(answered(), "0/3:0");
  ask(0, 4, PacketKind::kPut, 0, 0, "k", "v");
  EXPECT_EQ(answered(), "1/1:v 2/2:v 0/4:0");
  ask(0, 5, PacketKind::kPut, 0, 0, "k", "w");  // each is answered once
  EXPECT_EQ(answered(), "0/5:0");
}

TEST_F(ExchangeTest, CancelledGet) {
  ask(1, 1, PacketKind::kGet, 0, 0, "k");
  ask(2, 1, PacketKind::kGet, 0, 0, "k");  // ids are per EC
  ask(1, 1, PacketKind::kCancel);
  EXPECT_EQ(answered(), "1/1:-17");
  ask(1, 1, PacketKind::kCancel);  // too late: nothing
  ask(0, 2, PacketKind::kPut, 0, 0, "k", "v");
  EXPECT_EQ(answered(), "2/1:v 0/2:0");
}

TEST_F(ExchangeTest, StoreIsBounded) {
  const std::string big(kDataMax, 'x');
  int refused = 0;
  for (int i = 0; i < 1200; ++i) {
    ask(0, 1, PacketKind::kPut, 0, 0, std::to_string(i), big);
    refused += answers_.back().status == UCCS_ERR_NO_MEMORY;
  }
  EXPECT_GT(refused, 0);
  answers_.clear();
  ask(0, 2, PacketKind::kPut, 0, 0, "0", "small");  // replacing frees
  ask(1, 3, PacketKind::kPut, 0, 0, "k", big);      // others have their own room
  EXPECT_EQ(answered(), "0/2:0 1/3:0");
}

TEST_F(ExchangeTest, Fence) {
  ask(0, 1, PacketKind::kFence);
  ask(1, 2, PacketKind::kFence);
  ask(1, 3, PacketKind::kFence);  // already the next one
  EXPECT_EQ(answered(), "");
  ask(2, 4, PacketKind::kFence);
  EXPECT_EQ(answered(), "0/1:0 1/2:0 2/4:0");
  ask(0, 5, PacketKind::kFence);
  ask(2, 6, PacketKind::kFence);
  EXPECT_EQ(answered(), "0/5:0 1/3:0 2/6:0");
}

TEST_F(ExchangeTest, CancelledFence) {
  ask(0, 1, PacketKind::kFence);
  ask(1, 2, PacketKind::kFence);
  ask(1, 3, PacketKind::kFence);
  ask(0, 1, PacketKind::kCancel);
  ask(1, 2, PacketKind::kCancel);
  EXPECT_EQ(answered(), "0/1:-17 1/2:-17");
  ask(2, 4, PacketKind::kFence);
  EXPECT_EQ(answered(), "");
  ask(0, 5, PacketKind::kFence);
  EXPECT_EQ(answered(), "0/5:0 1/3:0 2/4:0");
}

TEST_F(ExchangeTest, FenceFailsWithoutEveryEc) {
  ask(0, 1, PacketKind::kFence);
  exchange_.remove(2);
  EXPECT_EQ(answered(), "0/1:-32");
  ask(1, 2, PacketKind::kFence);
  EXPECT_EQ(answered(), "1/2:-32");
}

TEST_F(ExchangeTest, MessagesMatchInOrder) {
  ask(0, 1, PacketKind::kSend, 2, 7, "", "first");
  ask(0, 2, PacketKind::kSend, 2, 7, "", "second");
  ask(1, 3, PacketKind::kSend, 2, 8, "", "other tag");
  EXPECT_EQ(answered(), "0/1:0 0/2:0 1/3:0");
  ask(2, 4, PacketKind::kReceive, kAnyEc, 8);
  EXPECT_EQ(answered(), "2/4:other tag");
  EXPECT_EQ(last_[0].source, 1);
  EXPECT_EQ(last_[0].tag, 8);
  ask(2, 5, PacketKind::kReceive, 0, kAnyTag);
  ask(2, 6, PacketKind::kReceive, 0, 7);
  ask(2, 7, PacketKind::kReceive, 0, 7);
  EXPECT_EQ(answered(), "2/5:first 2/6:second");
  ask(1, 8, PacketKind::kSend, 2, 7, "", "not from 0");
  EXPECT_EQ(answered(), "1/8:0");
  ask(0, 9, PacketKind::kSend, 2, 7, "", "third");
  EXPECT_EQ(answered(), "2/7:third 0/9:0");
}

TEST_F(ExchangeTest, ReceivesMatchInOrder) {
  ask(2, 1, PacketKind::kReceive, kAnyEc, kAnyTag);
  ask(2, 2, PacketKind::kReceive, 1, 5);
  ask(1, 3, PacketKind::kSend, 2, 5, "", "a");
  ask(1, 4, PacketKind::kSend, 2, 5, "", "b");
  EXPECT_EQ(answered(), "2/1:a 1/3:0 2/2:b 1/4:0");
}

TEST_F(ExchangeTest, MailboxesAreBounded) {
  const std::string big(kDataMax, 'x');
  int accepted = 0;
  while (accepted < 10000) {
    ask(0, 1, PacketKind::kSend, 1, 0, "", big);
    if (answers_.back().status == UCCS_AGAIN) break;
    ++accepted;
  }
  EXPECT_GE(accepted, 16);
  EXPECT_LT(accepted, 200);
  answers_.clear();
  ask(0, 2, PacketKind::kSend, 2, 0, "", "elsewhere is room");
  ask(1, 3, PacketKind::kReceive, 0, 0);
  answers_.clear();
  ask(0, 4, PacketKind::kSend, 1, 0, "", big);
  EXPECT_EQ(answered(), "0/4:0");
  int empty = 0;
  while (empty < 10000000) {
    ask(0, 1, PacketKind::kSend, 2, 0);
    if (answers_.back().status == UCCS_AGAIN) break;
    ++empty;
    answers_.clear();
  }
  EXPECT_LT(empty, 100000);  // empty ones cost, too
}

TEST_F(ExchangeTest, RequestsToAnEndedEcFail) {
  ask(0, 1, PacketKind::kGet, 2, 0, "never set");
  ask(0, 2, PacketKind::kReceive, 2, 0);
  ask(0, 3, PacketKind::kReceive, kAnyEc, 0);
  ask(2, 4, PacketKind::kPut, 0, 0, "set", "v");
  ask(2, 5, PacketKind::kSend, 1, 0, "", "sent before");
  answers_.clear();
  exchange_.remove(2);
  exchange_.remove(2);
  EXPECT_EQ(answered(), "0/1:-32 0/2:-32");
  ask(0, 6, PacketKind::kGet, 2, 0, "never set");
  ask(0, 7, PacketKind::kGet, 2, 0, "set");
  ask(0, 8, PacketKind::kSend, 2, 0, "", "x");
  ask(0, 9, PacketKind::kReceive, 2, 0);
  ask(1, 10, PacketKind::kReceive, 2, 0);
  EXPECT_EQ(answered(), "0/6:-32 0/7:v 0/8:-32 0/9:-32 1/10:sent before");
}

}  // namespace
}  // namespace uccs::rte
