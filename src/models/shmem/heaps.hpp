// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include <cstddef>

#include "models/shmem/api.hpp"

struct uccs_shmem_space;

/// Spaces: parts of the symmetric heap with an allocator of their own.
namespace uccs::shmem {

/// The space that holds `address`; nullptr: none. A load and a test while there are no spaces.
uccs_shmem_space* space_of(const void* address);

/// As core's of the same names for the symmetric heap.
bool space_free(uccs_shmem_space* space, void* block);
void* space_reallocate(uccs_shmem_space* space, void* block, size_t bytes);
size_t space_bytes_from(uccs_shmem_space* space, const void* address);

/// Forgets all spaces; the heap that they are in ends.
void end_all_spaces();

}  // namespace uccs::shmem
