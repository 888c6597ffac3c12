// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <string>

#include "base/config.hpp"

namespace uccs::base {
namespace {

struct GoodSize {
  const char* text;
  uint64_t bytes;
};

TEST(ParseSize, Accepts) {
  constexpr uint64_t kKi = 1024;
  constexpr uint64_t kMi = kKi * kKi;
  const GoodSize kTable[] = {
      {"0", 0},
      {"1", 1},
      {"512", 512},
      {"0007", 7},
      {"4k", 4 * kKi},
      {"4K", 4 * kKi},
      {"20m", 20971520},
      {"3.1M", 3250586},  // 3250585.6, the ceiling
      {".5m", kMi / 2},
      {"0.5m", kMi / 2},
      {"1.", 1},
      {"1.5", 2},
      {"1.5G", 3 * 512 * kMi},
      {"2t", 2 * kMi * kMi},
      {"20kk", 20 * kKi},  // one multiplier counts, what follows it does not
      {"20MB", 20 * kMi},
      {"1Kx", kKi},
      {"0.0000000000000000001", 1},  // more digits than are kept still round up
      {"0.0000000000000000000", 0},
      {"18446744073709551615", UINT64_MAX},
      {"16777215T", 16777215 * kMi * kMi},
  };
  for (const GoodSize& row : kTable) {
    uint64_t bytes = 77;
    EXPECT_TRUE(parse_size(row.text, &bytes)) << row.text;
    EXPECT_EQ(bytes, row.bytes) << row.text;
  }
}

TEST(ParseSize, RefusesAndLeavesTheResultAlone) {
  for (const char* text : {"",
                           " ",
                           ".",
                           "k",
                           ".k",
                           "-1",
                           "+1",
                           "1e3",
                           "0x10",
                           "5q",
                           "1 k",
                           " 1",
                           "1 ",
                           "1.2.3",
                           "1,5",
                           "auto",
                           "nan",
                           "inf",
                           "18446744073709551616",
                           "16777216T",
                           "99999999999999999999999999"}) {
    uint64_t bytes = 77;
    EXPECT_FALSE(parse_size(text, &bytes)) << text;
    EXPECT_EQ(bytes, 77u) << text;
  }
}

struct GoodDuration {
  const char* text;
  const char* unit;
  uint64_t ns;
};

TEST(ParseDuration, Accepts) {
  const GoodDuration kTable[] = {
      {"0", "s", 0},
      {"30", "s", 30000000000},
      {"30", "ns", 30},
      {"1.5s", "ns", 1500000000},
      {"200ms", "s", 200000000},
      {"5us", "s", 5000},
      {"2m", "s", 120000000000},
      {"1h", "s", 3600000000000},
      {"0.1ns", "s", 1},
      {".25", "s", 250000000},
  };
  for (const GoodDuration& row : kTable) {
    uint64_t ns = 77;
    EXPECT_TRUE(parse_duration(row.text, row.unit, &ns)) << row.text;
    EXPECT_EQ(ns, row.ns) << row.text;
  }
}

TEST(ParseDuration, Refuses) {
  for (const char* text : {"", "s", "-1", "1 s", "1sec", "1d", "1e3", "99999999999999h"}) {
    uint64_t ns = 77;
    EXPECT_FALSE(parse_duration(text, "s", &ns)) << text;
    EXPECT_EQ(ns, 77u) << text;
  }
}

}  // namespace
}  // namespace uccs::base
