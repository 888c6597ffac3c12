// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include "models/shmem/check_rma.hpp"
#include "models/shmem/context.hpp"

/// Atomic operations on the mapped copy: one instruction of the CPU each, the caller's own memory
/// included. Forms that fetch are complete on return: acquire keeps what follows behind them. The
/// others are ordered by fence and quiet.
namespace uccs::shmem {

/// `operation(at)` where nothing is mapped. A function of its own, so that the fast path has
/// nothing to keep over a call.
template <class T, class Operation>
[[gnu::cold, gnu::noinline]] auto unmapped_atomic(shmem_ctx_t ctx, const T* symmetric, int ec,
                                                  const char* call, Operation operation) {
  return operation(static_cast<T*>(unmapped_word(ctx, symmetric, sizeof(T), ec, call)));
}

/// `operation(at)` on PE `pe`'s copy of a symmetric word.
template <class T, class Operation>
[[gnu::always_inline]] inline auto atomically(shmem_ctx_t ctx, const T* symmetric, int pe,
                                              const char* call, Operation operation) {
  const int ec = context_ec(ctx, pe, call);
  if (void* const at = translate(symmetric, ec)) [[likely]]
    return operation(static_cast<T*>(at));
  return unmapped_atomic(ctx, symmetric, ec, call, operation);
}

template <class T>
[[gnu::always_inline]] inline T atomic_fetch(shmem_ctx_t ctx, const T* source, int pe,
                                             const char* call) {
  return atomically(ctx, source, pe, call, [](T* at) {
    T value;
    __atomic_load(at, &value, __ATOMIC_ACQUIRE);
    return value;
  });
}

template <class T>
[[gnu::always_inline]] inline void atomic_set(shmem_ctx_t ctx, T* dest, T value, int pe,
                                              const char* call) {
  atomically(ctx, dest, pe, call, [value](T* at) {
    T after = value;
    __atomic_store(at, &after, __ATOMIC_RELAXED);
  });
}

template <class T>
[[gnu::always_inline]] inline T atomic_swap(shmem_ctx_t ctx, T* dest, T value, int pe,
                                            const char* call) {
  return atomically(ctx, dest, pe, call, [value](T* at) {
    T before, after = value;
    __atomic_exchange(at, &after, &before, __ATOMIC_ACQUIRE);
    return before;
  });
}

template <class T>
[[gnu::always_inline]] inline T atomic_compare_swap(shmem_ctx_t ctx, T* dest, T cond, T value,
                                                    int pe, const char* call) {
  return atomically(ctx, dest, pe, call, [cond, value](T* at) {
    T found = cond;
    __atomic_compare_exchange_n(at, &found, value, false, __ATOMIC_ACQUIRE, __ATOMIC_ACQUIRE);
    return found;
  });
}

template <class T>
[[gnu::always_inline]] inline T atomic_fetch_add(shmem_ctx_t ctx, T* dest, T value, int pe,
                                                 const char* call) {
  return atomically(ctx, dest, pe, call,
                    [value](T* at) { return __atomic_fetch_add(at, value, __ATOMIC_ACQUIRE); });
}

template <class T>
[[gnu::always_inline]] inline void atomic_add(shmem_ctx_t ctx, T* dest, T value, int pe,
                                              const char* call) {
  atomically(ctx, dest, pe, call,
             [value](T* at) { __atomic_fetch_add(at, value, __ATOMIC_RELAXED); });
}

}  // namespace uccs::shmem
