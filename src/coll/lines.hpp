// SPDX-License-Identifier: BSD-3-Clause
/// The ring of lines and the bounce buffers: who may write where, and when it is there.
///
/// All members of a group make the same collectives, so they take the same lines in the same order
/// without talking: a claim is a range of positions, and position p is line p % kRingLines of every
/// member's ring. In one claim each line has one writer. Sequence p + 1 in a line says that the
/// payload of position p is there.
///
/// A line may be written again when all members are done with its last position. What is known of
/// that is `lines_safe`: all members are done with all collectives that claimed positions below.
/// It moves
///   - to everything claimed, with a barrier;
///   - to the begin of a claim, when its collective let this member hear from all others: they
///     entered it, so they had left the ones before.
/// Both happen on all members alike, so all see in the same call that the ring would overrun, and
/// synchronise first. Between full exchanges that never happens; a stream of broadcasts pays one
/// barrier every kRingLines calls. Bounce buffers follow the same rules with kBounces in place of
/// kRingLines. tests/models/coll_ring.pml checks this.
#pragma once
#include <cstring>

#include "coll/members.hpp"
#include "coll/patterns/division.hpp"

namespace uccs::coll {

struct Claim {
  uint64_t line;    ///< first position
  uint64_t bounce;  ///< number of the bounce buffer
};

/// Takes `lines` lines and, if asked, a bounce buffer. All members must.
inline Claim claim(const Members& members, int lines, int bounces) {
  Own& own = members.own;
  if (own.lines_claimed + static_cast<uint64_t>(lines) > own.lines_safe + kRingLines ||
      own.bounces_claimed + static_cast<uint64_t>(bounces) > own.bounces_safe + kBounces)
      [[unlikely]]
    synchronise(members);
  const Claim taken = {own.lines_claimed, own.bounces_claimed};
  own.lines_claimed += static_cast<uint64_t>(lines);
  own.bounces_claimed += static_cast<uint64_t>(bounces);
  return taken;
}

/// To be called on all members of a collective that cannot end before all have entered it.
inline void all_entered(const Members& members, const Claim& claim) {
  members.own.lines_safe = claim.line;
  members.own.bounces_safe = claim.bounce;
}

inline std::byte* bounce_of(const Members& members, int member, const Claim& claim) {
  return members.of(member).bounce[claim.bounce % kBounces];
}

inline void copy_payload(void* dest, const void* source, size_t bytes) {
  if (bytes == sizeof(uint64_t)) {
    std::memcpy(dest, source, sizeof(uint64_t));
  } else {
    std::memcpy(dest, source, bytes);
  }
}

/// Writes data into member `to`'s line of `position`.
inline void post(const Members& members, int to, uint64_t position, const void* data,
                 size_t bytes) {
  Line& line = members.of(to).ring[position % kRingLines];
  copy_payload(line.payload, data, bytes);
  // Release: the payload, and data put elsewhere before. Pairs with `await`.
  line.sequence.store(position + 1, std::memory_order_release);
}

/// The same without data: what was put before is there.
inline void signal(const Members& members, int to, uint64_t position) {
  Line& line = members.of(to).ring[position % kRingLines];
  line.sequence.store(position + 1, std::memory_order_release);
}

/// Waits for this member's line of `position`; the payload stays until the next claim.
inline const std::byte* await(const Members& members, uint64_t position) {
  const Line& line = members.mine.ring[position % kRingLines];
  wait(members.kind, [&] { return line.sequence.load(std::memory_order_acquire) == position + 1; });
  return line.payload;
}

/// Up to how many members everybody writes to everybody: one step, but n - 1 stores. With more
/// members than CPUs each further step costs a turn of every process, so more stores pay.
constexpr int kFlatMembers = 16;
constexpr int kFlatMembersOversubscribed = 32;
static_assert(2 * kFlatMembersOversubscribed <= kRingLines, "two full exchanges fit");

inline bool is_flat(const Members& members) {
  return members.size <=
         (members.own.is_oversubscribed ? kFlatMembersOversubscribed : kFlatMembers);
}

/// Bytes of one member's part of a bounce buffer.
inline size_t bounce_slot(const Members& members) {
  return kBounceBytes / static_cast<size_t>(members.size) / kLineBytes * kLineBytes;
}

/// What all members sent this one: block i is member i's, its own excepted. Good until the next
/// claim.
struct Blocks {
  const Scratch& mine;
  Claim claim;
  size_t slot;  ///< 0: the blocks are in lines

  const std::byte* at(int member) const {
    if (slot == 0)
      return mine.ring[(claim.line + static_cast<uint64_t>(member)) % kRingLines].payload;
    return mine.bounce[claim.bounce % kBounces] + static_cast<size_t>(member) * slot;
  }
};

/// True if `exchange` takes blocks of `bytes`.
inline bool can_exchange(const Members& members, size_t bytes) {
  return is_flat(members) && (bytes <= kPayloadBytes || bytes <= bounce_slot(members));
}

/// `exchange` for blocks that do not fit into lines.
Blocks exchange_bounced(const Members& members, const std::byte* source, size_t source_step,
                        size_t bytes);

/// Every member sends `bytes` at source + i * source_step to member i. One step; no member's
/// buffers are touched, so they may be private. Ends when all have entered.
inline Blocks exchange(const Members& members, const void* source, size_t source_step,
                       size_t bytes) {
  const auto* from = static_cast<const std::byte*>(source);
  if (bytes > kPayloadBytes) return exchange_bounced(members, from, source_step, bytes);
  const int n = members.size, rank = members.rank;
  const Claim taken = claim(members, n, 0);
  const uint64_t own_line = taken.line + static_cast<uint64_t>(rank);
  for (int step = 1; step < n; ++step) {
    const int to = patterns::rotated(rank, n, step);
    post(members, to, own_line, from + static_cast<size_t>(to) * source_step, bytes);
  }
  for (int step = 1; step < n; ++step)
    await(members, taken.line + static_cast<uint64_t>(patterns::rotated_back(rank, n, step)));
  all_entered(members, taken);
  return {members.mine, taken, 0};
}

}  // namespace uccs::coll
