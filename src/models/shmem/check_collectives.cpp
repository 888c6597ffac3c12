// SPDX-License-Identifier: BSD-3-Clause
#include "models/shmem/check_collectives.hpp"

#include <cstdio>
#include <cstring>

#include "base/log.hpp"
#include "coll/coll.hpp"
#include "coll/layout.hpp"
#include "core/direct.hpp"
#include "core/job.hpp"
#include "models/shmem/check_far.hpp"
#include "models/shmem/waiting.hpp"
#include "rte/identity.hpp"

namespace uccs::shmem {
namespace {

/// What a member says about one call. It is rewritten two calls of the group later: nobody gets
/// that far before all members have said, and thus read, what lies between.
struct Said {
  std::atomic<uint64_t> number;  ///< of the call on this group, from 1; stored last
  char call[64];
  int64_t agreed[kMaxAgreed];
  uint64_t gathered_count;
  uint64_t dest, source;  ///< symmetric places, 0 without bytes
};

/// One EC's, in the scratch of a group.
struct Notes {
  std::atomic<const void*> user;  ///< thread of this EC that is inside a collective of the group
  uint64_t calls;                 ///< of the group, entered
  Said said[2];
};
static_assert(sizeof(Notes) <= coll::kNoteBytes);

/// Where an EC waits for others to say something. `version` is odd while it is written.
struct Where {
  std::atomic<uint64_t> version;
  std::atomic<uint64_t> group;   ///< distance of its scratch from the heap's start; 0: nowhere
  std::atomic<uint64_t> number;  ///< of the call
  std::atomic<int> first, stride, size;
  char call[64];
};

Where* where = nullptr;  // symmetric

constexpr uint32_t kLooksPerFarLook = 16;

// The collective that this thread is inside.
thread_local std::atomic<const void*>* taken = nullptr;

Notes& notes_of(const core::Group& group) {
  return *reinterpret_cast<Notes*>(coll::symmetric_scratch(group) + coll::kNoteOffset);
}

template <class T>
T* at_peer(T* mine, int ec) {
  return static_cast<T*>(core::translate(mine, ec));
}

uint64_t distance_of(const core::Group& group) {
  return reinterpret_cast<uintptr_t>(coll::symmetric_scratch(group)) - core::direct_map.heap_low;
}

void say_where(const core::Group& group, const char* call, uint64_t number) {
  where->version.fetch_add(1);
  where->group = distance_of(group);
  where->number = number;
  where->first = group.first;
  where->stride = group.stride;
  where->size = group.table == nullptr ? group.size : 0;  // 0: others cannot tell who is in it
  snprintf(where->call, sizeof where->call, "%s", call);
  where->version.fetch_add(1);
}

void say_nowhere() {
  where->version.fetch_add(1);
  where->group = 0;
  where->version.fetch_add(1);
}

void describe(const core::Group& group, char* text, size_t bytes) {
  if (group.size == core::job.size && group.stride == 1)
    snprintf(text, bytes, "all %d PEs", group.size);
  else if (group.size == 1)
    snprintf(text, bytes, "PE %d alone", group.first);
  else if (group.table != nullptr)
    snprintf(text, bytes, "%d PEs that were split by color", group.size);
  else
    snprintf(text, bytes, "%d PEs, from PE %d in steps of %d", group.size, group.first,
             group.stride);
}

/// Where `ec` waits; false if it writes that just now.
bool look_where(const char* call, int ec, Where* theirs_out) {
  const auto* seen = reinterpret_cast<const std::byte*>(at_peer(where, ec));
  const auto read = [&](void* to, size_t bytes) {
    if (seen != nullptr)
      memcpy(to, seen, bytes);
    else
      fetch(call, to, where, bytes, ec);
    std::atomic_thread_fence(std::memory_order_seq_cst);
  };
  // What is read between two looks at the same even version belongs together.
  uint64_t before, after;
  read(&before, sizeof before);
  if (before % 2 != 0) return false;
  read(theirs_out, sizeof *theirs_out);
  read(&after, sizeof after);
  return before == after;
}

/// True if `ec` waits in a collective of another group, for this EC too: neither can go on.
void check_deadlock(const core::Group& group, const char* call, int ec) {
  Where theirs = {};
  if (!look_where(call, ec, &theirs)) return;
  core::Group other;
  const uint64_t distance = theirs.group, number = theirs.number;
  other.first = theirs.first;
  other.stride = theirs.stride;
  other.size = theirs.size;
  if (distance == 0 || distance == distance_of(group)) return;
  if (core::group_index(other, core::job.me) < 0) return;
  other.scratch = reinterpret_cast<std::byte*>(core::direct_map.heap_low + distance);
  if (notes_of(other).calls >= number) return;  // it waits for somebody else
  char our_text[64], their_text[64];
  describe(group, our_text, sizeof our_text);
  describe(other, their_text, sizeof their_text);
  base::fatal(
      "collectives do not match: PE %d is in %s on the team of %s, and PE %d in %s on another "
      "team, "
      "of %s: each waits for the other; all members must call the same collectives in the same "
      "order",
      core::job.me, call, our_text, ec, theirs.call, their_text);
}

/// Until `has_said()`.
template <class HasSaid>
void wait_for(const core::Group& group, const char* call, uint64_t number, int ec,
              HasSaid has_said) {
  if (has_said()) return;
  int level;
  pshmem_query_thread(&level);
  const bool is_one_at_a_time = level < SHMEM_THREAD_MULTIPLE;
  if (is_one_at_a_time) say_where(group, call, number);
  Waiting waiting(call);
  // To look into another node takes some tens of microseconds, and its CPU.
  const uint32_t every = core::translate(where, ec) != nullptr ? 1 : kLooksPerFarLook;
  for (uint32_t looks = 1; !has_said(); ++looks) {
    if (is_one_at_a_time && looks % every == 0) check_deadlock(group, call, ec);
    waiting.pause();
  }
  if (is_one_at_a_time) say_nowhere();
}

/// What a member says about this call, when it has; on another node: a copy in `copy`.
const Said& hear(const core::Group& group, const char* call, const Said& mine, uint64_t number,
                 int ec, Said* copy) {
  if (const Said* const theirs = at_peer(&mine, ec)) {
    // Acquire: pairs with the release in exchange.
    wait_for(group, call, number, ec,
             [&] { return theirs->number.load(std::memory_order_acquire) >= number; });
    return *theirs;
  }
  wait_for(group, call, number, ec, [&] {
    fetch(call, &copy->number, &mine.number, sizeof mine.number, ec);
    return copy->number.load(std::memory_order_relaxed) >= number;
  });
  fetch(call, copy, &mine, sizeof *copy, ec);  // complete, as its number has been seen
  return *copy;
}

/// sync_all is team_sync on the world.
const char* plain_name(const core::Group& group, const char* call) {
  if (group.id == 0 && strcmp(call, "shmem_team_sync") == 0) return "shmem_sync_all";
  return call;
}

void compare(const core::Group& group, const char* call, const Collective& what, const Said& mine,
             const Said& theirs, int ec) {
  if (strcmp(mine.call, theirs.call) != 0) {
    char text[64];
    describe(group, text, sizeof text);
    base::fatal(
        "collectives do not match on a team of %s: PE %d is in %s, and PE %d in %s; all members "
        "must call the same collectives in the same order",
        text, core::job.me, mine.call, ec, theirs.call);
  }
  for (int i = 0; i < kMaxAgreed && what.agreed[i].name != nullptr; ++i)
    if (mine.agreed[i] != theirs.agreed[i])
      base::fatal(
          "%s: %s is %lld on PE %d, and %lld on PE %d: it must be the same on all members of the "
          "team",
          call, what.agreed[i].name, static_cast<long long>(mine.agreed[i]), core::job.me,
          static_cast<long long>(theirs.agreed[i]), ec);
}

/// The same on all PEs for what is at the same place of their heaps or static data.
uint64_t place_of(const Span& span) {
  if (span.bytes == 0) return 0;
  const auto address = reinterpret_cast<uintptr_t>(span.address);
  const uintptr_t in_heap = address - core::direct_map.heap_low;
  if (in_heap < core::direct_map.heap_bytes) return in_heap;
  return (address - core::direct_map.static_low) | uint64_t{1} << 63;
}

void warn_of_places(const char* call, const char* name, uint64_t mine, uint64_t theirs, int ec) {
  if (mine == theirs || mine == 0 || theirs == 0) return;
  static std::atomic<bool> is_told{false};
  if (is_told.exchange(true)) return;
  base::log_line(base::LogLevel::kWarn,
                 "%s: %s is another symmetric object, or another part of it, than on PE %d: the "
                 "standard wants the same one on all members (told once)",
                 call, name, ec);
}

/// Between nodes the first members there stand for the others, who are compared with them.
bool is_first_of_node(const core::Group& group, int member) {
  return member == 0 || rte::node_of(core::group_ec(group, member - 1)) !=
                            rte::node_of(core::group_ec(group, member));
}

/// Returns the sum of the members' counts; of other nodes only those are known that are compared.
size_t exchange(const core::Group& group, const char* call, const Collective& what) {
  Notes& notes = notes_of(group);
  const uint64_t number = ++notes.calls;
  Said& mine = notes.said[number % 2];
  snprintf(mine.call, sizeof mine.call, "%s", plain_name(group, call));
  for (int i = 0; i < kMaxAgreed; ++i) mine.agreed[i] = what.agreed[i].value;
  mine.gathered_count = what.gathered_count;
  mine.dest = place_of(what.dest);
  mine.source = place_of(what.source);
  mine.number.store(number, std::memory_order_release);  // pairs with hear
  size_t sum = what.gathered_count;
  const bool stands_for_node = is_first_of_node(group, group.rank);
  for (int member = 0; member < group.size; ++member) {
    const int ec = core::group_ec(group, member);
    if (member == group.rank) continue;
    const bool is_far = at_peer(&mine, ec) == nullptr;
    if (is_far && !(stands_for_node && is_first_of_node(group, member))) continue;
    Said copy;
    const Said& theirs = hear(group, call, mine, number, ec, &copy);
    compare(group, call, what, mine, theirs, ec);
    warn_of_places(call, "dest", mine.dest, theirs.dest, ec);
    warn_of_places(call, "source", mine.source, theirs.source, ec);
    if (__builtin_add_overflow(sum, theirs.gathered_count, &sum)) sum = SIZE_MAX;
  }
  return sum;
}

void check_buffers(const char* call, const Collective& what, const Span& dest) {
  check_symmetric(call, dest, what.alignment);
  check_symmetric(call, what.source, what.alignment);
  if (what.may_be_in_place && dest.address == what.source.address) return;
  check_disjoint(call, dest, what.source);
}

}  // namespace

Collective moves(const void* dest, size_t dest_blocks, const void* source, size_t source_blocks,
                 size_t nelems, size_t element) {
  Collective what;
  const size_t block = bytes_of(nelems, element);
  what.agreed[0] = {"nelems", static_cast<int64_t>(nelems)};
  what.dest = {"dest", dest, bytes_of(block, dest_blocks)};
  what.source = {"source", source, bytes_of(block, source_blocks)};
  what.alignment = element;
  return what;
}

Collective broadcasts(const void* dest, const void* source, size_t nelems, size_t element,
                      int root) {
  Collective what = moves(dest, 1, source, 1, nelems, element);
  what.agreed[1] = {"PE_root", root};
  return what;
}

Collective collects(const void* dest, const void* source, size_t nelems, size_t element) {
  Collective what = moves(dest, 0, source, 1, nelems, element);
  what.agreed[0] = {};
  what.gathered_element = element;
  what.gathered_count = nelems;
  return what;
}

Collective strides(const char* call, const void* dest, const void* source, ptrdiff_t dst,
                   ptrdiff_t sst, size_t nelems, size_t element, int size) {
  const auto extent = [&](const char* name, ptrdiff_t stride) {
    if (stride < 1)
      base::fatal("%s: %s is %td: a stride counts elements and is at least 1", call, name, stride);
    if (nelems == 0) return size_t{0};
    const size_t last = bytes_of(nelems, static_cast<size_t>(size)) - 1;
    const size_t distance = bytes_of(last, static_cast<size_t>(stride));
    return distance > PTRDIFF_MAX ? SIZE_MAX : bytes_of(distance + 1, element);
  };
  Collective what;
  what.agreed[0] = {"nelems", static_cast<int64_t>(nelems)};
  what.agreed[1] = {"dst", dst};
  what.agreed[2] = {"sst", sst};
  what.dest = {"dest", dest, extent("dst", dst)};
  what.source = {"source", source, extent("sst", sst)};
  what.alignment = element;
  return what;
}

Collective reduces(const void* dest, const void* source, const char* name, size_t nelems,
                   size_t element, size_t alignment) {
  Collective what = moves(dest, 1, source, 1, nelems, element);
  what.agreed[0].name = name;
  what.alignment = alignment;
  what.may_be_in_place = true;
  return what;
}

void check_collective(const core::Group& group, const char* call, const Collective& what) {
  const void* before = nullptr;
  if (!notes_of(group).user.compare_exchange_strong(before, this_thread()) &&
      before != this_thread())
    base::fatal(
        "%s: another thread of this PE is inside a collective on the same team: one thread of a PE "
        "at a time may be",
        call);
  taken = &notes_of(group).user;
  if (what.gathered_element == 0) check_buffers(call, what, what.dest);
  const size_t sum = exchange(group, call, what);
  if (what.gathered_element != 0)
    check_buffers(call, what, {"dest", what.dest.address, bytes_of(sum, what.gathered_element)});
}

void leave_collective() {
  if (taken != nullptr) *taken = nullptr;
  taken = nullptr;
}

void prepare_comparisons() {
  if (where == nullptr)
    where = static_cast<Where*>(core::internal_allocate(sizeof(Where), alignof(Where)));
}

}  // namespace uccs::shmem
