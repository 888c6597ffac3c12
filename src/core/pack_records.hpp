// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "base/atomic_op.hpp"
#include "core/wire.hpp"

/// What a packed message is made of: records, one per operation, in words of 8 bytes, so that they
/// are written and read without a loop over fields. Pure functions on memory; pack.hpp sends them.
///
///     bits  0-46    47      48-51  52-63
///           offset  static  what   detail      then words, by `what`:
///
///     kPut          bytes            the data, padded
///     kPutWords     words            the data: for longer ones
///     kIncrement    type             none: adds 1
///     kUpdate       op, type << 4    operand
///     kGet          bytes            local
///     kFetch        op, type << 4    operand, local
///     kCompareSwap  op, type << 4    operand, expected, local
///
/// `local` says where the sender wants the result, in the low 52 bits, and how long that is above.
/// An answer is `local` as it came, then the result, padded.
namespace uccs::core {

enum class Packed : uint8_t { kPut, kIncrement, kUpdate, kGet, kFetch, kCompareSwap, kPutWords };

constexpr size_t kPackMax = 8192;      ///< bytes of one message, and of its answer
constexpr size_t kPackDataMax = 2048;  ///< bytes of a put or get that is packed
/// The same of a put that goes to a batch of the network's: what is longer is worth a message.
constexpr size_t kBatchDataMax = 16384;

constexpr size_t padded_to_word(size_t bytes) { return (bytes + 7) & ~size_t{7}; }

constexpr int kOffsetBits = 47;
constexpr int kLocalBits = 52;

/// False: no record can name the address.
inline bool is_packable(WireAddress at) {
  return wire_area(at) != net::Area::kRegistered && wire_offset(at) >> kOffsetBits == 0;
}

inline uint64_t record_word(Packed what, WireAddress at, uint64_t detail) {
  const uint64_t is_static = wire_area(at) == net::Area::kStatic ? 1 : 0;
  return wire_offset(at) | is_static << kOffsetBits | static_cast<uint64_t>(what) << 48 |
         detail << 52;
}
inline uint64_t atomic_detail(base::AtomicOp op, base::AtomicType type) {
  return static_cast<uint64_t>(op) | static_cast<uint64_t>(type) << 4;
}
/// A record of kPackedAms: the handler, the length; then the data, padded.
inline uint64_t packed_am_word(int id, size_t bytes) {
  return static_cast<uint64_t>(id) | static_cast<uint64_t>(bytes) << 52;
}
inline uint64_t local_word(const void* address, size_t bytes) {
  return reinterpret_cast<uint64_t>(address) | static_cast<uint64_t>(bytes) << kLocalBits;
}

/// The memory that records may name.
struct PackAreas {
  std::byte* heap;
  size_t heap_bytes;
  std::byte* statics;
  size_t static_bytes;
};

/// Of a put that can be packed: kPutWords moves whole words.
inline uint64_t put_word(WireAddress at, size_t bytes) {
  return bytes <= kPackDataMax ? record_word(Packed::kPut, at, bytes)
                               : record_word(Packed::kPutWords, at, bytes / sizeof(uint64_t));
}
inline bool is_put_length(size_t bytes, size_t most) {
  return bytes <= most && (bytes <= kPackDataMax || bytes % sizeof(uint64_t) == 0);
}

struct PackAnswers {
  size_t bytes = 0;
  alignas(8) std::byte data[kPackMax];
};

/// Does what the records say, in their order, and writes the answers; nullptr: there are to be
/// none. False: they do not add up; those before the first that does not are done.
bool apply_records(const PackAreas& areas, const std::byte* records, size_t bytes,
                   PackAnswers* answers_out);

/// Writes the results to where they are wanted. False: the answers do not add up.
bool deliver_answers(const std::byte* answers, size_t bytes);

}  // namespace uccs::core
