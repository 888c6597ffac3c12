// SPDX-License-Identifier: BSD-3-Clause
#include "net/parts/exchange.hpp"

namespace uccs::net {
namespace {

constexpr uint64_t kStaticBit = uint64_t{1} << 63;

}  // namespace

uint64_t place_of(const Remote& remote) {
  return remote.offset | (remote.area == Area::kStatic ? kStaticBit : 0);
}

std::byte* Areas::at(uint64_t place, size_t bytes) const {
  const Extent& memory = (place & kStaticBit) == 0 ? heap : statics;
  const uint64_t offset = place & ~kStaticBit;
  const bool is_here = offset <= memory.bytes && bytes <= memory.bytes - offset;
  return is_here ? memory.base + offset : nullptr;
}

bool apply_exchange(const Areas& areas, const ExchangeBody& asked, uint64_t* old_out) {
  if (asked.op > base::AtomicOp::kCompareSwap || asked.type > base::AtomicType::kDouble)
    return false;
  const size_t bytes = base::atomic_size(asked.type);
  std::byte* there = areas.at(asked.question.place, bytes);
  if (!there || reinterpret_cast<uintptr_t>(there) % bytes != 0) return false;
  *old_out = base::atomic_apply_any(asked.op, asked.type, there, asked.operand, asked.expected);
  return true;
}

}  // namespace uccs::net
