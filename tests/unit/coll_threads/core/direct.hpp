// SPDX-License-Identifier: BSD-3-Clause
/// Stands in for src/core/direct.hpp where the ECs of a test are threads of one process: each has a
/// map of its own.
#pragma once
#include "uccs/direct.h"

namespace uccs::core {

extern thread_local uccs_direct_map_t direct_map;

inline void* translate(const void* symmetric, int ec) {
  return uccs_direct_translate(&direct_map, symmetric, ec);
}

}  // namespace uccs::core
