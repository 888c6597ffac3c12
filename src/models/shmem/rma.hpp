// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "mem/copy.hpp"
#include "models/shmem/check_rma.hpp"
#include "models/shmem/context.hpp"
#include "models/shmem/slow.hpp"

/// Puts and gets by the size of their elements: all types of one size share one implementation.
/// The parts that every operation of a size runs through are inlined into it: 35 instructions are
/// the budget of a put of one word, call and return included (docs/hot-path.md).
namespace uccs::shmem {

template <size_t bytes>
struct WordOf;
template <>
struct WordOf<1> {
  using Type = uint8_t;
};
template <>
struct WordOf<2> {
  using Type = uint16_t;
};
template <>
struct WordOf<4> {
  using Type = uint32_t;
};
template <>
struct WordOf<8> {
  using Type = uint64_t;
};

/// One element to, from symmetric memory. Words move whole. Relaxed: fence and quiet order puts.
template <size_t bytes>
[[gnu::always_inline]] inline void store_element(void* to, const void* from) {
  if constexpr (bytes <= 8) {
    typename WordOf<bytes>::Type word;
    std::memcpy(&word, from, bytes);
    __atomic_store_n(static_cast<decltype(word)*>(to), word, __ATOMIC_RELAXED);
  } else {
    std::memcpy(to, from, bytes);
  }
}

/// Acquire: a get is complete on return, so nothing that follows may be read before it.
template <size_t bytes>
[[gnu::always_inline]] inline void load_element(void* to, const void* from) {
  if constexpr (bytes <= 8) {
    using Word = typename WordOf<bytes>::Type;
    const Word word = __atomic_load_n(static_cast<const Word*>(from), __ATOMIC_ACQUIRE);
    std::memcpy(to, &word, bytes);
  } else {
    std::memcpy(to, from, bytes);
  }
}

/// Elements in a row. One alone is the frequent case, and may be a flag; none may come with any
/// pointers.
template <size_t bytes>
[[gnu::always_inline]] inline void store_elements(void* to, const void* from, size_t count) {
  if (count == 1)
    store_element<bytes>(to, from);
  else if (count != 0)
    mem::copy(to, from, count * bytes);
}
template <size_t bytes>
[[gnu::always_inline]] inline void load_elements(void* to, const void* from, size_t count) {
  if (count == 1)
    load_element<bytes>(to, from);
  else if (count != 0)
    mem::copy(to, from, count * bytes);
}

/// Nothing is mapped: the call is looked at, or the PE is far away.
template <size_t bytes>
[[gnu::noinline]] void unmapped_put(shmem_ctx_t ctx, void* dest, const void* source, size_t count,
                                    int ec, const char* call) {
  if (!is_guarded) return slow_put(ctx, dest, source, count * bytes, ec, call);
  Access access(ctx, call);
  if (void* const to = access.reach_put(dest, source, count, bytes, ec))
    store_elements<bytes>(to, source, count);
  else
    slow_put(ctx, dest, source, count * bytes, access.ec(), call);
}

template <size_t bytes>
[[gnu::noinline]] void unmapped_get(shmem_ctx_t ctx, void* dest, const void* source, size_t count,
                                    int ec, const char* call) {
  if (!is_guarded) return slow_get(ctx, dest, source, count * bytes, ec, call);
  Access access(ctx, call);
  if (const void* const from = access.reach_get(dest, source, count, bytes, ec))
    load_elements<bytes>(dest, from, count);
  else
    slow_get(ctx, dest, source, count * bytes, access.ec(), call);
}

template <size_t bytes>
[[gnu::always_inline]] inline void put(shmem_ctx_t ctx, void* dest, const void* source,
                                       size_t count, int pe, const char* call) {
  const int ec = context_ec(ctx, pe, call);
  if (void* const to = translate(dest, ec)) [[likely]]
    store_elements<bytes>(to, source, count);
  else
    unmapped_put<bytes>(ctx, dest, source, count, ec, call);
}

template <size_t bytes>
[[gnu::always_inline]] inline void get(shmem_ctx_t ctx, void* dest, const void* source,
                                       size_t count, int pe, const char* call) {
  const int ec = context_ec(ctx, pe, call);
  if (const void* const from = translate(source, ec)) [[likely]]
    load_elements<bytes>(dest, from, count);
  else
    unmapped_get<bytes>(ctx, dest, source, count, ec, call);
}

/// A value leaves its register only on the slow path.
template <class T>
[[gnu::noinline]] void slow_put_value(shmem_ctx_t ctx, T* dest, T value, int ec, const char* call) {
  unmapped_put<sizeof(T)>(ctx, dest, &value, 1, ec, call);
}
template <class T>
[[gnu::noinline]] T slow_get_value(shmem_ctx_t ctx, const T* source, int ec, const char* call) {
  T value;
  if (is_guarded) [[unlikely]]
    unmapped_get<sizeof(T)>(ctx, &value, source, 1, ec, call);
  else
    slow_get_now(ctx, &value, source, sizeof value, ec, call);
  return value;
}

template <class T>
[[gnu::always_inline]] inline void put_value(shmem_ctx_t ctx, T* dest, T value, int pe,
                                             const char* call) {
  const int ec = context_ec(ctx, pe, call);
  if (void* const to = translate(dest, ec)) [[likely]]
    store_element<sizeof(T)>(to, &value);
  else
    slow_put_value(ctx, dest, value, ec, call);
}

template <class T>
[[gnu::always_inline]] inline T get_value(shmem_ctx_t ctx, const T* source, int pe,
                                          const char* call) {
  const int ec = context_ec(ctx, pe, call);
  const void* const from = translate(source, ec);
  if (from == nullptr) [[unlikely]]
    return slow_get_value(ctx, source, ec, call);
  T value;
  load_element<sizeof(T)>(&value, from);
  return value;
}

inline bool is_aligned(const void* address, size_t bytes) {
  return (reinterpret_cast<uintptr_t>(address) & (bytes - 1)) == 0;
}

/// Bytes of any alignment; aligned words move whole as well.
[[gnu::always_inline]] inline void store_bytes(void* to, const void* source, size_t bytes) {
  if (bytes == 8 && is_aligned(to, 8))
    store_element<8>(to, source);
  else if (bytes == 4 && is_aligned(to, 4))
    store_element<4>(to, source);
  else if (bytes != 0)
    mem::copy(to, source, bytes);
}

[[gnu::always_inline]] inline void load_bytes(void* dest, const void* from, size_t bytes) {
  if (bytes == 8 && is_aligned(from, 8))
    load_element<8>(dest, from);
  else if (bytes == 4 && is_aligned(from, 4))
    load_element<4>(dest, from);
  else if (bytes != 0)
    mem::copy(dest, from, bytes);
}

void unmapped_put_bytes(shmem_ctx_t ctx, void* dest, const void* source, size_t bytes, int ec,
                        const char* call);
void unmapped_get_bytes(shmem_ctx_t ctx, void* dest, const void* source, size_t bytes, int ec,
                        const char* call);

[[gnu::always_inline]] inline void put_bytes(shmem_ctx_t ctx, void* dest, const void* source,
                                             size_t bytes, int pe, const char* call) {
  const int ec = context_ec(ctx, pe, call);
  void* const to = translate(dest, ec);
  if (to == nullptr) [[unlikely]]
    unmapped_put_bytes(ctx, dest, source, bytes, ec, call);
  else
    store_bytes(to, source, bytes);
}

[[gnu::always_inline]] inline void get_bytes(shmem_ctx_t ctx, void* dest, const void* source,
                                             size_t bytes, int pe, const char* call) {
  const int ec = context_ec(ctx, pe, call);
  const void* const from = translate(source, ec);
  if (from == nullptr) [[unlikely]]
    unmapped_get_bytes(ctx, dest, source, bytes, ec, call);
  else
    load_bytes(dest, from, bytes);
}

/// `Blocks`, in place of which the routines' own arguments come.
template <size_t bytes>
void put_strided(shmem_ctx_t ctx, void* dest, const void* source, ptrdiff_t dest_stride,
                 ptrdiff_t source_stride, size_t block, size_t blocks, int pe, const char* call) {
  int ec = context_ec(ctx, pe, call);
  auto* to = static_cast<std::byte*>(translate(dest, ec));
  auto* from = static_cast<const std::byte*>(source);
  if (to == nullptr && is_guarded) [[unlikely]]
    to = static_cast<std::byte*>(check_blocks(
        ctx, true, dest, source, {dest_stride, source_stride, block, blocks}, bytes, &ec, call));
  if (to == nullptr) [[unlikely]]
    return slow_put_blocks(ctx, dest, source, {dest_stride, source_stride, block, blocks}, bytes,
                           ec, call);
  for (size_t i = 0; i < blocks; ++i) {
    store_elements<bytes>(to, from, block);
    to += dest_stride * static_cast<ptrdiff_t>(bytes);
    from += source_stride * static_cast<ptrdiff_t>(bytes);
  }
}

template <size_t bytes>
void get_strided(shmem_ctx_t ctx, void* dest, const void* source, ptrdiff_t dest_stride,
                 ptrdiff_t source_stride, size_t block, size_t blocks, int pe, const char* call) {
  int ec = context_ec(ctx, pe, call);
  auto* to = static_cast<std::byte*>(dest);
  auto* from = static_cast<const std::byte*>(translate(source, ec));
  if (from == nullptr && is_guarded) [[unlikely]]
    from = static_cast<const std::byte*>(check_blocks(
        ctx, false, dest, source, {dest_stride, source_stride, block, blocks}, bytes, &ec, call));
  if (from == nullptr) [[unlikely]]
    return slow_get_blocks(ctx, dest, source, {dest_stride, source_stride, block, blocks}, bytes,
                           ec, call);
  for (size_t i = 0; i < blocks; ++i) {
    load_elements<bytes>(to, from, block);
    to += dest_stride * static_cast<ptrdiff_t>(bytes);
    from += source_stride * static_cast<ptrdiff_t>(bytes);
  }
}

}  // namespace uccs::shmem
