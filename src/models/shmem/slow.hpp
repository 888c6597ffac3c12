// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>

#include "base/atomic_op.hpp"
#include "core/pack.hpp"
#include "models/shmem/api.hpp"

/// What happens when `core::translate` says no: one function per kind of operation. PEs of other
/// nodes are served through the network; for all else the job ends with the reason.
namespace uccs::shmem {

/// Nothing if `bytes` is 0, which is legal with any pointers. The source is free on return, and the
/// get complete.
void slow_put(shmem_ctx_t ctx, void* dest, const void* source, size_t bytes, int ec,
              const char* call);
void slow_get(shmem_ctx_t ctx, void* dest, const void* source, size_t bytes, int ec,
              const char* call);
/// The same of a get of `bytes` > 0 that is not of those whose result may come later.
void slow_get_now(shmem_ctx_t ctx, void* dest, const void* source, size_t bytes, int ec,
                  const char* call);
/// A put and the signal that tells of it, as one. False: nothing has happened, they are to be done
/// one after the other.
bool slow_put_signal(shmem_ctx_t ctx, void* dest, const void* source, size_t bytes,
                     uint64_t* signal, uint64_t value, int sig_op, int ec, const char* call);
/// `blocks` blocks of `block` elements; the strides are elements from block to block.
struct Blocks {
  ptrdiff_t dest_stride, source_stride;
  size_t block, blocks;
};

/// The same for blocks.
void slow_put_blocks(shmem_ctx_t ctx, void* dest, const void* source, const Blocks& blocks,
                     size_t element, int ec, const char* call);
void slow_get_blocks(shmem_ctx_t ctx, void* dest, const void* source, const Blocks& blocks,
                     size_t element, int ec, const char* call);

/// What the word held before. `is_fetching` false: the update may come later (quiet), and 0 is
/// returned.
uint64_t slow_atomic(shmem_ctx_t ctx, const net::AtomicArguments& arguments, const void* symmetric,
                     bool is_fetching, int ec, const char* call);

/// The same, but what the word held may come later, to `fetch_out`, if the context packs (quiet).
void slow_atomic_nbi(shmem_ctx_t ctx, const net::AtomicArguments& arguments, const void* symmetric,
                     void* fetch_out, int ec, const char* call);

/// Waits until what was packed, for PE `ec` or for all (-1), is done, and its results are here.
void settle_pack(core::Pack& pack, const char* call, int ec = -1);

/// Waits until everything that was posted to other nodes is visible there, or what contexts with
/// that account have.
void quiet_network();
void quiet_network(uint8_t account);

/// A value as operations carry it.
template <class T>
constexpr base::AtomicType atomic_type() {
  constexpr bool kIsFloat = std::is_floating_point_v<T>;
  return sizeof(T) == 4 ? (kIsFloat ? base::AtomicType::kFloat : base::AtomicType::kUint32)
                        : (kIsFloat ? base::AtomicType::kDouble : base::AtomicType::kUint64);
}
template <class T>
uint64_t to_bits(T value) {
  uint64_t bits = 0;
  memcpy(&bits, &value, sizeof value);
  return bits;
}

/// The same with values of type T.
template <class T>
[[gnu::noinline]] T slow_atomic_value(shmem_ctx_t ctx, base::AtomicOp op, const void* symmetric,
                                      T operand, T expected, bool is_fetching, int ec,
                                      const char* call) {
  const uint64_t old = slow_atomic(ctx, {op, atomic_type<T>(), to_bits(operand), to_bits(expected)},
                                   symmetric, is_fetching, ec, call);
  T value;
  memcpy(&value, &old, sizeof value);
  return value;
}
template <class T>
[[gnu::noinline]] void slow_atomic_value_nbi(shmem_ctx_t ctx, base::AtomicOp op,
                                             const void* symmetric, T operand, T expected,
                                             T* fetch_out, int ec, const char* call) {
  slow_atomic_nbi(ctx, {op, atomic_type<T>(), to_bits(operand), to_bits(expected)}, symmetric,
                  fetch_out, ec, call);
}

}  // namespace uccs::shmem
