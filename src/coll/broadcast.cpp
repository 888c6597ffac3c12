// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>

#include "coll/coll.hpp"
#include "coll/far.hpp"
#include "coll/lines.hpp"
#include "coll/patterns/binomial.hpp"
#include "coll/patterns/division.hpp"
#include "mem/copy.hpp"

namespace uccs::coll {
namespace {

/// From here on the work is shared: the root serving all costs more than a step more (2 members:
/// 64 KiB 20 % faster, 1 MiB 1.3 to 1.9 times; 8 on 2 CPUs, tree: 64 KiB 1.6, 1 MiB 2 times).
constexpr size_t kSharedBytes = 16 * 1024;

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
  int64_t is_readable;     ///< else all of it is served, as in broadcast_push
  ptrdiff_t from_scratch;  ///< where it is in the root's memory
};
static_assert(sizeof(Offer) <= kPayloadBytes);

/// The members read most of the root's source at the same time, while the root writes an equal
/// share into every dest: with two members both cores move half.
void broadcast_shared(const Tree& tree, void* dest, Symmetric dests, const void* source,
                      size_t bytes, bool dest_at_root) {
  const Members& members = tree.members;
  const int n = members.size, root = tree.root;
  const Claim taken = claim(members, 2, 0);
  const uint64_t offer_line = taken.line, served_line = taken.line + 1;
  const size_t served_from = patterns::part_of(bytes, n, n - 1, kLineBytes).begin;
  if (members.rank != root) {
    Offer offer;
    std::memcpy(&offer, await(members, offer_line), sizeof offer);
    tree.for_each_child([&](int child) {
      if (offer.is_readable == 0) mem::copy(dests.at(child), dest, bytes);
      post(members, child, offer_line, &offer, sizeof offer);
    });
    if (offer.is_readable == 0) return;
    Scratch& theirs = members.of(root);
    mem::copy(dest, reinterpret_cast<const std::byte*>(&theirs) + offer.from_scratch, served_from);
    theirs.pulled.value.fetch_add(1, std::memory_order_release);  // pairs with the root's wait
    await(members, served_line);
    return;
  }
  const Symmetric sources = symmetric(members, source);
  Offer offer = {sources ? 1 : 0, 0};
  if (sources)
    offer.from_scratch = sources.at(root) - reinterpret_cast<std::byte*>(&members.of(root));
  tree.for_each_child([&](int child) {
    if (!sources) mem::copy(dests.at(child), source, bytes);
    post(members, child, offer_line, &offer, sizeof offer);
  });
  const bool copies = dest_at_root && dest != source;
  if (!sources) {
    if (copies) mem::copy(dest, source, bytes);
    return;
  }
  const auto* served = static_cast<const std::byte*>(source) + served_from;
  for (int step = 1; step < n; ++step) {
    const int to = patterns::rotated(root, n, step);
    mem::copy(dests.at(to) + served_from, served, bytes - served_from);
    signal(members, to, served_line);
  }
  if (copies) mem::copy(dest, source, bytes);  // while the others read
  const std::atomic<uint64_t>* pulled = &members.mine.pulled.value;
  const uint64_t expected = members.own.pulls_expected += static_cast<uint64_t>(n - 1);
  wait(members.kind,
       [pulled, expected] { return pulled->load(std::memory_order_acquire) == expected; });
}

}  // namespace

void broadcast(Group& group, void* dest, const void* source, size_t bytes, int root,
               bool dest_at_root) {
  if (is_far(group)) [[unlikely]]
    return far::broadcast(group, dest, source, bytes, root, dest_at_root);
  const Members members = enter(group, {Kind::kBroadcast, bytes, root});
  if (bytes == 0) return;
  // With more members than CPUs they copy in turns, and a root that copies for all leaves CPUs
  // idle.
  const bool is_star = is_flat(members) && (bytes < kSharedBytes || !members.own.is_oversubscribed);
  const Tree tree = {members, root, is_star};
  if (members.size > 1) {
    if (bytes <= kPayloadBytes)
      broadcast_line(tree, dest, source, bytes);
    else if (const Symmetric dests = symmetric(members, dest); !dests)
      broadcast_bounce(tree, dest, source, bytes);
    else if (bytes < kSharedBytes || members.own.is_oversubscribed)
      broadcast_push(tree, dest, dests, source, bytes);
    else
      return broadcast_shared(tree, dest, dests, source, bytes, dest_at_root);
  }
  if (members.rank == root && dest_at_root && dest != source) mem::copy(dest, source, bytes);
}

}  // namespace uccs::coll
