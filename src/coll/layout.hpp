// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include <atomic>
#include <cstddef>
#include <cstdint>

#include "core/group.hpp"

namespace uccs::coll {

constexpr size_t kLineBytes = 64;
constexpr size_t kPayloadBytes = 56;
constexpr int kMaxRounds = 16;   ///< dissemination rounds: 65536 members
constexpr int kQuickRounds = 4;  ///< up to 16 members: Own::partners
constexpr int kRingLines = 64;
constexpr int kBounces = 2;
constexpr size_t kBounceBytes = 4096;
constexpr size_t kNoteOffset = 6528;
constexpr size_t kNoteBytes = 1664;

/// A word with one writer (or an atomic counter) and a cache line to itself.
struct alignas(kLineBytes) Flag {
  std::atomic<uint64_t> value;
};

/// A flag that others write while this EC polls, with a pair of lines to itself: prefetchers fetch
/// neighbours, and a neighbour that is written next costs a transfer (barrier of 2: 70 ns, not 57).
struct alignas(2 * kLineBytes) LoneFlag {
  std::atomic<uint64_t> value;
  /// The same between nodes, of even and of odd barriers. Two, because puts of different threads
  /// may overtake each other.
  alignas(kLineBytes) std::atomic<uint64_t> of_nodes[2];
};

/// Data and the number that says it is there, in one cache line: one transfer brings both. The
/// payload comes first so that it is aligned for every type.
struct alignas(kLineBytes) Line {
  std::byte payload[kPayloadBytes];
  std::atomic<uint64_t> sequence;
};

enum class State : uint32_t {
  kNew = 0,      ///< zeroed: nothing was called on this group yet
  kReady = 1,    ///< set up
  kFar = 3,      ///< the group spans nodes: what is here is the head of a Far (far.hpp)
  kChecked = 2,  ///< set up, and every call is compared with member 0's (UCCS_CHECK)
};

/// What this EC knows about the group; no peer touches it. Kept here and not in core::Group, so
/// that copies of a Group stay in step and the numbers go on when the job starts again.
struct alignas(kLineBytes) Own {
  /// Rounds of a quick barrier: dissemination with all flags looked up. 0 while the group is new or
  /// checked, and where its shape is another one.
  int32_t quick_rounds;
  std::byte* origin;  ///< scratch of member 0, in groups with a table of EC 0, as mapped here
  ptrdiff_t stride;   ///< from one member's memory, or EC's, to the next one's
  State state;
  bool is_oversubscribed;  ///< more members than CPUs; the same on all members
  uint64_t barriers;       ///< barriers entered
  std::atomic<uint64_t>* partners[kQuickRounds];  ///< the flag to set in each round
  uint64_t lines_claimed;    ///< lines of the ring that collectives took so far
  uint64_t lines_safe;       ///< all members are done with the collectives that took those below
  uint64_t bounces_claimed;  ///< the same for bounce buffers
  uint64_t bounces_safe;
  uint64_t pulls_expected;  ///< value of Scratch::pulled when all pulls from this member are done
  uint32_t split_window;    ///< where group_split last found a free number
  uint64_t node_barriers;   ///< barriers between this node and others
};

/// One group's memory at one EC (core::kGroupScratchBytes, zero at first):
///
///        0 +-------------------------------------------------------------+
///          | own                            this EC's notes              |  128
///      128 | setup     member 0 says how the group waits                 |   64
///      192 | arrived   counter of the central barrier (member 0's)       |   64
///      256 | pulled    members that have read this EC's source           |   64
///      320 | published what this member says to all, between barriers    |   64
///      384 | barrier   [round] latest barrier; of_nodes: between nodes     | 2048
///     2432 | ring      64 lines of data, taken in turn                   | 4096
///     6528 | notes     a model's own, for its check mode                 | 1664
///     8192 | bounce    2 x 4 KiB for data of buffers peers cannot reach  | 8192
///    16384 +-------------------------------------------------------------+
struct Scratch {
  Own own;
  Flag setup;
  Flag arrived;
  Flag pulled;
  Line published;
  LoneFlag barrier[kMaxRounds];
  Line ring[kRingLines];
  std::byte notes[kNoteBytes];
  alignas(kBounceBytes) std::byte bounce[kBounces][kBounceBytes];
};

/// What must be zero in the scratch of a new group; bounce buffers may hold anything.
constexpr size_t kNotedBytes = offsetof(Scratch, bounce);

static_assert(sizeof(Flag) == kLineBytes && sizeof(Line) == kLineBytes);
static_assert(offsetof(Line, sequence) == kPayloadBytes);
static_assert(sizeof(Own) == 128 && offsetof(Scratch, setup) == 128);
static_assert(offsetof(Scratch, barrier) == 384 && offsetof(Scratch, ring) == 2432);
static_assert(offsetof(Scratch, notes) == kNoteOffset);
static_assert(offsetof(Scratch, bounce) == 8192 && sizeof(Scratch) == core::kGroupScratchBytes);
static_assert(std::atomic<uint64_t>::is_always_lock_free, "it is shared between processes");

}  // namespace uccs::coll
