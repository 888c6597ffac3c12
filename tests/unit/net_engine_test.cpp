// SPDX-License-Identifier: BSD-3-Clause
/// The threads of a network's engine: who sleeps on what may come is woken by it, and is called
/// away from there, once, by a program that polls often.
#include "net/parts/engine.hpp"

#include <gtest/gtest.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <chrono>
#include <thread>

namespace uccs::net {
namespace {

using std::chrono_literals::operator""s;
using std::chrono_literals::operator""ms;
using Clock = std::chrono::steady_clock;

/// Attended as `polls` tells; counts what its thread does.
struct Network {
  Engine engine;
  int fd = eventfd(0, EFD_NONBLOCK);
  std::atomic<bool> has_looked = true;  ///< since it last slept, where there is one thread
  std::atomic<int> sleeps = 0, calls = 0, messages = 0;
  std::atomic<uint32_t> polls = 0;
  std::atomic<int> turns = 0;

  ~Network() {
    engine.stop();
    close(fd);
  }
  bool start(int threads) {
    const Engine::Duties duties = {.user = this,
                                   .shares_cpus = false,
                                   .count =
                                       [](void* user, const Engine::Share&) {
                                         auto& self = *static_cast<Network*>(user);
                                         ++self.turns;
                                         Engine::Counts counts;
                                         counts.polls = self.polls;
                                         return counts;
                                       },
                                   .collect =
                                       [](void* user, Engine::Watch& watch) {
                                         auto& self = *static_cast<Network*>(user);
                                         if (!self.has_looked.exchange(false)) ++self.calls;
                                         watch.add(self.fd, watch.share.index);
                                         ++self.sleeps;
                                       },
                                   .look =
                                       [](void* user, const Engine::Look&) {
                                         auto& self = *static_cast<Network*>(user);
                                         uint64_t value;
                                         if (read(self.fd, &value, sizeof value) == sizeof value)
                                           ++self.messages;
                                         self.has_looked = true;
                                         return 0;
                                       }};
    return engine.start(duties, threads);
  }
};

template <typename Done>
bool comes(Done is_done) {
  for (const auto end = Clock::now() + 20s; !is_done(); std::this_thread::yield())
    if (Clock::now() > end) return false;
  return true;
}

TEST(Engine, IsWokenByWhatComes) {
  Network network;
  ASSERT_TRUE(network.start(1));
  ASSERT_TRUE(comes([&] { return network.sleeps > 0; }));
  const uint64_t one = 1;
  ASSERT_EQ(write(network.fd, &one, sizeof one), ssize_t{sizeof one});
  EXPECT_TRUE(comes([&] { return network.messages == 1; }));
  EXPECT_EQ(network.calls, 0);
}

TEST(Engine, IsCalledAwayByWhoPollsOften) {
  Network network;
  ASSERT_TRUE(network.start(1));
  uint32_t polls = 0;
  EXPECT_TRUE(comes([&] {
    for (int i = 0; i < 64; ++i, ++polls) network.engine.note_polls(0, polls, polls + 1);
    return network.calls > 0;
  }));
}

TEST(Engine, StaysWithWhoPollsSeldom) {
  Network network;
  ASSERT_TRUE(network.start(1));
  uint32_t polls = 0;
  for (int i = 0; i < 200; ++i, ++polls) {
    network.engine.note_polls(0, polls, polls + 1);
    std::this_thread::sleep_for(std::chrono::microseconds(200));
  }
  EXPECT_EQ(network.calls, 0);
}

/// Polls all the time for 20 ms, after a pause. Returns how often its thread has been there.
int turns_of_stretch(Network& network) {
  std::this_thread::sleep_for(50ms);
  const int before = network.turns;
  for (const auto end = Clock::now() + 20ms; Clock::now() < end; ++network.polls)
    network.engine.note_polls(0, network.polls, network.polls + 1);
  return network.turns - before;
}

TEST(Engine, StaysAsideSoonerOfWhoPolledLongBefore) {
  EXPECT_TRUE(comes([] {
    Network network;
    if (!network.start(1)) return false;
    const int first = turns_of_stretch(network), second = turns_of_stretch(network);
    return second > 0 && second + 2 <= first;
  }));
}

TEST(Engine, EndsWhileItsThreadsSleep) {
  Network network;
  ASSERT_TRUE(network.start(Engine::kThreadsMax));
  ASSERT_TRUE(comes([&] { return network.sleeps >= Engine::kThreadsMax; }));
  network.engine.stop();
  const int sleeps = network.sleeps;
  std::this_thread::sleep_for(std::chrono::milliseconds(30));
  EXPECT_EQ(network.sleeps, sleeps);
}

}  // namespace
}  // namespace uccs::net
