// SPDX-License-Identifier: BSD-3-Clause
#include "mem/copy.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace uccs::mem {
namespace {

TEST(Copy, NontemporalCopiesExactlyTheBytesAsked) {
  for (size_t bytes : {0, 1, 7, 63, 64, 65, 127, 128, 1000, 4096, 100003}) {
    for (size_t shift_to : {0, 1, 8, 63}) {
      for (size_t shift_from : {0, 3, 32}) {
        std::vector<unsigned char> from(bytes + 200), to(bytes + 200, 0xEE);
        for (size_t i = 0; i < from.size(); ++i) from[i] = static_cast<unsigned char>(i * 31 + 7);
        copy_nontemporal(to.data() + shift_to, from.data() + shift_from, bytes);
        for (size_t i = 0; i < to.size(); ++i) {
          const bool inside = i >= shift_to && i < shift_to + bytes;
          ASSERT_EQ(to[i], inside ? from[i - shift_to + shift_from] : 0xEE) << bytes << " at " << i;
        }
      }
    }
  }
}

TEST(Copy, ThresholdIsBeyondWhatCachesHold) { EXPECT_GE(nontemporal_threshold, size_t{1} << 20); }

}  // namespace
}  // namespace uccs::mem
