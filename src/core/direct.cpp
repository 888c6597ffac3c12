// SPDX-License-Identifier: BSD-3-Clause
#include "core/direct.hpp"

namespace uccs::core {
uccs_direct_map_t direct_map = {};
}  // namespace uccs::core

extern "C" {
// Not const-folded into readers: the pointer is a constant, the map behind it is filled at
// start-up.
const uccs_direct_map_t* const uccs_direct = &uccs::core::direct_map;
}
