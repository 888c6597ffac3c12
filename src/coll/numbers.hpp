// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include <atomic>
#include <cstdint>

#include "core/group.hpp"

namespace uccs::coll {

/// Which numbers of groups this EC can still be a member of. Kept in the scratch of the last
/// number, which is therefore never given away, so it is this EC's even where several ECs share a
/// process. Lock-free; in zeroed memory all are free.
class Numbers {
 public:
  static constexpr int kLastNumber = core::kMaxGroups - 1;
  /// Numbers are looked at in windows of this many words.
  static constexpr uint32_t kWindowWords = 7;
  static constexpr uint32_t kWindows =
      (core::kMaxGroups + 64 * kWindowWords - 1) / (64 * kWindowWords);

  /// This EC's table.
  static Numbers& mine();

  /// The numbers of a window that are free just now: bit i of word w is number
  /// (window * kWindowWords + w) * 64 + i.
  void look(uint32_t window, uint64_t free_out[kWindowWords]) const;
  /// False if somebody else has it.
  bool take(int number);
  void release(int number);

 private:
  std::atomic<uint64_t> taken_[kWindows * kWindowWords];
};
static_assert(sizeof(Numbers) <= core::kGroupScratchBytes);

}  // namespace uccs::coll
