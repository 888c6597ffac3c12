// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>

#include "coll/coll.hpp"
#include "coll/far.hpp"
#include "coll/lines.hpp"
#include "coll/patterns/division.hpp"
#include "coll/reduce.hpp"
#include "coll/staged.hpp"
#include "mem/copy.hpp"

namespace uccs::coll {
namespace {

/// Writes this member's block to the same place of every dest. Completed by a barrier.
void push_to_all(const Members& members, Symmetric dests, const void* source, size_t bytes,
                 size_t offset) {
  if (bytes > 0)
    for (int step = 1; step < members.size; ++step) {
      const int to = patterns::rotated(members.rank, members.size, step);
      mem::copy(dests.at(to) + offset, source, bytes);
    }
  synchronise(members);
}

/// Blocks of private buffers: block i has bytes_of(i), at most `longest`, and goes to offset_of(i).
template <typename BytesOf, typename OffsetOf>
void gather_staged(const Members& members, std::byte* dest, const std::byte* source, size_t longest,
                   BytesOf bytes_of, OffsetOf offset_of) {
  for (size_t done = 0; done < longest; done += kBounceBytes) {
    const auto length_of = [&](int i) {
      const size_t bytes = bytes_of(i);
      return bytes > done ? std::min(kBounceBytes, bytes - done) : 0;
    };
    staged_round(
        members,
        [&](std::byte* buffer) {
          if (const size_t length = length_of(members.rank))
            std::memcpy(buffer, source + done, length);
        },
        [&](const std::byte* buffer, int i) {
          if (const size_t length = length_of(i))
            std::memcpy(dest + offset_of(i) + done, buffer, length);
        });
  }
}

/// This member's place among blocks of different sizes.
struct Place {
  uint64_t bytes;
  uint64_t offset;
};

struct Packed {
  size_t offset;  ///< of this member's block
  size_t total;
};

/// The first bytes of a block that travel with its size.
constexpr size_t kEarlyBytes = kPayloadBytes - sizeof(uint64_t);
struct SizedBlock {
  uint64_t bytes;
  std::byte early[kEarlyBytes];
};
static_assert(sizeof(SizedBlock) == kPayloadBytes);

/// allgatherv where everybody hears everybody's size, and the whole block if it is short.
Packed gather_by_exchange(const Members& members, std::byte* dest, Symmetric dests,
                          const void* source, size_t bytes) {
  SizedBlock own{bytes, {}};
  if (bytes > 0) std::memcpy(own.early, source, std::min(bytes, kEarlyBytes));
  const Blocks blocks = exchange(members, &own, 0, sizeof own);
  SizedBlock all[kFlatMembersOversubscribed];
  size_t offsets[kFlatMembersOversubscribed] = {};
  size_t total = 0;
  size_t longest = 0;
  for (int i = 0; i < members.size; ++i) {
    SizedBlock& block = all[i];
    std::memcpy(&block, i == members.rank ? static_cast<const void*>(&own) : blocks.at(i),
                sizeof block);
    offsets[i] = total;
    total += block.bytes;
    longest = std::max<size_t>(longest, block.bytes);
    if (i != members.rank && block.bytes > 0 && block.bytes <= kEarlyBytes)
      std::memcpy(dest + offsets[i], block.early, block.bytes);
  }
  const Packed packed = {offsets[members.rank], total};
  if (longest <= kEarlyBytes) return packed;
  if (dests) {
    push_to_all(members, dests, source, bytes > kEarlyBytes ? bytes : 0, packed.offset);
  } else {
    gather_staged(
        members, dest, static_cast<const std::byte*>(source), longest,
        [&](int i) { return all[i].bytes; }, [&](int i) { return offsets[i]; });
  }
  return packed;
}

void add_and_max(void* acc, const void* in, size_t) {
  uint64_t a[2], b[2];
  std::memcpy(a, acc, sizeof a);
  std::memcpy(b, in, sizeof b);
  a[0] += b[0];
  a[1] = std::max(a[1], b[1]);
  std::memcpy(acc, a, sizeof a);
}

/// allgatherv of many members: each learns its place by a prefix sum, and nobody all sizes.
Packed gather_by_prefix(const Members& members, std::byte* dest, Symmetric dests,
                        const void* source, size_t bytes) {
  const uint64_t own[2] = {bytes, bytes};
  uint64_t before[2], all[2];
  scan_lines(members, before, own, sizeof own, 1, add_and_max, false);
  reduce_lines(members, all, own, sizeof own, 1, add_and_max);
  const Packed packed = {.offset = before[0], .total = all[0]};
  const size_t longest = all[1];
  if (longest == 0) return packed;
  if (dests) {
    push_to_all(members, dests, source, bytes, packed.offset);
    return packed;
  }
  synchronise(members);  // all are done with what was published before
  const Place place = {bytes, packed.offset};
  std::memcpy(members.mine.published.payload, &place, sizeof place);
  const auto place_of = [&](int i) {
    Place other;
    std::memcpy(&other, members.of(i).published.payload, sizeof other);
    return other;
  };
  gather_staged(
      members, dest, static_cast<const std::byte*>(source), longest,
      [&](int i) { return place_of(i).bytes; }, [&](int i) { return place_of(i).offset; });
  synchronise(members);  // the place stays until all have read it
  return packed;
}

}  // namespace

void allgather(Group& group, void* dest, const void* source, size_t bytes) {
  if (is_far(group)) [[unlikely]]
    return far::allgather(group, dest, source, bytes);
  const Members members = enter(group, {.kind = Kind::kAllgather, .bytes = bytes});
  if (bytes == 0) return;
  auto* to = static_cast<std::byte*>(dest);
  std::byte* own = to + bytes * static_cast<size_t>(members.rank);
  if (members.size > 1) {
    const bool is_short = bytes <= kPayloadBytes && is_flat(members);
    const Symmetric dests = is_short ? Symmetric{} : symmetric(members, dest);
    if (!dests && can_exchange(members, bytes)) {
      const Blocks blocks = exchange(members, source, 0, bytes);
      for (int i = 0; i < members.size; ++i)
        if (i != members.rank)
          copy_payload(to + bytes * static_cast<size_t>(i), blocks.at(i), bytes);
    } else if (dests) {
      push_to_all(members, dests, source, bytes, bytes * static_cast<size_t>(members.rank));
    } else {
      gather_staged(
          members, to, static_cast<const std::byte*>(source), bytes, [&](int) { return bytes; },
          [&](int i) { return bytes * static_cast<size_t>(i); });
    }
  }
  if (own != source) mem::copy(own, source, bytes);
}

void allgatherv(Group& group, void* dest, const void* source, size_t bytes, size_t* total_out) {
  if (is_far(group)) [[unlikely]]
    return far::allgatherv(group, dest, source, bytes, total_out);
  const Members members = enter(group, {.kind = Kind::kAllgatherv});
  auto* to = static_cast<std::byte*>(dest);
  Packed packed = {.offset = 0, .total = bytes};
  if (members.size > 1) {
    const Symmetric dests = symmetric(members, dest);
    packed = is_flat(members) ? gather_by_exchange(members, to, dests, source, bytes)
                              : gather_by_prefix(members, to, dests, source, bytes);
  }
  if (bytes > 0) mem::copy(to + packed.offset, source, bytes);
  if (total_out != nullptr) *total_out = packed.total;
}

}  // namespace uccs::coll
