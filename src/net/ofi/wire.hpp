// SPDX-License-Identifier: BSD-3-Clause
/// The address that is published.
#pragma once
#include "net/parts/exchange.hpp"
#include "net/parts/wire.hpp"

namespace uccs::net::ofi {

/// How a peer reaches one area, or a chunk of the heap, through one inlet.
struct Key {
  uint64_t key;
  uint64_t base;  ///< and the offset in the area: the address to give to the provider
};

/// The question for a chunk's key, and its answer.
struct ChunkBody {
  uint64_t cookie;  ///< for the answer
  int32_t lane;     ///< the inlet over there
  int32_t chunk;
  Key key;  ///< of the answer
};
static_assert(sizeof(ChunkBody) <= kHeadMax);

/// In front of a batch.
constexpr size_t kBatchHead = sizeof(Header) + sizeof(Question);
constexpr size_t kBatchMax = kBatchHead + kBatchBytes;
constexpr uint64_t kBatchTag = 1;  ///< which comes to receives of their own

constexpr size_t kNameMax = 96;  ///< of an endpoint, as the provider writes it

/// What `address` writes: this, then `lanes` times LaneAddress and the endpoint's name.
struct AddressHead {
  uint64_t magic;
  uint64_t cookie;
  uint32_t lanes;
  uint32_t name_bytes;
  uint64_t heap_bytes;
  uint64_t static_bytes;
};
constexpr uint64_t kMagic = 0x31464f5343435555;  // "UUCCSOF1"
struct LaneAddress {
  Key heap;
  Key statics;
};

constexpr size_t kAddressMax = sizeof(AddressHead) + kLanesMax * (sizeof(LaneAddress) + kNameMax);

}  // namespace uccs::net::ofi
