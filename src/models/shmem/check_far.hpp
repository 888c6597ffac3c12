// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include <cstddef>

/// Check mode's look into memory of PEs on other nodes.
namespace uccs::shmem {

/// Copies `bytes` from where PE `ec`, of another node, has what is at `mine` here. They are read in
/// no order, but after what an earlier call read. `call`: whose wait it is.
void fetch(const char* call, void* out, const void* mine, size_t bytes, int ec);

}  // namespace uccs::shmem
