// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include "models/shmem/check_rma.hpp"
#include "models/shmem/context.hpp"

/// Atomic operations on the mapped copy: one instruction of the CPU each, the caller's own memory
/// included. Forms that fetch are complete on return: acquire keeps what follows behind them. The
/// others are ordered by fence and quiet.
namespace uccs::shmem {

/// What an operation is given besides the word.
template <class T>
struct NoOperand {
  static constexpr T value{}, expected{};
};
template <class T>
struct OneOperand {
  T value;
  static constexpr T expected{};
};
template <class T>
struct TwoOperands {
  T expected, value;
};

/// `operation(at, operands)` where nothing is mapped, or `kOp` on another node. A function of its
/// own, so that the fast path has nothing to keep over a call.
template <base::AtomicOp kOp, bool kIsFetching, class T, class Operands, class Operation>
[[gnu::noinline]] auto unmapped_atomic(shmem_ctx_t ctx, const T* symmetric, int ec,
                                       const char* call, Operands operands, Operation operation) {
  using Result = decltype(operation(static_cast<T*>(nullptr), operands));
  if (void* const at = unmapped_word(ctx, symmetric, sizeof(T), &ec, call))
    return operation(static_cast<T*>(at), operands);
  return static_cast<Result>(slow_atomic_value<T>(ctx, kOp, symmetric, operands.value,
                                                  operands.expected, kIsFetching, ec, call));
}

/// `operation(at, operands)` on PE `pe`'s copy of a symmetric word: it does `kOp`, and
/// `kIsFetching` says whether anybody looks at what it returns.
template <base::AtomicOp kOp, bool kIsFetching, class T, class Operands, class Operation>
[[gnu::always_inline]] inline auto atomically(shmem_ctx_t ctx, const T* symmetric, int pe,
                                              const char* call, Operands operands,
                                              Operation operation) {
  const int ec = context_ec(ctx, pe, call);
  if (void* const at = translate(symmetric, ec)) [[likely]]
    return operation(static_cast<T*>(at), operands);
  return unmapped_atomic<kOp, kIsFetching>(ctx, symmetric, ec, call, operands, operation);
}

/// The same for forms with _nbi: the old value goes to `fetch`, within a node at once.
template <base::AtomicOp kOp, class T, class Operands, class Operation>
[[gnu::noinline]] void unmapped_atomic_nbi(shmem_ctx_t ctx, T* fetch, const T* symmetric, int ec,
                                           const char* call, Operands operands,
                                           Operation operation) {
  if (void* const at = unmapped_word(ctx, symmetric, sizeof(T), &ec, call))
    *fetch = operation(static_cast<T*>(at), operands);
  else
    slow_atomic_value_nbi<T>(ctx, kOp, symmetric, operands.value, operands.expected, fetch, ec,
                             call);
}
template <base::AtomicOp kOp, class T, class Operands, class Operation>
[[gnu::always_inline]] inline void atomically_nbi(shmem_ctx_t ctx, T* fetch, const T* symmetric,
                                                  int pe, const char* call, Operands operands,
                                                  Operation operation) {
  const int ec = context_ec(ctx, pe, call);
  if (void* const at = translate(symmetric, ec)) [[likely]]
    *fetch = operation(static_cast<T*>(at), operands);
  else
    unmapped_atomic_nbi<kOp>(ctx, fetch, symmetric, ec, call, operands, operation);
}

// What is done to the word.
inline constexpr auto kLoad = []<class T>(T* at, NoOperand<T>) {
  T value;
  __atomic_load(at, &value, __ATOMIC_ACQUIRE);
  return value;
};
inline constexpr auto kExchange = []<class T>(T* at, OneOperand<T> given) {
  T before, after = given.value;
  __atomic_exchange(at, &after, &before, __ATOMIC_ACQUIRE);
  return before;
};
inline constexpr auto kExchangeIf = []<class T>(T* at, TwoOperands<T> given) {
  T found = given.expected;
  __atomic_compare_exchange_n(at, &found, given.value, false, __ATOMIC_ACQUIRE, __ATOMIC_ACQUIRE);
  return found;
};
inline constexpr auto kFetchAdd = []<class T>(T* at, OneOperand<T> given) {
  return __atomic_fetch_add(at, given.value, __ATOMIC_ACQUIRE);
};

template <class T>
[[gnu::always_inline]] inline T atomic_fetch(shmem_ctx_t ctx, const T* source, int pe,
                                             const char* call) {
  return atomically<base::AtomicOp::kFetch, true>(ctx, source, pe, call, NoOperand<T>{}, kLoad);
}
template <class T>
[[gnu::always_inline]] inline void atomic_fetch_nbi(shmem_ctx_t ctx, T* fetch, const T* source,
                                                    int pe, const char* call) {
  atomically_nbi<base::AtomicOp::kFetch>(ctx, fetch, source, pe, call, NoOperand<T>{}, kLoad);
}

template <class T>
[[gnu::always_inline]] inline void atomic_set(shmem_ctx_t ctx, T* dest, T value, int pe,
                                              const char* call) {
  atomically<base::AtomicOp::kSet, false>(ctx, dest, pe, call, OneOperand<T>{value},
                                          [](T* at, OneOperand<T> given) {
                                            T after = given.value;
                                            __atomic_store(at, &after, __ATOMIC_RELAXED);
                                          });
}

template <class T>
[[gnu::always_inline]] inline T atomic_swap(shmem_ctx_t ctx, T* dest, T value, int pe,
                                            const char* call) {
  return atomically<base::AtomicOp::kSet, true>(ctx, dest, pe, call, OneOperand<T>{value},
                                                kExchange);
}
template <class T>
[[gnu::always_inline]] inline void atomic_swap_nbi(shmem_ctx_t ctx, T* fetch, T* dest, T value,
                                                   int pe, const char* call) {
  atomically_nbi<base::AtomicOp::kSet>(ctx, fetch, dest, pe, call, OneOperand<T>{value}, kExchange);
}

template <class T>
[[gnu::always_inline]] inline T atomic_compare_swap(shmem_ctx_t ctx, T* dest, T cond, T value,
                                                    int pe, const char* call) {
  return atomically<base::AtomicOp::kCompareSwap, true>(ctx, dest, pe, call,
                                                        TwoOperands<T>{cond, value}, kExchangeIf);
}
template <class T>
[[gnu::always_inline]] inline void atomic_compare_swap_nbi(shmem_ctx_t ctx, T* fetch, T* dest,
                                                           T cond, T value, int pe,
                                                           const char* call) {
  atomically_nbi<base::AtomicOp::kCompareSwap>(ctx, fetch, dest, pe, call,
                                               TwoOperands<T>{cond, value}, kExchangeIf);
}

template <class T>
[[gnu::always_inline]] inline T atomic_fetch_add(shmem_ctx_t ctx, T* dest, T value, int pe,
                                                 const char* call) {
  return atomically<base::AtomicOp::kAdd, true>(ctx, dest, pe, call, OneOperand<T>{value},
                                                kFetchAdd);
}
template <class T>
[[gnu::always_inline]] inline void atomic_fetch_add_nbi(shmem_ctx_t ctx, T* fetch, T* dest, T value,
                                                        int pe, const char* call) {
  atomically_nbi<base::AtomicOp::kAdd>(ctx, fetch, dest, pe, call, OneOperand<T>{value}, kFetchAdd);
}

template <class T>
[[gnu::always_inline]] inline void atomic_add(shmem_ctx_t ctx, T* dest, T value, int pe,
                                              const char* call) {
  atomically<base::AtomicOp::kAdd, false>(
      ctx, dest, pe, call, OneOperand<T>{value}, [](T* at, OneOperand<T> given) {
        return __atomic_fetch_add(at, given.value, __ATOMIC_RELAXED);
      });
}

}  // namespace uccs::shmem
