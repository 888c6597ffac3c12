// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>

#include "base/atomic_op.hpp"
#include "models/shmem/api.hpp"

/// What happens when `core::translate` says no: one function per kind of operation. PEs of other
/// nodes are served through the network; for all else the job ends with the reason.
namespace uccs::shmem {

/// Nothing if `bytes` is 0, which is legal with any pointers. The source is free on return, and the
/// get complete.
[[gnu::cold]] void slow_put(shmem_ctx_t ctx, void* dest, const void* source, size_t bytes, int ec,
                            const char* call);
[[gnu::cold]] void slow_get(shmem_ctx_t ctx, void* dest, const void* source, size_t bytes, int ec,
                            const char* call);
/// `blocks` blocks of `block` elements; the strides are elements from block to block.
struct Blocks {
  ptrdiff_t dest_stride, source_stride;
  size_t block, blocks;
};

/// The same for blocks.
[[gnu::cold]] void slow_put_blocks(shmem_ctx_t ctx, void* dest, const void* source,
                                   const Blocks& blocks, size_t element, int ec, const char* call);
[[gnu::cold]] void slow_get_blocks(shmem_ctx_t ctx, void* dest, const void* source,
                                   const Blocks& blocks, size_t element, int ec, const char* call);

/// What the word held before. `is_fetching` false: the update may come later (quiet), and 0 is
/// returned.
[[gnu::cold]] uint64_t slow_atomic(shmem_ctx_t ctx, base::AtomicOp op, base::AtomicType type,
                                   const void* symmetric, uint64_t operand, uint64_t expected,
                                   bool is_fetching, int ec, const char* call);

/// Waits until everything that was posted to other nodes is visible there.
[[gnu::cold]] void quiet_network();

/// The same with values of type T.
template <class T>
[[gnu::cold, gnu::noinline]] T slow_atomic_value(shmem_ctx_t ctx, base::AtomicOp op,
                                                 const void* symmetric, T operand, T expected,
                                                 bool is_fetching, int ec, const char* call) {
  constexpr bool kIsFloat = std::is_floating_point_v<T>;
  constexpr base::AtomicType kType =
      sizeof(T) == 4 ? (kIsFloat ? base::AtomicType::kFloat : base::AtomicType::kUint32)
                     : (kIsFloat ? base::AtomicType::kDouble : base::AtomicType::kUint64);
  uint64_t operand_bits = 0, expected_bits = 0;
  memcpy(&operand_bits, &operand, sizeof operand);
  memcpy(&expected_bits, &expected, sizeof expected);
  const uint64_t old =
      slow_atomic(ctx, op, kType, symmetric, operand_bits, expected_bits, is_fetching, ec, call);
  T value;
  memcpy(&value, &old, sizeof value);
  return value;
}

}  // namespace uccs::shmem
