// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include "uccs/direct.h"

namespace uccs::core {

/// The same object that `uccs_direct` points to, without the detour through the symbol table.
extern uccs_direct_map_t direct_map;

/// The "the peer is mapped" branch in front of every operation: where EC `ec`'s copy of a symmetric
/// address is, or nullptr when it must go through a transport or is wrong.
[[gnu::always_inline]] inline void* translate(const void* symmetric, int ec) {
  return uccs_direct_translate(&direct_map, symmetric, ec);
}

}  // namespace uccs::core
