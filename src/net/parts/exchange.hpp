// SPDX-License-Identifier: BSD-3-Clause
/// Questions that are answered as they come, by whoever looks at the network: atomics above all.
/// The target's CPU does them, so they agree with those inside its node, and no thread of its
/// program has to call anything.
#pragma once
#include <cstddef>
#include <cstdint>

#include "net/parts/wire.hpp"

namespace uccs::net {

/// What a question begins with.
struct Question {
  uint64_t place;  ///< as place_of
  uint64_t bytes;
  uint64_t cookie;  ///< for the answer
  uint32_t ticket;  ///< the operation over there
};

/// The answer.
struct Result {
  uint64_t value;  ///< what an exchange found
  uint32_t ticket;
};

/// An atomic.
struct ExchangeBody {
  Question question;
  uint64_t operand;
  uint64_t expected;
  base::AtomicOp op;
  base::AtomicType type;
};
static_assert(sizeof(ExchangeBody) <= kHeadMax);

inline ExchangeBody exchange_of(const Question& question, const AtomicArguments& arguments) {
  return {question, arguments.operand, arguments.expected, arguments.op, arguments.type};
}

/// Where in the memory of its owner, as messages carry it: the offset, and which of the two.
constexpr uint64_t kStaticBit = uint64_t{1} << 63;
inline uint64_t place_of(const Remote& remote) {
  return remote.offset | (remote.area == Area::kStatic ? kStaticBit : 0);
}

/// The memory of an EC that questions may name.
struct Areas {
  Extent heap, statics;
  /// nullptr: there is no such memory here.
  std::byte* at(uint64_t place, size_t bytes) const {
    const Extent& memory = (place & kStaticBit) == 0 ? heap : statics;
    const uint64_t offset = place & ~kStaticBit;
    const bool is_here = offset <= memory.bytes && bytes <= memory.bytes - offset;
    return is_here ? memory.base + offset : nullptr;
  }
};

/// Does what is asked for; false: that is none.
bool apply_exchange(const Areas& areas, const ExchangeBody& asked, uint64_t* old_out);

}  // namespace uccs::net
