// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>

#include "coll/coll.hpp"
#include "coll/far.hpp"
#include "coll/lines.hpp"
#include "coll/patterns/division.hpp"
#include "coll/staged.hpp"
#include "mem/copy.hpp"

namespace uccs::coll {
namespace {

template <size_t kElement>
void copy_each(std::byte* dest, size_t dest_step, const std::byte* source, size_t source_step,
               size_t count) {
  for (size_t i = 0; i < count; ++i, dest += dest_step, source += source_step)
    std::memcpy(dest, source, kElement);
}

/// Elements of `element` bytes; steps from one to the next in bytes.
void copy_strided(std::byte* dest, size_t dest_step, const std::byte* source, size_t source_step,
                  size_t element, size_t count) {
  if (dest_step == element && source_step == element) {
    mem::copy(dest, source, element * count);
    return;
  }
  switch (element) {
    case 1:
      return copy_each<1>(dest, dest_step, source, source_step, count);
    case 2:
      return copy_each<2>(dest, dest_step, source, source_step, count);
    case 4:
      return copy_each<4>(dest, dest_step, source, source_step, count);
    case 8:
      return copy_each<8>(dest, dest_step, source, source_step, count);
    case 16:
      return copy_each<16>(dest, dest_step, source, source_step, count);
    default:
      for (size_t i = 0; i < count; ++i, dest += dest_step, source += source_step)
        std::memcpy(dest, source, element);
  }
}

/// One side's blocks: element k of block j is at data + (j * count + k) * step.
template <typename Byte>
struct Strided {
  Byte* data;
  size_t step;
  size_t count;

  Byte* at(int block, size_t k) const {
    return data + (static_cast<size_t>(block) * count + k) * step;
  }
};
using Source = Strided<const std::byte>;
using Dest = Strided<std::byte>;

void push_blocks(const Members& members, const Dest& dest, Symmetric dests, const Source& source,
                 size_t element) {
  const std::byte* own = dest.at(members.rank, 0);
  for (int step = 1; step < members.size; ++step) {
    const int to = patterns::rotated(members.rank, members.size, step);
    copy_strided(dests.at(to) + (own - dest.data), dest.step, source.at(to, 0), source.step,
                 element, source.count);
  }
  synchronise(members);
}

/// Private buffers: the bounce buffer holds pieces for as many members as leave a piece at least a
/// line long (an element, if that is longer), nearest successors first.
void stage_blocks(const Members& members, const Dest& dest, const Source& source, size_t element) {
  const size_t shortest = std::max(element, kLineBytes);
  const int peers = members.size - 1;
  const int window = std::min(peers, static_cast<int>(kBounceBytes / shortest));
  const size_t piece = kBounceBytes / static_cast<size_t>(window) / element;  // in elements
  const auto place = [&](int step, int low) {
    return static_cast<size_t>(step - low) * piece * element;
  };
  for (int low = 1; low <= peers; low += window)
    for (size_t k = 0; k < source.count; k += piece) {
      const size_t length = std::min(piece, source.count - k);
      staged_round(
          members,
          [&](std::byte* buffer) {
            for (int step = low; step <= peers && step < low + window; ++step)
              copy_strided(buffer + place(step, low), element,
                           source.at(patterns::rotated(members.rank, members.size, step), k),
                           source.step, element, length);
          },
          [&](const std::byte* buffer, int from) {
            const int step = patterns::step_from(members.rank, members.size, from);
            if (step >= low && step < low + window)
              copy_strided(dest.at(from, k), dest.step, buffer + place(step, low), element, element,
                           length);
          });
    }
}

void exchange_blocks(const Members& members, const Dest& dest, const Source& source, size_t bytes) {
  const Blocks blocks = exchange(members, source.data, bytes, bytes);
  for (int i = 0; i < members.size; ++i)
    if (i != members.rank) copy_payload(dest.at(i, 0), blocks.at(i), bytes);
}

void alltoall_elements(const Members& members, const Dest& dest, const Source& source,
                       size_t element) {
  const size_t bytes = source.count * element;
  if (bytes == 0) return;
  if (members.size > 1) {
    const Symmetric dests = symmetric(members, dest.data);
    const bool is_dense = dest.step == element && source.step == element;
    if (is_dense && can_exchange(members, bytes) && (bytes <= kPayloadBytes || !dests))
      exchange_blocks(members, dest, source, bytes);
    else if (dests)
      push_blocks(members, dest, dests, source, element);
    else
      stage_blocks(members, dest, source, element);
  }
  copy_strided(dest.at(members.rank, 0), dest.step, source.at(members.rank, 0), source.step,
               element, source.count);
}

}  // namespace

void alltoall(Group& group, void* dest, const void* source, size_t bytes) {
  if (is_far(group)) [[unlikely]]
    return far::alltoall_strided(group, dest, source, 1, 1, 1, bytes);
  const Members members = enter(group, {.kind = Kind::kAlltoall, .bytes = bytes});
  alltoall_elements(members, {static_cast<std::byte*>(dest), 1, bytes},
                    {static_cast<const std::byte*>(source), 1, bytes}, 1);
}

void alltoall_strided(Group& group, void* dest, const void* source, ptrdiff_t dest_stride,
                      ptrdiff_t source_stride, size_t element, size_t count) {
  if (is_far(group)) [[unlikely]]
    return far::alltoall_strided(group, dest, source, dest_stride, source_stride, element, count);
  const Members members = enter(group, {.kind = Kind::kAlltoall, .bytes = element * count});
  const size_t dest_step = static_cast<size_t>(dest_stride) * element;
  const size_t source_step = static_cast<size_t>(source_stride) * element;
  alltoall_elements(members, {static_cast<std::byte*>(dest), dest_step, count},
                    {static_cast<const std::byte*>(source), source_step, count}, element);
}

}  // namespace uccs::coll
