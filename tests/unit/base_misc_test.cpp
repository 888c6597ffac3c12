// SPDX-License-Identifier: BSD-3-Clause
/// Statuses, log, back-off.
#include <gtest/gtest.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <unistd.h>

#include <atomic>
#include <set>
#include <string>
#include <thread>

#include "base/backoff.hpp"
#include "base/clock.hpp"
#include "base/log.hpp"
#include "uccs/status.h"

namespace uccs::base {
namespace {

TEST(Status, EveryCodeHasItsText) {
  std::set<std::string> texts;
  const int kCodes[] = {0, 1, 2, -1, -2, -3, -4, -5, -6, -16, -17, -18, -32, -48, -49, -50};
  for (const int code : kCodes) {
    const char* text = uccs_status_string(static_cast<uccs_status_t>(code));
    EXPECT_STRNE(text, "unknown status") << code;
    EXPECT_TRUE(texts.insert(text).second) << code;
  }
  EXPECT_STREQ(uccs_status_string(static_cast<uccs_status_t>(-1000)), "unknown status");
}

TEST(Log, OneLineWithTheSpeaker) {
  testing::internal::CaptureStderr();
  log_line(LogLevel::kWarn, "number %d", 7);
  log_line(LogLevel::kInfo, "not printed by default");
  EXPECT_EQ(testing::internal::GetCapturedStderr(),
            "uccs: pid " + std::to_string(getpid()) + ": warning: number 7\n");
}

TEST(Log, LongLinesAreCutAndEnd) {
  testing::internal::CaptureStderr();
  log_line(LogLevel::kError, "%s", std::string(100000, 'x').c_str());
  const std::string line = testing::internal::GetCapturedStderr();
  EXPECT_LE(line.size(), 4096u);
  EXPECT_EQ(line.find('\n'), line.size() - 1);
}

[[noreturn]] void speak_as_an_ec() {
  log_set_identity(3, 8);
  fatal("no %s left", "bananas");
}

[[noreturn]] void fail_with_hook() {
  set_fatal_hook([](const char* message) { _exit(std::string(message) == "gone" ? 42 : 3); });
  fatal("%s", "gone");
}

TEST(Log, Fatal) {
  EXPECT_EXIT(speak_as_an_ec(), testing::ExitedWithCode(1),
              "^uccs: EC 3/8 on [^ ]+: error: no bananas left\n$");
  EXPECT_EXIT(fail_with_hook(), testing::ExitedWithCode(42), "^$");
}

TEST(Backoff, PolicyFollowsTheCpus) {
  set_wait_policy(2, 2);
  EXPECT_GE(wait_policy().spins, 1000u);
  set_wait_policy(3, 2);
  EXPECT_LE(wait_policy().spins, 20u);
  set_wait_policy(1, 1);
  EXPECT_GE(wait_policy().spins, 1000u);
}

TEST(Backoff, WhoWaitsForANetworkYieldsSooner) {
  set_wait_policy(1, 1);
  set_far_waiting([](uint64_t) { return false; });
  EXPECT_LE(wait_policy().spins, 20u);
  EXPECT_GE(wait_policy().spins, 1u);  // 0 tells others that the CPUs are crowded
  set_far_waiting(nullptr);
}

[[noreturn]] void override_spins() {
  setenv("UCCS_SPIN", "123", 1);
  set_wait_policy(100, 1);
  exit(wait_policy().spins == 123 ? 0 : 3);
}

TEST(Backoff, SettingOverridesTheSpins) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");  // settings are read once per process
  EXPECT_EXIT(override_spins(), testing::ExitedWithCode(0), "");
}

/// Few misses to the sleep, so that tests get there.
class Sleepy : public testing::Test {
 protected:
  void SetUp() override {
    detail::wait_policy_in_force.spins = 3;
    detail::wait_policy_in_force.yields = 4;
  }
  void TearDown() override { detail::wait_policy_in_force = WaitPolicy{}; }
};

TEST_F(Sleepy, AnnouncesTheSleep) {
  Backoff backoff;
  for (int i = 0; i < 7; ++i) {
    EXPECT_FALSE(backoff.will_sleep()) << i;
    backoff.pause();
  }
  EXPECT_TRUE(backoff.will_sleep());
  backoff.pause();
  EXPECT_TRUE(backoff.will_sleep());
  backoff.reset();
  EXPECT_FALSE(backoff.will_sleep());
}

TEST_F(Sleepy, SleepsAreBoundedWithAndWithoutDoorbell) {
  std::atomic<uint32_t> doorbell{5};
  Backoff backoff;
  Backoff on_doorbell;
  for (int i = 0; i < 100; ++i) {  // returns at all: nobody rings
    backoff.pause();
    on_doorbell.pause_on(&doorbell, 5);
  }
  EXPECT_TRUE(on_doorbell.will_sleep());
}

TEST_F(Sleepy, ARingEndsTheSleep) {
  std::atomic<uint32_t> doorbell{0};
  const uint64_t start = now_ns();
  std::thread ringer([&] {
    doorbell.fetch_add(1);
    wake_all(&doorbell);
  });
  block_while(&doorbell, 0, 4000000000u);
  ringer.join();
  EXPECT_LT(now_ns() - start, 1000000000u);
}

long sleeps_of_thread() {
  rusage usage = {};
  getrusage(RUSAGE_THREAD, &usage);
  return usage.ru_nvcsw;
}

template <typename Pause>
long sleeps_within(uint64_t ns, Pause pause) {
  const long before = sleeps_of_thread();
  for (const uint64_t start = now_ns(); now_ns() - start < ns;) pause();
  return sleeps_of_thread() - before;
}

/// See WaitPolicy::sleep_ns_max for what is wrong with short ones.
TEST_F(Sleepy, SleepsOfLongWaitsAreLong) {
  Backoff backoff;
  const auto pause = [&] { backoff.pause(); };
  EXPECT_GE(sleeps_within(50000000, pause), 1);
  EXPECT_LE(sleeps_within(100000000, pause), 110);
}

TEST_F(Sleepy, WhoLooksLongOnACrowdedCpuSleepsNowAndThen) {
  detail::wait_policy_in_force.spins = 0;
  Backoff backoff;
  const long sleeps = sleeps_within(200000000, [&] { backoff.pause_awake(); });
  EXPECT_GE(sleeps, 1);
  EXPECT_LE(sleeps, 10);
  EXPECT_EQ(sleeps_within(10000000,
                          [&] {
                            backoff.reset();
                            backoff.pause_awake();
                          }),
            0);
}

TEST(Backoff, BlockWhileReturnsAfterTheChange) {
  std::atomic<uint32_t> word{0};
  std::thread changer([&] {
    word.store(1, std::memory_order_release);
    wake_all(&word);
  });
  block_while(&word, 0);
  EXPECT_EQ(word.load(), 1u);
  changer.join();
}

}  // namespace
}  // namespace uccs::base
