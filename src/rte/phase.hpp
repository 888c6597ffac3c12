// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include <cstdint>

namespace uccs::rte {

/// What the launcher shows and judges when an EC's process ends.
enum class Phase : uint32_t { kStarted = 0, kInitialized = 1, kFinalized = 2 };

}  // namespace uccs::rte
