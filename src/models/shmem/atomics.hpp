// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include "core/direct.hpp"
#include "models/shmem/context.hpp"
#include "models/shmem/slow.hpp"

/// Atomic operations on the mapped copy: one instruction of the CPU each, the caller's own memory
/// included. Forms that fetch are complete on return: acquire keeps what follows behind them. The
/// others are ordered by fence and quiet.
namespace uccs::shmem {

/// `at_target` on a context that numbers PEs in a team of its own, or counts; see with_team_ec.
template <class T, class Body>
[[gnu::noinline]] auto at_team_target(shmem_ctx_t ctx, const T* symmetric, int pe, const char* call,
                                      Work work, Body body) {
  const int ec = team_context_ec(ctx, pe, call, work, 0);
  void* const at = core::translate(symmetric, ec);
  if (at == nullptr) slow_atomic(ctx, symmetric, ec, call);
  return body(static_cast<T*>(at));
}

/// Does `body(at)` where `at` is the copy of `symmetric` at `pe`.
template <class T, class Body>
[[gnu::always_inline]] inline auto at_target(shmem_ctx_t ctx, const T* symmetric, int pe,
                                             const char* call, Work work, Body body) {
  if (!has_world_numbers(ctx)) [[unlikely]]
    return at_team_target(ctx, symmetric, pe, call, work, body);
  void* const at = core::translate(symmetric, pe);
  if (at == nullptr) [[unlikely]]
    slow_atomic(ctx, symmetric, pe, call);
  return body(static_cast<T*>(at));
}

template <class T>
[[gnu::always_inline]] inline T atomic_fetch(shmem_ctx_t ctx, const T* source, int pe,
                                             const char* call) {
  return at_target(ctx, source, pe, call, Work::kFetchingAtomic, [](T* at) {
    T value;
    __atomic_load(at, &value, __ATOMIC_ACQUIRE);
    return value;
  });
}

template <class T>
[[gnu::always_inline]] inline void atomic_set(shmem_ctx_t ctx, T* dest, T value, int pe,
                                              const char* call) {
  at_target(ctx, dest, pe, call, Work::kAtomic, [value](T* at) {
    T stored = value;
    __atomic_store(at, &stored, __ATOMIC_RELAXED);
  });
}

template <class T>
[[gnu::always_inline]] inline T atomic_swap(shmem_ctx_t ctx, T* dest, T value, int pe,
                                            const char* call) {
  return at_target(ctx, dest, pe, call, Work::kFetchingAtomic, [value](T* at) {
    T stored = value, before;
    __atomic_exchange(at, &stored, &before, __ATOMIC_ACQUIRE);
    return before;
  });
}

template <class T>
[[gnu::always_inline]] inline T atomic_compare_swap(shmem_ctx_t ctx, T* dest, T cond, T value,
                                                    int pe, const char* call) {
  return at_target(ctx, dest, pe, call, Work::kFetchingAtomic, [cond, value](T* at) {
    T expected = cond;
    __atomic_compare_exchange_n(at, &expected, value, false, __ATOMIC_ACQUIRE, __ATOMIC_ACQUIRE);
    return expected;
  });
}

template <class T>
[[gnu::always_inline]] inline T atomic_fetch_add(shmem_ctx_t ctx, T* dest, T value, int pe,
                                                 const char* call) {
  return at_target(ctx, dest, pe, call, Work::kFetchingAtomic,
                   [value](T* at) { return __atomic_fetch_add(at, value, __ATOMIC_ACQUIRE); });
}

template <class T>
[[gnu::always_inline]] inline void atomic_add(shmem_ctx_t ctx, T* dest, T value, int pe,
                                              const char* call) {
  at_target(ctx, dest, pe, call, Work::kAtomic,
            [value](T* at) { __atomic_fetch_add(at, value, __ATOMIC_RELAXED); });
}

}  // namespace uccs::shmem
