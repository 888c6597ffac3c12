// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>

#include "buffers.hpp"

namespace uccs::test {
namespace {

size_t of(int i) { return static_cast<size_t>(i); }

void check_block(const std::byte* data, size_t bytes, int round, int rank, size_t first = 0) {
  for (size_t i = 0; i < bytes; ++i) CHECK(data[i] == pattern(round, rank, first + i));
}

}  // namespace

void check_broadcast(Ec& ec, core::Group& group, size_t bytes, int root, bool dest_at_root,
                     Place source_place, Place dest_place, int round) {
  Buffer source(ec, source_place, 0, bytes), dest(ec, dest_place, 1, bytes);
  source.fill(round, group.rank);
  coll::barrier(group);  // dest is ready everywhere
  coll::broadcast(group, dest.data(), source.data(), bytes, root, dest_at_root);
  source.reuse();
  if (group.rank != root || dest_at_root) {
    check_block(dest.data(), bytes, round, root);
  } else {
    for (size_t i = 0; i < bytes; ++i) CHECK(dest.data()[i] == Buffer::kMark);
  }
  dest.check_margins();
}

void check_broadcast_in_place(Ec& ec, core::Group& group, size_t bytes, int root, Place place,
                              int round) {
  Buffer both(ec, place, 0, bytes);
  both.fill(round, group.rank);
  coll::barrier(group);
  coll::broadcast(group, both.data(), both.data(), bytes, root, true);
  check_block(both.data(), bytes, round, root);
  both.check_margins();
}

void check_allgather(Ec& ec, core::Group& group, size_t bytes, Place source_place, Place dest_place,
                     int round) {
  Buffer source(ec, source_place, 0, bytes), dest(ec, dest_place, 1, bytes * of(group.size));
  source.fill(round, group.rank);
  coll::barrier(group);
  coll::allgather(group, dest.data(), source.data(), bytes);
  source.reuse();
  for (int i = 0; i < group.size; ++i) check_block(dest.data() + bytes * of(i), bytes, round, i);
  dest.check_margins();
}

void check_allgatherv(Ec& ec, core::Group& group, size_t bytes, Place source_place,
                      Place dest_place, int round) {
  const auto bytes_of = [&](int i) {
    return (i + round) % 3 == 0 ? bytes / 2 : bytes - of(i) % (bytes + 1);
  };
  size_t expected = 0;
  for (int i = 0; i < group.size; ++i) expected += bytes_of(i);
  Buffer source(ec, source_place, 0, bytes_of(group.rank)), dest(ec, dest_place, 1, expected);
  source.fill(round, group.rank);
  coll::barrier(group);
  size_t total = 0;
  coll::allgatherv(group, dest.data(), source.data(), bytes_of(group.rank), &total);
  source.reuse();
  CHECK(total == expected);
  const std::byte* at = dest.data();
  for (int i = 0; i < group.size; at += bytes_of(i), ++i) check_block(at, bytes_of(i), round, i);
  dest.check_margins();
}

void check_alltoall(Ec& ec, core::Group& group, size_t bytes, Place source_place, Place dest_place,
                    int round) {
  Buffer source(ec, source_place, 0, bytes * of(group.size));
  Buffer dest(ec, dest_place, 1, bytes * of(group.size));
  source.fill(round, group.rank);
  coll::barrier(group);
  coll::alltoall(group, dest.data(), source.data(), bytes);
  source.reuse();
  for (int i = 0; i < group.size; ++i)
    check_block(dest.data() + bytes * of(i), bytes, round, i, bytes * of(group.rank));
  dest.check_margins();
}

void check_alltoall_strided(Ec& ec, core::Group& group, size_t element, size_t count,
                            int dest_stride, int source_stride, Place source_place,
                            Place dest_place, int round) {
  const size_t all = of(group.size) * count;
  const size_t dest_bytes = all * of(dest_stride) * element;
  Buffer source(ec, source_place, 0, all * of(source_stride) * element);
  Buffer dest(ec, dest_place, 1, dest_bytes);
  source.fill(round, group.rank);
  coll::barrier(group);
  coll::alltoall_strided(group, dest.data(), source.data(), dest_stride, source_stride, element,
                         count);
  source.reuse();
  for (size_t to = 0; to < all; ++to) {
    const size_t from = of(group.rank) * count + to % count;
    const int sender = static_cast<int>(to / count);
    const std::byte* at = dest.data() + to * of(dest_stride) * element;
    check_block(at, element, round, sender, from * of(source_stride) * element);
    for (size_t i = element; i < of(dest_stride) * element; ++i) CHECK(at[i] == Buffer::kMark);
  }
  dest.check_margins();
}

namespace {

/// x -> a * x + b modulo 2^32; composing is associative, not commutative, and exact.
struct Affine {
  uint32_t a;
  uint32_t b;
};

void compose(void* acc, const void* in, size_t count) {
  auto* left = static_cast<Affine*>(acc);
  const auto* right = static_cast<const Affine*>(in);
  for (size_t i = 0; i < count; ++i)
    left[i] = {left[i].a * right[i].a, left[i].a * right[i].b + left[i].b};
}

Affine operand(int round, int rank, size_t index) {
  const auto seed =
      static_cast<uint32_t>(index * 2654435761u) + static_cast<uint32_t>(round * 97 + rank * 31);
  return {seed | 1, seed * 2246822519u + 7};
}

/// Operands of members first..last-1 at `index`.
Affine expected_at(int round, int last, size_t index) {
  Affine sum = operand(round, 0, index);
  for (int i = 1; i < last; ++i) {
    const Affine next = operand(round, i, index);
    compose(&sum, &next, 1);
  }
  return sum;
}

/// Fills, reduces with `call(dest, source)` and compares with the operands of `last` members.
template <typename Call>
void check_operands(Ec& ec, core::Group& group, size_t count, Place source_place, Place dest_place,
                    bool in_place, int round, int last, Call call) {
  const size_t bytes = count * sizeof(Affine);
  Buffer source(ec, source_place, 0, bytes), dest(ec, dest_place, 1, bytes);
  auto* from = reinterpret_cast<Affine*>(source.data());
  auto* to = in_place ? from : reinterpret_cast<Affine*>(dest.data());
  for (size_t i = 0; i < count; ++i) from[i] = operand(round, group.rank, i);
  coll::barrier(group);
  call(to, from);
  if (!in_place) source.reuse();
  for (size_t i = 0; i < count; ++i) {
    const Affine wanted = last > 0 ? expected_at(round, last, i) : Affine{0, 0};
    CHECK(to[i].a == wanted.a);
    CHECK(to[i].b == wanted.b);
  }
  source.check_margins();
  dest.check_margins();
}

}  // namespace

void check_allreduce(Ec& ec, core::Group& group, size_t count, Place source_place, Place dest_place,
                     bool in_place, int round) {
  check_operands(ec, group, count, source_place, dest_place, in_place, round, group.size,
                 [&](void* to, const void* from) {
                   coll::allreduce(group, to, from, sizeof(Affine), count, compose);
                 });
}

void check_scan(Ec& ec, core::Group& group, size_t count, bool is_inclusive, Place source_place,
                Place dest_place, bool in_place, int round) {
  check_operands(ec, group, count, source_place, dest_place, in_place, round,
                 is_inclusive ? group.rank + 1 : group.rank, [&](void* to, const void* from) {
                   coll::scan(group, to, from, sizeof(Affine), count, compose, is_inclusive);
                 });
}

}  // namespace uccs::test
