// SPDX-License-Identifier: BSD-3-Clause
/// Reductions that other collectives are made of.
#pragma once
#include "coll/coll.hpp"
#include "coll/members.hpp"

namespace uccs::coll {

/// At most kPayloadBytes, any number of members above 1, log2(n) steps. source == dest is allowed.
void reduce_lines(const Members& members, void* dest, const void* source, size_t bytes,
                  size_t count, Combine op);
void scan_lines(const Members& members, void* dest, const void* source, size_t bytes, size_t count,
                Combine op, bool is_inclusive);

enum class Keep { kAll, kUpToMine, kBelowMine };  ///< allreduce, inclusive and exclusive scan

/// Both buffers symmetric: member j reduces the j-th part of the elements for everybody.
void reduce_parts(const Members& members, Symmetric dests, Symmetric sources, size_t element,
                  size_t count, Combine op, Keep keep);

}  // namespace uccs::coll
