// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>

#include "coll/coll.hpp"
#include "coll/lines.hpp"
#include "coll/patterns/binomial.hpp"
#include "coll/patterns/division.hpp"
#include "mem/copy.hpp"

namespace uccs::coll {
namespace {

/// From here on the members read the root's source at the same time instead of being served.
constexpr size_t kPullBytes = 16 * 1024;

/// Who serves whom: the root everybody, or a binomial tree.
struct Tree {
  const Members& members;
  int root;
  bool is_star;

  template <typename Serve>
  void for_each_child(Serve serve) const {
    const int n = members.size;
    if (is_star) {
      if (members.rank != root) return;
      for (int step = 1; step < n; ++step) serve(patterns::rotated(root, n, step));
      return;
    }
    const int relative = patterns::relative_to_root(members.rank, root, n);
    for (int distance = patterns::binomial_first_distance(relative, n); distance > 0;
         distance >>= 1)
      serve(patterns::absolute_from_root(relative + distance, root, n));
  }
};

/// Data in the line itself.
void broadcast_line(const Tree& tree, void* dest, const void* source, size_t bytes) {
  const Members& members = tree.members;
  const Claim taken = claim(members, 1, 0);
  const void* data = members.rank == tree.root ? source : await(members, taken.line);
  tree.for_each_child([&](int child) { post(members, child, taken.line, data, bytes); });
  if (members.rank != tree.root) copy_payload(dest, data, bytes);
}

/// Each member writes into its children's dest, which is ready before any member calls.
void broadcast_push(const Tree& tree, void* dest, Symmetric dests, const void* source,
                    size_t bytes) {
  const Members& members = tree.members;
  const Claim taken = claim(members, 1, 0);
  const void* data = members.rank == tree.root ? source : dest;
  if (members.rank != tree.root) await(members, taken.line);
  tree.for_each_child([&](int child) {
    mem::copy(dests.at(child), data, bytes);
    signal(members, child, taken.line);
  });
}

/// Through the bounce buffers: dest is memory that no peer reaches.
void broadcast_bounce(const Tree& tree, void* dest, const void* source, size_t bytes) {
  const Members& members = tree.members;
  const bool is_root = members.rank == tree.root;
  for (size_t done = 0; done < bytes; done += kBounceBytes) {
    const size_t length = std::min(kBounceBytes, bytes - done);
    const Claim taken = claim(members, 1, 1);
    const std::byte* data = is_root ? static_cast<const std::byte*>(source) + done
                                    : bounce_of(members, members.rank, taken);
    if (!is_root) await(members, taken.line);
    tree.for_each_child([&](int child) {
      std::memcpy(bounce_of(members, child, taken), data, length);
      signal(members, child, taken.line);
    });
    if (!is_root) std::memcpy(static_cast<std::byte*>(dest) + done, data, length);
  }
}

/// What the root tells the others about a large source.
struct Offer {
  ptrdiff_t source_from_scratch;  ///< in the root's memory; meaningless when it is to be served
  uint64_t pulls;                 ///< 1: read it yourself, then count yourself in `pulled`
};
static_assert(sizeof(Offer) <= kPayloadBytes);

}  // namespace

void broadcast(Group& group, void* dest, const void* source, size_t bytes, int root,
               bool dest_at_root) {
  const Members members = enter(group, {Kind::kBroadcast, bytes, root});
  if (bytes == 0) return;
  const Tree tree = {members, root, is_flat(members)};
  if (members.size > 1) {
    const Symmetric dests = symmetric(members, dest);
    if (bytes <= kPayloadBytes)
      broadcast_line(tree, dest, source, bytes);
    else if (dests)
      broadcast_push(tree, dest, dests, source, bytes);
    else
      broadcast_bounce(tree, dest, source, bytes);
  }
  if (members.rank == root && dest_at_root && dest != source) mem::copy(dest, source, bytes);
}

}  // namespace uccs::coll
