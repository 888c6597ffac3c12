// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include "core/direct.hpp"
#include "models/shmem/context.hpp"
#include "models/shmem/slow.hpp"

/// Atomic operations on the mapped copy: one instruction of the CPU each, the caller's own memory
/// included. Forms that fetch are complete on return: acquire keeps what follows behind them. The
/// others are ordered by fence and quiet.
namespace uccs::shmem {

template <class T>
[[gnu::always_inline]] inline T* reach(shmem_ctx_t ctx, const T* symmetric, int pe,
                                       const char* call) {
  const int ec = context_ec(ctx, pe, call);
  if (void* const at = core::translate(symmetric, ec)) [[likely]]
    return static_cast<T*>(at);
  slow_atomic(ctx, symmetric, ec, call);
}

template <class T>
[[gnu::always_inline]] inline T atomic_fetch(shmem_ctx_t ctx, const T* source, int pe,
                                             const char* call) {
  T value;
  __atomic_load(reach(ctx, source, pe, call), &value, __ATOMIC_ACQUIRE);
  return value;
}

template <class T>
[[gnu::always_inline]] inline void atomic_set(shmem_ctx_t ctx, T* dest, T value, int pe,
                                              const char* call) {
  __atomic_store(reach(ctx, dest, pe, call), &value, __ATOMIC_RELAXED);
}

template <class T>
[[gnu::always_inline]] inline T atomic_swap(shmem_ctx_t ctx, T* dest, T value, int pe,
                                            const char* call) {
  T before;
  __atomic_exchange(reach(ctx, dest, pe, call), &value, &before, __ATOMIC_ACQUIRE);
  return before;
}

template <class T>
[[gnu::always_inline]] inline T atomic_compare_swap(shmem_ctx_t ctx, T* dest, T cond, T value,
                                                    int pe, const char* call) {
  __atomic_compare_exchange_n(reach(ctx, dest, pe, call), &cond, value, false, __ATOMIC_ACQUIRE,
                              __ATOMIC_ACQUIRE);
  return cond;
}

template <class T>
[[gnu::always_inline]] inline T atomic_fetch_add(shmem_ctx_t ctx, T* dest, T value, int pe,
                                                 const char* call) {
  return __atomic_fetch_add(reach(ctx, dest, pe, call), value, __ATOMIC_ACQUIRE);
}

template <class T>
[[gnu::always_inline]] inline void atomic_add(shmem_ctx_t ctx, T* dest, T value, int pe,
                                              const char* call) {
  __atomic_fetch_add(reach(ctx, dest, pe, call), value, __ATOMIC_RELAXED);
}

}  // namespace uccs::shmem
