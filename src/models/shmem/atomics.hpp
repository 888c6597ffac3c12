// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include "core/direct.hpp"
#include "models/shmem/context.hpp"
#include "models/shmem/slow.hpp"

/// Atomic operations on the mapped copy: one instruction of the CPU each, the caller's own memory
/// included. Forms that fetch are complete on return: acquire keeps what follows behind them. The
/// others are ordered by fence and quiet.
namespace uccs::shmem {

/// Where the word is mapped; nullptr: see slow.hpp.
template <class T>
[[gnu::always_inline]] inline T* reach(const T* symmetric, int ec) {
  return static_cast<T*>(core::translate(symmetric, ec));
}

template <class T>
[[gnu::always_inline]] inline T atomic_fetch(shmem_ctx_t ctx, const T* source, int pe,
                                             const char* call) {
  const int ec = context_ec(ctx, pe, call);
  T* const at = reach(source, ec);
  if (at == nullptr) [[unlikely]]
    return slow_atomic_value(ctx, base::AtomicOp::kFetch, source, T{}, T{}, true, ec, call);
  T value;
  __atomic_load(at, &value, __ATOMIC_ACQUIRE);
  return value;
}

template <class T>
[[gnu::always_inline]] inline void atomic_set(shmem_ctx_t ctx, T* dest, T value, int pe,
                                              const char* call) {
  const int ec = context_ec(ctx, pe, call);
  if (T* const at = reach(dest, ec)) [[likely]]
    __atomic_store(at, &value, __ATOMIC_RELAXED);
  else
    slow_atomic_value(ctx, base::AtomicOp::kSet, dest, value, T{}, false, ec, call);
}

template <class T>
[[gnu::always_inline]] inline T atomic_swap(shmem_ctx_t ctx, T* dest, T value, int pe,
                                            const char* call) {
  const int ec = context_ec(ctx, pe, call);
  T* const at = reach(dest, ec);
  if (at == nullptr) [[unlikely]]
    return slow_atomic_value(ctx, base::AtomicOp::kSet, dest, value, T{}, true, ec, call);
  T before;
  __atomic_exchange(at, &value, &before, __ATOMIC_ACQUIRE);
  return before;
}

template <class T>
[[gnu::always_inline]] inline T atomic_compare_swap(shmem_ctx_t ctx, T* dest, T cond, T value,
                                                    int pe, const char* call) {
  const int ec = context_ec(ctx, pe, call);
  T* const at = reach(dest, ec);
  if (at == nullptr) [[unlikely]]
    return slow_atomic_value(ctx, base::AtomicOp::kCompareSwap, dest, value, cond, true, ec, call);
  __atomic_compare_exchange_n(at, &cond, value, false, __ATOMIC_ACQUIRE, __ATOMIC_ACQUIRE);
  return cond;
}

/// Add, and, or, xor. `kIsFetching` false: the old value is not asked for.
template <base::AtomicOp kOp, bool kIsFetching, class T>
[[gnu::always_inline]] inline T atomic_update(shmem_ctx_t ctx, T* dest, T value, int pe,
                                              const char* call) {
  constexpr int kOrder = kIsFetching ? __ATOMIC_ACQUIRE : __ATOMIC_RELAXED;
  const int ec = context_ec(ctx, pe, call);
  T* const at = reach(dest, ec);
  if (at == nullptr) [[unlikely]]
    return slow_atomic_value(ctx, kOp, dest, value, T{}, kIsFetching, ec, call);
  if constexpr (kOp == base::AtomicOp::kAdd) return __atomic_fetch_add(at, value, kOrder);
  if constexpr (kOp == base::AtomicOp::kAnd) return __atomic_fetch_and(at, value, kOrder);
  if constexpr (kOp == base::AtomicOp::kOr) return __atomic_fetch_or(at, value, kOrder);
  if constexpr (kOp == base::AtomicOp::kXor) return __atomic_fetch_xor(at, value, kOrder);
}

template <class T>
[[gnu::always_inline]] inline T atomic_fetch_add(shmem_ctx_t ctx, T* dest, T value, int pe,
                                                 const char* call) {
  return atomic_update<base::AtomicOp::kAdd, true>(ctx, dest, value, pe, call);
}

template <class T>
[[gnu::always_inline]] inline void atomic_add(shmem_ctx_t ctx, T* dest, T value, int pe,
                                              const char* call) {
  atomic_update<base::AtomicOp::kAdd, false>(ctx, dest, value, pe, call);
}

}  // namespace uccs::shmem
