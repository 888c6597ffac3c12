// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include <cstddef>
#include <cstdint>

#include "core/group.hpp"
#include "models/shmem/check.hpp"

/// Check mode of collectives: the members say what they call, before they do it, and each compares
/// with all others. Members on other nodes are not compared.
namespace uccs::shmem {

/// An argument that must be alike on all members.
struct Agreed {
  const char* name = nullptr;  ///< nullptr: none
  int64_t value = 0;
};
constexpr int kMaxAgreed = 4;

/// What a collective is given. Buffers are symmetric; sizes are those of the whole buffers.
struct Collective {
  Agreed agreed[kMaxAgreed];
  Span dest = {"dest", nullptr, 0};
  Span source = {"source", nullptr, 0};
  size_t alignment = 1;
  bool may_be_in_place = false;
  /// collect: the members' counts differ, and dest holds their sum of elements of this size.
  size_t gathered_element = 0;
  size_t gathered_count = 0;
};

/// nelems elements move from source to dest, which are `source_blocks` and `dest_blocks` times as
/// large.
Collective moves(const void* dest, size_t dest_blocks, const void* source, size_t source_blocks,
                 size_t nelems, size_t element);
Collective broadcasts(const void* dest, const void* source, size_t nelems, size_t element,
                      int root);
Collective collects(const void* dest, const void* source, size_t nelems, size_t element);
Collective strides(const char* call, const void* dest, const void* source, ptrdiff_t dst,
                   ptrdiff_t sst, size_t nelems, size_t element, int size);
/// Reductions and scans of `bytes`. `name` is that of the number of elements.
Collective reduces(const void* dest, const void* source, const char* name, size_t nelems,
                   size_t element, size_t alignment);

inline size_t members_of(const core::Group& group) { return static_cast<size_t>(group.size); }

/// Ends the job if an argument is wrong here, or differs from another member's, or if a member is
/// in a collective of another group that this EC is a member of, too.
void check_collective(const core::Group& group, const char* call, const Collective& what);

/// Symmetric memory that the comparisons need. By all PEs, once.
void prepare_comparisons();

}  // namespace uccs::shmem
