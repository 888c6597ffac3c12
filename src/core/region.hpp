// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include "core/context.hpp"
#include "uccs/region.h"

struct uccs_region {
  enum class Origin : uint8_t { kAllocated, kRegistered, kImported };

  uccs::core::Context* context = nullptr;
  uccs_region* next = nullptr;  ///< of the context; guarded by its lock
  uccs_region* previous = nullptr;
  Origin origin = Origin::kAllocated;
  int owner = UCCS_EC_ANY;
  uint64_t base = 0;  ///< as its owner sees it
  size_t bytes = 0;
  std::byte* mapped = nullptr;  ///< where base is reached here, nullptr: by operations only
  uint64_t keys[uccs::core::kMaxLinks] = {};
};

namespace uccs::core {

using Region = ::uccs_region;

/// What an operation's remote address comes to.
struct Target {
  net::Remote remote;
  std::byte* mapped;  ///< where it is reached by the CPU; nullptr: through the link
};

/// UCCS_ERR_ADDRESS when [address, address + bytes) is not in `region` at the endpoint's EC. Looks
/// at handles of private regions; those of symmetric ones may be any even value.
uccs_status_t resolve(const Endpoint* endpoint, uccs_region_t region, const void* address,
                      size_t bytes, Target* target_out);

/// What peers call local memory at `address`.
WireAddress where_is(uint64_t address);

void free_regions(Context* context);

}  // namespace uccs::core
