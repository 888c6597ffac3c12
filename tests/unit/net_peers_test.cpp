// SPDX-License-Identifier: BSD-3-Clause
/// What networks know of other ECs: a state is made once, an address asked for once and by whoever
/// is first, and an EC that cannot be had stays lost.
#include "net/parts/peers.hpp"

#include <gtest/gtest.h>

#include <thread>
#include <vector>

namespace uccs::net {
namespace {

constexpr int kEcs = 4;
constexpr int kMute = 3;  ///< has published nothing
constexpr std::byte kMark{42};

struct PeerState : PeerBase {
  std::byte value{};
};

struct Network {
  Peers<PeerState> peers;
  int asked = 0;
  std::vector<int> lost;

  Network() {
    OpenParameters parameters;
    parameters.num_ecs = kEcs;
    parameters.user = this;
    parameters.find_address = [](void* user, int ec, void* buffer, size_t capacity) {
      ++static_cast<Network*>(user)->asked;
      EXPECT_EQ(capacity, 2u);
      auto* out = static_cast<std::byte*>(buffer);
      out[0] = kMark, out[1] = std::byte(ec);
      return ec == kMute ? size_t{0} : size_t{2};
    };
    parameters.peer_lost = [](void* user, int ec, const char*) {
      static_cast<Network*>(user)->lost.push_back(ec);
    };
    EXPECT_TRUE(peers.start(
        parameters, {.user = this,
                     .address_max = 2,
                     .read = [](void*, PeerState& state, const std::byte* bytes, size_t length) {
                       const bool is_one = length == 2 && bytes[0] == kMark;
                       if (is_one) state.value = bytes[1];
                       return is_one;
                     }}));
  }
};

TEST(Peers, AreNotedAtFirstUse) {
  Network network;
  EXPECT_EQ(network.peers.find(1), nullptr);
  PeerState& state = network.peers.state_of(1);
  EXPECT_EQ(network.peers.find(1), &state);
  EXPECT_EQ(&network.peers.state_of(1), &state);
  EXPECT_EQ(network.asked, 0);
  std::vector<int> seen;
  network.peers.for_each([&](int ec, PeerState&) { seen.push_back(ec); });
  EXPECT_EQ(seen, std::vector<int>{1});
}

TEST(Peers, AreAskedForOnce) {
  Network network;
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i)
    threads.emplace_back([&] {
      for (int ec = 0; ec < kMute; ++ec) EXPECT_EQ(network.peers.reach(ec)->value, std::byte(ec));
    });
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(network.asked, kMute);
}

TEST(Peers, StayLostThatCannotBeHad) {
  Network network;
  EXPECT_EQ(network.peers.reach(kMute), nullptr);
  EXPECT_EQ(network.peers.reach(kMute), nullptr);
  EXPECT_EQ(network.asked, 1);
}

TEST(Peers, AreConnectedByTheirAddress) {
  Network network;
  Peer peer = {.ec = 2};
  EXPECT_EQ(network.peers.connect(peer), UCCS_OK);  // later
  EXPECT_EQ(network.peers.find(2), nullptr);
  std::byte address[] = {std::byte{}, std::byte{7}};
  peer.address = address, peer.address_bytes = sizeof address;
  EXPECT_EQ(network.peers.connect(peer), UCCS_ERR_INVALID);
  address[0] = kMark;
  EXPECT_EQ(network.peers.connect(peer), UCCS_OK);
  EXPECT_EQ(network.peers.reach(2)->value, std::byte{7});
  EXPECT_EQ(network.asked, 0);
}

TEST(Peers, AreReportedLost) {
  Network network;
  EXPECT_TRUE(network.peers.can_lose());
  network.peers.lose(1, "is gone");
  EXPECT_EQ(network.lost, std::vector<int>{1});
  Peers<PeerState> unheard;
  EXPECT_TRUE(unheard.start({}, {}));
  EXPECT_FALSE(unheard.can_lose());
}

}  // namespace
}  // namespace uccs::net
