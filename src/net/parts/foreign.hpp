// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include <cstdint>

/// Puts and gets of others come in by any inlet, whose threads may compute: who waits looks there,
/// too, now and then.
namespace uccs::net {

/// Looks of a thread between those at inlets that it does not serve.
constexpr uint32_t kForeignEvery = 8, kForeignEveryWhenCrowded = 256;

/// On a crowded CPU who does not look at its own rather waits for a CPU than computes, and what it
/// finds is best where it has sent it from. (A multiple of kForeignEvery, so that it need be asked
/// for only then.)
inline uint32_t foreign_every(bool is_crowded) {
  return is_crowded ? kForeignEveryWhenCrowded : kForeignEvery;
}

}  // namespace uccs::net
