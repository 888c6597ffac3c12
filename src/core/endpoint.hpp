// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include <atomic>
#include <cstdint>

#include "core/direct.hpp"
#include "core/public_lanes.hpp"
#include "core/request.hpp"
#include "uccs/context.h"

namespace uccs::core {

struct Link;

/// Where symmetric memory of one EC is mapped here: core::translate with the EC's part worked out.
/// All zero reaches nothing, for ECs elsewhere and for links that want to see every operation.
struct Reach {
  uintptr_t heap_low = 0;
  uintptr_t heap_bytes = 0;
  uintptr_t heap_delta = 0;
  uintptr_t static_low = 0;
  uintptr_t static_bytes = 0;
  uintptr_t static_delta = 0;

  [[gnu::always_inline]] void* at(const void* symmetric) const {
    const auto address = reinterpret_cast<uintptr_t>(symmetric);
    if (address - heap_low < heap_bytes) [[likely]]
      return reinterpret_cast<void*>(address + heap_delta);
    if (address - static_low < static_bytes) return reinterpret_cast<void*>(address + static_delta);
    return nullptr;
  }
};

/// Handles of private regions are odd (region.hpp), so that naming symmetric memory costs one test.
[[gnu::always_inline]] inline bool is_private(uccs_region_t region) {
  return (reinterpret_cast<uintptr_t>(region) & 1) != 0;
}

}  // namespace uccs::core

/// The first cache line is all that a put to mapped memory reads.
struct alignas(64) uccs_endpoint {
  uccs::core::Reach reach;
  uccs::core::Context* context = nullptr;
  int32_t ec = 0;
  int16_t lane = UCCS_LANE_ANY;
  uint8_t link_index = 0;
  uint8_t bucket = 0;  ///< where channels count its operations, Channel::pending

  const uccs::core::Link* link = nullptr;
  uccs::core::PublicLanes* lanes_there = nullptr;
  uccs_endpoint* next = nullptr;  ///< of the context; guarded by its lock
  uccs_endpoint* previous = nullptr;
};
static_assert(offsetof(uccs_endpoint, link) == 64);

namespace uccs::core {

/// The lane of the target for a message of UCCS's own that is sent from lane `from`.
inline int lane_at(const Endpoint& endpoint, int from) {
  if (endpoint.lane >= 0) return endpoint.lane;
  const uint32_t there = endpoint.lanes_there->in_use.load(std::memory_order_relaxed);
  return there <= 1 ? 0 : from % static_cast<int>(there);
}

/// Where `address` of `region` at the endpoint's EC is reached by loads and stores; nullptr when it
/// is not. The branch in front of every put, get and atomic.
[[gnu::always_inline]] inline void* direct(const Endpoint* endpoint, uccs_region_t region,
                                           const void* address) {
  return is_private(region) ? nullptr : endpoint->reach.at(address);
}

}  // namespace uccs::core
