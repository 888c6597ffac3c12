// SPDX-License-Identifier: BSD-3-Clause
#include "mem/segment.hpp"

#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "mem/static_data.hpp"

namespace uccs::mem {
namespace {

constexpr uint64_t kFileBytes = uint64_t{1} << 40;

int make_file() {
  const int fd = memfd_create("segment", MFD_CLOEXEC);
  return fd >= 0 && ftruncate(fd, static_cast<off_t>(kFileBytes)) == 0 ? fd : -1;
}

SlotLayout plan(int count, size_t heap) {
  SlotLayout layout;
  EXPECT_EQ(plan_slots(count, 4096, true, heap, kFileBytes, &layout), UCCS_OK);
  return layout;
}

TEST(Segment, PlansSlotsThatHoldEverything) {
  for (size_t heap : {size_t{0}, size_t{1}, size_t{512} << 20, size_t{3} << 30}) {
    const SlotLayout layout = plan(4, heap);
    EXPECT_EQ(layout.heap_bytes, heap);
    EXPECT_LE(layout.heap_offset() + layout.heap_bytes, layout.slot_bytes);
    EXPECT_EQ(layout.slot_bytes % (2 * kMaxAlignment), kMaxAlignment);
  }
  SlotLayout automatic;
  ASSERT_EQ(plan_slots(64, 4096, false, 0, kFileBytes * 64, &automatic), UCCS_OK);
  EXPECT_GE(automatic.heap_bytes, size_t{1} << 28);
}

TEST(Segment, RefusesWhatDoesNotFit) {
  SlotLayout layout;
  testing::internal::CaptureStderr();
  EXPECT_EQ(plan_slots(1000, 4096, true, size_t{1} << 40, kFileBytes, &layout), UCCS_ERR_NO_MEMORY);
  EXPECT_NE(testing::internal::GetCapturedStderr().find("SHMEM_SYMMETRIC_SIZE"), std::string::npos);
}

TEST(Segment, EveryProcessSeesEverySlot) {
  const int fd = make_file();
  ASSERT_GE(fd, 0);
  const SlotLayout layout = plan(2, 1 << 20);
  const pid_t child = fork();
  ASSERT_GE(child, 0);
  NodeSegment segment;
  if (child == 0) {
    if (segment.attach(fd, 2, 1, layout) != UCCS_OK) _exit(1);
    *segment.slot(0) = std::byte{42};
    _exit(0);
  }
  ASSERT_EQ(segment.attach(fd, 2, 0, layout), UCCS_OK);
  int status = -1;
  waitpid(child, &status, 0);
  ASSERT_EQ(status, 0);
  EXPECT_EQ(*segment.slot(0), std::byte{42});
  EXPECT_EQ(reinterpret_cast<uintptr_t>(segment.slot(0)) % kMaxAlignment, 0u);
  close(fd);
}

TEST(Segment, NoticesDifferentLayouts) {
  const int fd = make_file();
  NodeSegment first, second;
  ASSERT_EQ(first.attach(fd, 2, 0, plan(2, 1 << 20)), UCCS_OK);
  testing::internal::CaptureStderr();
  EXPECT_EQ(second.attach(fd, 2, 1, plan(2, 2 << 20)), UCCS_ERR_STATE);
  EXPECT_NE(testing::internal::GetCapturedStderr().find("differs between ECs"), std::string::npos);
  close(fd);
}

int a_global = 17;
long an_array_in_bss[3000];

TEST(StaticData, GlobalsMoveToTheFileAndStayWhatTheyWere) {
  const StaticRange range = find_static_data();
  const auto inside = [&](const void* p) {
    return static_cast<size_t>(static_cast<const std::byte*>(p) - range.low) < range.bytes;
  };
  ASSERT_TRUE(inside(&a_global));
  ASSERT_TRUE(inside(an_array_in_bss));
  int on_stack = 0;
  EXPECT_FALSE(inside(&on_stack));
  an_array_in_bss[2999] = 5;
  const int fd = make_file();
  ASSERT_EQ(share_static_data(range, fd, 1 << 21), UCCS_OK);
  EXPECT_EQ(a_global, 17);
  EXPECT_EQ(an_array_in_bss[2999], 5);
  auto* mirror = static_cast<std::byte*>(
      mmap(nullptr, range.bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 1 << 21));
  auto* remote =
      reinterpret_cast<int*>(mirror + (reinterpret_cast<std::byte*>(&a_global) - range.low));
  *static_cast<volatile int*>(remote) = 99;
  EXPECT_EQ(*static_cast<volatile int*>(&a_global), 99);
}

}  // namespace
}  // namespace uccs::mem
