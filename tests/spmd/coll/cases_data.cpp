// SPDX-License-Identifier: BSD-3-Clause
/// Every collective of the world at every size, from every place, at every root.
#include <algorithm>

#include "buffers.hpp"

namespace uccs::test {
namespace {

constexpr size_t kHalf = kAreaBytes / 2 - 2 * Buffer::kMargin;

/// Small efforts leave out what takes long and changes no path.
constexpr size_t kLongBytes = 60000;
bool is_worth(const Ec& ec, size_t bytes) { return ec.effort >= 50 || bytes < kLongBytes; }

/// True where blocks of `bytes` from all members fit, and the work stays bearable.
bool fits(const Ec& ec, size_t bytes) {
  const size_t all = bytes * static_cast<size_t>(ec.size);
  return all <= kHalf / 2 && is_worth(ec, all / 8);
}

}  // namespace

void broadcasts(Ec& ec) {
  core::Group& world = *ec.world;
  int round = 0;
  for (const size_t bytes : kSizes)
    for (int root = 0; root < world.size; ++root) {
      if (root % 5 > 2) continue;
      if (bytes > 100000 && root > 1) continue;
      if (!is_worth(ec, bytes)) continue;
      for_places(ec, [&](Place source, Place dest) {
        for (const bool at_root : {true, false})
          check_broadcast(ec, world, bytes, root, at_root, source, dest, ++round);
      });
      check_broadcast_in_place(ec, world, bytes, root, Place::kHeap, ++round);
      check_broadcast_in_place(ec, world, bytes, root, Place::kPrivate, ++round);
    }
}

void gathers(Ec& ec) {
  core::Group& world = *ec.world;
  int round = 0;
  for (const size_t bytes : kSizes) {
    if (!fits(ec, bytes)) continue;
    for_places(ec, [&](Place source, Place dest) {
      check_allgather(ec, world, bytes, source, dest, ++round);
      for (int i = 0; i < 3; ++i) check_allgatherv(ec, world, bytes, source, dest, ++round);
    });
  }
  for (size_t bytes = 0; bytes < 140; bytes += 3)
    check_allgatherv(ec, world, bytes, Place::kPrivate, Place::kPrivate, ++round);
}

void alltoalls(Ec& ec) {
  core::Group& world = *ec.world;
  int round = 0;
  for (const size_t bytes : kSizes) {
    if (!fits(ec, bytes)) continue;
    for_places(ec, [&](Place source, Place dest) {
      check_alltoall(ec, world, bytes, source, dest, ++round);
    });
  }
  for (const size_t element : {1, 2, 4, 8, 12, 16})
    for (const size_t count : {0, 1, 3, 17, 700}) {
      if (!fits(ec, element * count * 3)) continue;
      for_places(ec, [&](Place source, Place dest) {
        check_alltoall_strided(ec, world, element, count, 1, 1, source, dest, ++round);
        check_alltoall_strided(ec, world, element, count, 2, 1, source, dest, ++round);
        check_alltoall_strided(ec, world, element, count, 1, 3, source, dest, ++round);
        check_alltoall_strided(ec, world, element, count, 2, 3, source, dest, ++round);
      });
    }
}

namespace {

constexpr size_t kCounts[] = {0, 1, 7, 8, 9, 100, 256, 257, 1000, 8192, 50001};

}  // namespace

void reductions(Ec& ec) {
  int round = 0;
  for (const size_t count : kCounts)
    for (const bool in_place : {false, true})
      for_places(ec, [&](Place source, Place dest) {
        if (!is_worth(ec, count * 8)) return;
        check_allreduce(ec, *ec.world, count, source, dest, in_place, ++round);
      });
}

void scans(Ec& ec) {
  int round = 0;
  for (const size_t count : kCounts)
    for (const bool in_place : {false, true})
      for (const bool is_inclusive : {false, true})
        for_places(ec, [&](Place source, Place dest) {
          if (!is_worth(ec, count * 8)) return;
          check_scan(ec, *ec.world, count, is_inclusive, source, dest, in_place, ++round);
        });
}

/// Everything once, with little data: for very many ECs.
void crowds(Ec& ec) {
  core::Group& world = *ec.world;
  const int last = world.size - 1;
  int round = 0;
  for (const size_t bytes : {8, 70}) {
    const size_t count = bytes / 8;
    for (const Place place : {Place::kHeap, Place::kPrivate}) {
      check_broadcast(ec, world, bytes, last, true, place, place, ++round);
      check_allgather(ec, world, bytes, place, place, ++round);
      check_allgatherv(ec, world, bytes, place, place, ++round);
      check_alltoall(ec, world, bytes, place, place, ++round);
      check_allreduce(ec, world, count, place, place, false, ++round);
      check_scan(ec, world, count, true, place, place, false, ++round);
      check_scan(ec, world, count, false, place, place, false, ++round);
    }
  }
}

}  // namespace uccs::test
