// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include <cstddef>
#include <cstdint>

#include "base/backoff.hpp"
#include "coll/layout.hpp"
#include "core/direct.hpp"
#include "core/group.hpp"
#include "core/idle.hpp"

namespace uccs::coll {

using core::Group;

enum class Kind : uint64_t {
  kBarrier,
  kBroadcast,
  kAllgather,
  kAllgatherv,
  kAlltoall,
  kAllreduce,
  kScan,
  kGroupSplit,
  kGroupRelease,
};

const char* kind_name(Kind kind);

/// What must be alike on all members of a collective, for the check mode.
struct Call {
  Kind kind;
  uint64_t bytes = 0;
  int64_t root = 0;
};

/// Where the members of a group are in memory. The slots of the ECs have one size, so a copy of
/// anything symmetric is at `origin + place of the member * stride`: the place is the member's
/// index, and the origin member 0's copy, or in groups with a table the EC's number, and EC 0's.
struct Places {
  ptrdiff_t stride;
  const int* table;

  ptrdiff_t offset(int member) const {
    if (table != nullptr) [[unlikely]]
      member = table[member];
    return member * stride;
  }
};

/// Ends the job if `mine`, this EC's, is another call than `theirs`, the first member's.
void require_same(const Group& group, const Call& mine, const Call& theirs);

/// A group during one collective.
struct Members {
  Scratch& mine;
  Own& own;
  std::byte* origin;
  Places places;
  int rank;
  int size;
  int first_ec;
  Kind kind;

  Scratch& of(int member) const {
    return *reinterpret_cast<Scratch*>(origin + places.offset(member));
  }
};

/// First call on a group, or check mode.
void enter_slow(Group& group, Call call);

/// Begins a collective.
inline Members enter(Group& group, Call call) {
  Scratch& mine = *reinterpret_cast<Scratch*>(group.scratch);
  if (mine.own.state != State::kReady) [[unlikely]]
    enter_slow(group, call);
  return {.mine = mine,
          .own = mine.own,
          .origin = mine.own.origin,
          .places = {mine.own.stride, group.table},
          .rank = group.rank,
          .size = group.size,
          .first_ec = group.first,
          .kind = call.kind};
}

/// A buffer of the caller that all members can reach; false for one that they cannot.
struct Symmetric {
  std::byte* origin = nullptr;
  const Places* places = nullptr;  ///< of the collective's Members

  explicit operator bool() const { return origin != nullptr; }
  std::byte* at(int member) const { return origin + places->offset(member); }
};

/// The buffer of which member 0's copy is at `first` here.
inline Symmetric symmetric_from(const Members& members, std::byte* first) {
  if (members.places.table != nullptr) [[unlikely]]
    first -= members.places.offset(0);
  return {first, &members.places};
}

inline Symmetric symmetric(const Members& members, const void* buffer) {
  auto* first = static_cast<std::byte*>(core::translate(buffer, members.first_ec));
  return first != nullptr ? symmetric_from(members, first) : Symmetric{};
}

/// Says where this EC waits and goes on pausing until told to look again; ends with a job that
/// ends.
class LongWait {
 public:
  explicit LongWait(Kind kind);
  ~LongWait();
  LongWait(const LongWait&) = delete;
  LongWait& operator=(const LongWait&) = delete;
  void pause(base::Backoff& backoff);
};

/// `is_ready` is a small object that is copied, so that the callers keep their registers.
/// `look_out(backoff)` looks for what it tells of alone, for who waits for nothing else: true if
/// something has come.
template <typename Ready, typename LookOut>
[[gnu::noinline]] void wait_for(Kind kind, Ready is_ready, LookOut look_out) {
  for (base::Backoff backoff;; backoff.pause()) {
    if (look_out(backoff) && is_ready()) return;
    // A member may wait for a message of this EC before it arrives.
    if (core::progress_idle() > 0) [[unlikely]]
      backoff.reset();
    if (is_ready()) return;
    if (backoff.will_sleep()) [[unlikely]] {
      LongWait slow(kind);
      while (!is_ready()) slow.pause(backoff);
      return;
    }
  }
}

/// Returns when `is_ready()`. All waiting of this room happens here.
template <typename Ready, typename LookOut>
inline void wait(Kind kind, Ready is_ready, LookOut look_out) {
  if (!is_ready()) wait_for(kind, is_ready, look_out);
}
template <typename Ready>
inline void wait(Kind kind, Ready is_ready) {
  wait(kind, is_ready, [](base::Backoff&) { return false; });
}

/// All members have arrived and what they stored before is visible. Nothing else is concluded.
void arrive(const Members& members);

/// After a barrier: everybody is through with earlier collectives, so that all lines and bounce
/// buffers are free again.
inline void conclude(Own& own) {
  own.lines_safe = own.lines_claimed;
  own.bounces_safe = own.bounces_claimed;
}

/// `arrive` between two uses of lines and bounce buffers.
inline void synchronise(const Members& members) {
  arrive(members);
  conclude(members.own);
}

/// `arrive` by dissemination whatever the group's shape: on return no peer touches this EC's
/// scratch any more, nor reads it.
void arrive_by_dissemination(const Members& members);

}  // namespace uccs::coll
