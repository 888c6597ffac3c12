// SPDX-License-Identifier: BSD-3-Clause
/// The address of an EC over UCX: what one writes the other reads, and nothing else is taken.
#include "net/ucx/address.hpp"

#include <gtest/gtest.h>

#include <cstring>
#include <random>
#include <string>
#include <vector>

namespace uccs::net::ucx {
namespace {

constexpr AddressHead kHead = {kMagic, 1, 0x1000, 100, 0x2000, 200, 4, 3, 0x10d};

std::vector<std::byte> written() {
  std::vector<std::byte> bytes(1000);
  AddressWriter out(bytes.data(), bytes.size());
  out.head(kHead);
  for (const std::string field : {"heap", "", "worker 0", "worker 1 is longer", "w2"})
    out.field(field.data(), field.size());
  bytes.resize(out.length());
  return bytes;
}

std::string text(const Field& field) {
  return {reinterpret_cast<const char*>(field.bytes), field.length};
}

TEST(NetUcxAddress, IsReadAsWritten) {
  std::vector<std::byte> bytes = written();
  PeerAddress address;
  ASSERT_TRUE(address.read(bytes.data(), bytes.size()));
  std::fill(bytes.begin(), bytes.end(), std::byte{0});  // it keeps its own copy
  EXPECT_EQ(address.head().workers, 3u);
  EXPECT_EQ(address.head().static_base, 0x2000u);
  EXPECT_EQ(text(address.key(Area::kHeap)), "heap");
  EXPECT_EQ(text(address.key(Area::kStatic)), "");
  EXPECT_EQ(text(address.worker(0)), "worker 0");
  EXPECT_EQ(text(address.worker(2)), "w2");
}

TEST(NetUcxAddress, DoesNotFit) {
  const size_t needed = written().size();
  std::vector<std::byte> bytes(needed);
  for (size_t capacity = 0; capacity < needed; ++capacity) {
    AddressWriter out(bytes.data(), capacity);
    out.head(kHead);
    for (const std::string field : {"heap", "", "worker 0", "worker 1 is longer", "w2"})
      out.field(field.data(), field.size());
    EXPECT_EQ(out.length(), 0u) << capacity;
  }
  AddressWriter out(bytes.data(), bytes.size());
  out.field(bytes.data(), 70000);
  EXPECT_EQ(out.length(), 0u);
}

TEST(NetUcxAddress, RefusesWhatIsCutOrLonger) {
  std::vector<std::byte> bytes = written();
  PeerAddress address;
  for (size_t length = 0; length < bytes.size(); ++length)
    EXPECT_FALSE(address.read(bytes.data(), length)) << length;
  bytes.push_back(std::byte{0});
  EXPECT_FALSE(address.read(bytes.data(), bytes.size()));
}

TEST(NetUcxAddress, SurvivesDamage) {
  const std::vector<std::byte> whole = written();
  std::mt19937 random(1);
  for (int i = 0; i < 100000; ++i) {
    // Exact copies, so that a sanitizer sees a read beyond the end.
    std::vector<std::byte> bytes(whole.begin(), whole.begin() + random() % (whole.size() + 1));
    for (int flips = 0; flips < 3 && !bytes.empty(); ++flips)
      bytes[random() % bytes.size()] ^= static_cast<std::byte>(1 << random() % 8);
    PeerAddress address;
    if (!address.read(bytes.data(), bytes.size())) continue;
    for (uint32_t worker = 0; worker < address.head().workers; ++worker) {
      const Field field = address.worker(static_cast<int>(worker));
      ASSERT_LE(field.length, bytes.size());
    }
  }
}

}  // namespace
}  // namespace uccs::net::ucx
