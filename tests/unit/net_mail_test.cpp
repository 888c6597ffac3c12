// SPDX-License-Identifier: BSD-3-Clause
/// Messages of networks: what is no message is dropped, sends come in order whatever way they took,
/// credits bound what waits and come back.
#include "net/parts/mail.hpp"

#include <gtest/gtest.h>

#include <cstring>
#include <random>
#include <vector>

namespace uccs::net {
namespace {

constexpr int kLane = 1;

struct Receiver {
  Mail mail;
  std::vector<uint64_t> got;
  std::vector<Returned> returned;
  int controls = 0;
  bool takes_credits = true;

  Receiver() {
    EXPECT_TRUE(
        mail.start({.me = 0,
                    .num_ecs = 3,
                    .lanes = 2,
                    .user = this,
                    .send_credits =
                        [](void* user, int, int, const Returned& credits) {
                          auto* self = static_cast<Receiver*>(user);
                          if (self->takes_credits) self->returned.push_back(credits);
                          return self->takes_credits;
                        },
                    .control = [](void* user, int,
                                  MessageKind) { ++static_cast<Receiver*>(user)->controls; }}));
  }
  Header header(Traffic traffic, size_t head_bytes, const Payload* payload = nullptr) {
    Header made = make_header(Envelope(traffic, kLane, 0, 0, 0), 2, head_bytes, payload);
    made.cookie = mail.cookie();
    return made;
  }
  void bring(const std::byte* bytes, size_t length) {
    Node* node = mail.take_node(kLane, length > kShortMax);
    memcpy(node->data(), bytes, length);
    mail.take_in(kLane, node, length);
  }
  void bring(const Header& header, uint64_t value) {
    std::byte bytes[kMessageMax];
    bring(bytes, fill(bytes, header, &value, nullptr));
  }
  int take(Traffic traffic) {
    const Sink sink = {[](void* user, const Arrival& arrival) {
                         uint64_t value = 0;
                         memcpy(&value, arrival.head, sizeof value);
                         static_cast<Receiver*>(user)->got.push_back(value);
                         return true;
                       },
                       this};
    return mail.deliver(kLane, net::traffic_bit(traffic), 1000, sink);
  }
};

TEST(NetMail, SendsComeInOrder) {
  Receiver to;
  for (const uint32_t sequence : {2u, 0u, 3u, 1u, 4u}) {
    Header header = to.header(Traffic::kSend, 8);
    header.sequence = sequence;
    to.bring(header, sequence);
  }
  EXPECT_EQ(to.take(Traffic::kSend), 5);
  EXPECT_EQ(to.got, (std::vector<uint64_t>{0, 1, 2, 3, 4}));
}

TEST(NetMail, CreditsComeBackByHalves) {
  Receiver to;
  Account& account = to.mail.account_of(2, kLane);
  const int kind = credit_kind(Traffic::kRequest, false);
  int grant = 0;
  while (Mail::take_credit(account, kind)) ++grant;
  ASSERT_EQ(grant, 64);
  for (int i = 0; i < grant; ++i) to.bring(to.header(Traffic::kRequest, 8), 7);
  to.takes_credits = false;  // the network is busy: they stay owed
  EXPECT_EQ(to.take(Traffic::kRequest), grant);
  EXPECT_TRUE(to.returned.empty());
  to.takes_credits = true;
  to.mail.return_owed();
  ASSERT_EQ(to.returned.size(), 1u);
  EXPECT_EQ(to.returned[0].counts[kind], grant);

  Header header = to.header(Traffic::kReply, sizeof(Returned));
  header.kind = MessageKind::kCredit;
  std::byte bytes[kMessageMax];
  to.bring(bytes, fill(bytes, header, &to.returned[0], nullptr));
  int again = 0;
  while (Mail::take_credit(account, kind)) ++again;
  EXPECT_EQ(again, grant);
}

TEST(NetMail, MessagesToSelfCostCreditsToo) {
  Receiver self;
  const uint64_t value = 9;
  const Envelope envelope(Traffic::kReply, kLane, 0, 0, 0);
  int sent = 0;
  while (self.mail.message_to_self(envelope, &value, sizeof value, nullptr) == UCCS_OK) ++sent;
  EXPECT_EQ(sent, 64);
  EXPECT_EQ(self.take(Traffic::kReply), sent);
  EXPECT_EQ(self.mail.message_to_self(envelope, &value, sizeof value, nullptr), UCCS_OK);
}

TEST(NetMail, WhatIsNoMessageIsDropped) {
  Receiver to;
  std::byte whole[kMessageMax];
  const uint64_t value = 5;
  const char text[] = "the payload";
  const Piece piece = {text, sizeof text};
  const Payload payload = {&piece, 1, sizeof text};
  const size_t length = fill(whole, to.header(Traffic::kRequest, 8, &payload), &value, &payload);
  for (size_t cut = 0; cut < length; ++cut) to.bring(whole, cut);
  EXPECT_EQ(to.take(Traffic::kRequest), 0);
  std::mt19937 random(1);
  for (int i = 0; i < 20000; ++i) {
    std::byte bytes[kMessageMax];
    memcpy(bytes, whole, length);
    bytes[random() % sizeof(Header)] ^= static_cast<std::byte>(1 << random() % 8);
    to.bring(bytes, random() % 4 == 0 ? random() % (length + 1) : length);
    for (const Traffic traffic : {Traffic::kReply, Traffic::kRequest, Traffic::kSend})
      (void)to.take(traffic);
  }
  Header stranger = to.header(Traffic::kRequest, 8);
  ++stranger.cookie;
  to.got.clear();
  to.bring(stranger, 1);
  EXPECT_EQ(to.take(Traffic::kRequest), 0);
  to.bring(whole, length);
  EXPECT_EQ(to.take(Traffic::kRequest), 1);
  EXPECT_EQ(to.got, std::vector<uint64_t>{value});
}

}  // namespace
}  // namespace uccs::net
