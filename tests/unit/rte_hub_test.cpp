// SPDX-License-Identifier: BSD-3-Clause
/// What the hub is made of: numbering, what travels, and who is let in.
#include <gtest/gtest.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include <random>
#include <thread>

#include "base/clock.hpp"
#include "rte/hub/card.hpp"
#include "rte/hub/door.hpp"
#include "rte/hub/places.hpp"
#include "rte/hub/sockets.hpp"
#include "rte/hub/stream.hpp"
#include "rte/packet.hpp"
#include "rte/pmi/wire.hpp"

namespace {

using namespace uccs::rte;
using namespace uccs::rte::hub;
using uccs::base::now_ns;

constexpr uint64_t kSecond = 1'000'000'000;

std::vector<Hello> hellos(const std::string& nodes) {
  std::vector<Hello> result;
  for (const char node : nodes) {
    Hello hello;
    hello.node = hello.host = std::string(1, node);
    hello.cpus[0] = uint64_t{1} << result.size();
    result.push_back(hello);
  }
  return result;
}

TEST(HubPlaces, NodesAreConsecutive) {
  const Places filled = arrange(hellos("aabbb"));
  EXPECT_EQ(filled.ec_of_rank, (std::vector<int>{0, 1, 2, 3, 4}));
  const Places cyclic = arrange(hellos("abcab"));
  EXPECT_EQ(cyclic.ec_of_rank, (std::vector<int>{0, 2, 4, 1, 3}));
  ASSERT_EQ(cyclic.nodes.size(), 3u);
  EXPECT_EQ(cyclic.nodes[1].first, 2);
  EXPECT_EQ(cyclic.nodes[1].size, 2);
  EXPECT_EQ(cyclic.nodes[1].cpus, 2);
  EXPECT_STREQ(cyclic.nodes[2].host, "c");
}

TEST(HubPlaces, NodesOfAMachineHaveTheirPartOfItsCpus) {
  std::vector<Hello> all = hellos("aabbbc");
  for (Hello& hello : all) {
    hello.machine = hello.node == "c" ? 2 : 1;
    hello.cpus[0] = 0x3ff;
    hello.cpus[15] = hello.node == "b" ? 0xf : 0;  // of its own
  }
  const Places places = arrange(all);
  EXPECT_EQ(places.nodes[0].cpus, 4);  // two fifths of ten
  EXPECT_EQ(places.nodes[1].cpus, 6 + 4);
  EXPECT_EQ(places.nodes[2].cpus, 10);
  for (Hello& hello : all) hello.cpus = {1};
  for (const Node& node : arrange(all).nodes) EXPECT_EQ(node.cpus, 1);
}

TEST(HubPlaces, TablesComeBack) {
  const std::vector<Node> nodes = arrange(hellos("abcab")).nodes;
  const std::string bytes = encode_nodes(nodes);
  std::vector<Node> back;
  ASSERT_TRUE(decode_nodes(bytes.data(), bytes.size(), 5, &back));
  ASSERT_EQ(back.size(), 3u);
  EXPECT_EQ(back[1].first, 2);
  EXPECT_STREQ(back[1].host, "b");
  for (size_t cut = 0; cut < bytes.size(); ++cut)
    EXPECT_FALSE(decode_nodes(bytes.data(), cut, 5, &back)) << cut;
  for (const int other : {1, 4, 6}) {
    EXPECT_FALSE(decode_nodes(bytes.data(), bytes.size(), other, &back));
  }
}

TEST(HubPlaces, ManyNodesFitIntoAPacket) {
  std::vector<Hello> many(4096);
  for (size_t i = 0; i < many.size(); ++i) {
    many[i].node = std::to_string(i);
    many[i].host = std::string(70, 'h');
  }
  const std::vector<Node> nodes = arrange(many).nodes;
  const std::string bytes = encode_nodes(nodes);
  EXPECT_LE(bytes.size(), kDataMax);
  std::vector<Node> back;
  EXPECT_TRUE(decode_nodes(bytes.data(), bytes.size(), 4096, &back));
}

TEST(HubPlaces, NodesThatAreAlikeAreToldAsOne) {
  std::vector<Node> nodes(100'000);
  int ecs = 0;
  for (size_t i = 0; i < nodes.size(); ++i) {
    nodes[i].first = ecs;
    nodes[i].size = i + 1 < nodes.size() ? 96 : 5;
    nodes[i].cpus = i < 4000 ? 48 : 96;
    memcpy(nodes[i].host, "host", 4);
    ecs += nodes[i].size;
  }
  const std::string bytes = encode_nodes(nodes);
  EXPECT_LE(bytes.size(), 3u * 13);
  std::vector<Node> back;
  ASSERT_TRUE(decode_nodes(bytes.data(), bytes.size(), ecs, &back));
  ASSERT_EQ(back.size(), nodes.size());
  for (size_t i = 0; i < nodes.size(); i += 999) {
    EXPECT_EQ(back[i].first, nodes[i].first);
    EXPECT_EQ(back[i].size, nodes[i].size);
    EXPECT_EQ(back[i].cpus, nodes[i].cpus);
  }
  for (size_t cut = 0; cut < bytes.size(); ++cut)
    EXPECT_FALSE(decode_nodes(bytes.data(), cut, ecs, &back)) << cut;
  EXPECT_FALSE(decode_nodes(bytes.data(), bytes.size(), ecs - 1, &back));
}

TEST(HubDecoders, StandRubbish) {
  std::mt19937 random(7);
  for (int i = 0; i < 20000; ++i) {
    std::string bytes(random() % 200, '\0');
    for (char& byte : bytes) byte = static_cast<char>(random());
    std::vector<Node> nodes;
    Hello hello;
    Card card;
    Packet packet;
    (void)decode_nodes(bytes.data(), bytes.size(), 4, &nodes);
    (void)decode_hello_data(bytes.data(), bytes.size(), &hello);
    (void)decode_card(bytes, &card);
    (void)decode_packet(bytes.data(), bytes.size(), 4, &packet);
    uccs::rte::pmi::Fields fields;
    (void)uccs::rte::pmi::decode_line("cmd=" + bytes, &fields);
  }
}

TEST(HubCard, ComesBack) {
  Card card;
  card.secret.fill(0xa5);
  card.host = "node 1;=";
  card.places = {{"10.0.0.1", 1234}, {"fd00::1", 65535}};
  const std::string text = encode_card(card);
  EXPECT_EQ(text.find_first_of(" ="), std::string::npos);
  Card back;
  ASSERT_TRUE(decode_card(text, &back));
  EXPECT_EQ(back.secret, card.secret);
  EXPECT_EQ(back.host, "node_1__");
  ASSERT_EQ(back.places.size(), 2u);
  EXPECT_EQ(back.places[1].address, "fd00::1");
  EXPECT_EQ(back.places[1].port, 65535);
  for (const char* bad : {"", "1;", "2;00;h", "1;zz;h", "1;;;"})
    EXPECT_FALSE(decode_card(bad, &back));
  for (const char* bad : {";x", ";x,", ";,1", ";x,0", ";x,65536", ";x,1,2", ";x,1a"})
    EXPECT_FALSE(decode_card(text + bad, &back)) << bad;
}

TEST(Pmi, Lines) {
  uccs::rte::pmi::Fields fields;
  ASSERT_TRUE(uccs::rte::pmi::decode_line("cmd=get_result rc=0 msg=a b value=1;ab=c", &fields));
  EXPECT_EQ(uccs::rte::pmi::field(fields, "value"), "1;ab=c");
  EXPECT_EQ(uccs::rte::pmi::field(fields, "none"), "");
  EXPECT_FALSE(uccs::rte::pmi::decode_line("", &fields));
  EXPECT_FALSE(uccs::rte::pmi::decode_line("rc=0 cmd=x", &fields));
  int number;
  EXPECT_TRUE(uccs::rte::pmi::read_number("1024", &number));
  for (const char* bad : {"", "-1", "1x", "9999999999", " 1"})
    EXPECT_FALSE(uccs::rte::pmi::read_number(bad, &number)) << bad;
}

/// A door with its own thread, until it is destroyed.
class Guarded {
 public:
  explicit Guarded(const Secret& secret) : door_(secret) {
    name = "uccs-door-test-" + std::to_string(getpid());
    EXPECT_TRUE(door_.open_local(name));
    EXPECT_TRUE(door_.open_tcp("127.0.0.1", 2 * kSecond, &port));
    thread_ = std::thread([this] { run(); });
  }
  ~Guarded() {
    is_over_ = true;
    thread_.join();
    for (const Door::Guest& guest : guests) close(guest.fd);
  }
  std::string name;
  int port = 0;
  std::vector<Door::Guest> guests;  // to be read once the thread is known to be past it
  std::atomic<size_t> guest_count{0};

 private:
  void run() {
    std::vector<pollfd> polled;
    while (!is_over_) {
      polled.clear();
      door_.add_to(&polled);
      if (poll(polled.data(), polled.size(), 5) <= 0)
        for (pollfd& one : polled) one.revents = 0;
      door_.handle(polled.data(), &guests);
      guest_count = guests.size();
    }
  }
  Door door_;
  std::thread thread_;
  std::atomic<bool> is_over_{false};
};

TEST(HubDoor, LetsInWhoKnowsTheSecretAndNobodyElse) {
  Secret secret;
  fill_random(secret.data(), secret.size());
  Secret other = secret;
  other[31] ^= 1;
  Guarded guarded(secret);
  std::mt19937 random(3);
  const uint64_t deadline = now_ns() + 20 * kSecond;
  for (int i = 0; i < 600; ++i) {  // more than the door keeps waiting at a time
    const int fd = i % 2 == 0 ? connect_local(guarded.name)
                              : connect_tcp("127.0.0.1", guarded.port, 2 * kSecond, deadline);
    ASSERT_GE(fd, 0) << strerror(errno);
    std::string bytes(random() % 120, '\0');
    for (char& byte : bytes) byte = static_cast<char>(random());
    (void)!send(fd, bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (i % 3 != 0) close(fd);  // the others dawdle
  }
  const int liar = connect_local(guarded.name);
  EXPECT_FALSE(prove(liar, other, 5, deadline));
  close(liar);
  EXPECT_EQ(guarded.guest_count, 0u);
  const int near = connect_local(guarded.name);
  EXPECT_TRUE(prove(near, secret, 5, deadline));
  const int far = connect_tcp("127.0.0.1", guarded.port, 2 * kSecond, deadline);
  EXPECT_TRUE(prove(far, secret, 6, deadline));
  while (guarded.guest_count < 2 && now_ns() < deadline) std::this_thread::yield();
  EXPECT_EQ(guarded.guest_count, 2u);
  close(near);
  close(far);
}

TEST(HubDoor, AnImpostorIsNoticed) {
  Secret secret{};
  int ends[2];
  ASSERT_EQ(socketpair(AF_UNIX, SOCK_STREAM, 0, ends), 0);
  char rubbish[200] = "220 mail.example.org ready";
  ASSERT_EQ(send(ends[1], rubbish, sizeof rubbish, 0), static_cast<ssize_t>(sizeof rubbish));
  EXPECT_FALSE(prove(ends[0], secret, 1, now_ns() + kSecond));
  EXPECT_EQ(errno, EPROTO);
  close(ends[0]);
  close(ends[1]);
  ASSERT_EQ(socketpair(AF_UNIX, SOCK_STREAM, 0, ends), 0);
  EXPECT_FALSE(prove(ends[0], secret, 1, now_ns() + kSecond / 100));  // says nothing
  EXPECT_EQ(errno, ETIMEDOUT);
  close(ends[0]);
  close(ends[1]);
}

TEST(HubStream, CutsAndJoinsAnywhere) {
  int ends[2];
  ASSERT_EQ(socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, ends), 0);
  Stream a(ends[0]), b(ends[1]);
  const std::string data(60000, 'x');
  Packet packet;
  packet.header.kind = PacketKind::kSend;
  packet.header.ec = 1;
  packet.header.data_bytes = static_cast<uint32_t>(data.size());
  packet.data = data.data();
  for (uint64_t i = 0; i < 20; ++i) {  // more than the socket holds
    packet.header.id = i;
    ASSERT_TRUE(a.send(packet));
  }
  EXPECT_TRUE(a.has_output());
  uint64_t got = 0;
  for (const uint64_t until = now_ns() + 10 * kSecond; got < 20 && now_ns() < until;) {
    EXPECT_TRUE(a.flush());
    EXPECT_TRUE(b.receive());
    Packet back;
    while (b.next(2, &back)) {
      EXPECT_EQ(back.header.id, got++);
      EXPECT_EQ(std::string(back.data, back.header.data_bytes), data);
    }
  }
  EXPECT_EQ(got, 20u);
  EXPECT_FALSE(a.has_output());
}

TEST(HubStream, RubbishEndsIt) {
  for (const uint32_t length : {0u, 5u, 0xffffffffu, static_cast<uint32_t>(kPacketMax + 1)}) {
    int ends[2];
    ASSERT_EQ(socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, ends), 0);
    Stream stream(ends[0]);
    std::string bytes(reinterpret_cast<const char*>(&length), sizeof length);
    bytes.append(40, 'z');
    ASSERT_EQ(send(ends[1], bytes.data(), bytes.size(), 0), static_cast<ssize_t>(bytes.size()));
    stream.receive();
    Packet packet;
    EXPECT_FALSE(stream.next(2, &packet));
    EXPECT_FALSE(stream.is_open());
    close(ends[1]);
  }
}

}  // namespace
