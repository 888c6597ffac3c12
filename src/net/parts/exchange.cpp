// SPDX-License-Identifier: BSD-3-Clause
#include "net/parts/exchange.hpp"

namespace uccs::net {
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
