// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include <atomic>
#include <bit>
#include <cstdint>
#include <cstring>
#include <type_traits>

namespace uccs::base {

enum class AtomicOp : uint8_t { kSet, kAdd, kAnd, kOr, kXor, kFetch, kCompareSwap };
enum class AtomicType : uint8_t { kInt32, kInt64, kUint32, kUint64, kFloat, kDouble };

template <typename T>
constexpr AtomicType atomic_type_of() {
  if constexpr (std::is_same_v<T, int32_t>) return AtomicType::kInt32;
  if constexpr (std::is_same_v<T, int64_t>) return AtomicType::kInt64;
  if constexpr (std::is_same_v<T, uint32_t>) return AtomicType::kUint32;
  if constexpr (std::is_same_v<T, uint64_t>) return AtomicType::kUint64;
  if constexpr (std::is_same_v<T, float>) return AtomicType::kFloat;
  if constexpr (std::is_same_v<T, double>) return AtomicType::kDouble;
}

inline size_t atomic_size(AtomicType type) {
  return type == AtomicType::kInt32 || type == AtomicType::kUint32 || type == AtomicType::kFloat
             ? 4
             : 8;
}

/// Applies `kOp` to the naturally aligned `*target` with the CPU's atomics; returns the old value.
/// Sequentially consistent: remote atomics are used as locks and flags.
template <AtomicOp kOp, typename T>
[[gnu::always_inline]] inline T atomic_apply(T* target, T operand, T expected) {
  std::atomic_ref<T> word(*target);
  if constexpr (kOp == AtomicOp::kSet) return word.exchange(operand);
  if constexpr (kOp == AtomicOp::kAdd) return word.fetch_add(operand);
  if constexpr (kOp == AtomicOp::kFetch) return word.load();
  if constexpr (kOp == AtomicOp::kAnd) return word.fetch_and(operand);
  if constexpr (kOp == AtomicOp::kOr) return word.fetch_or(operand);
  if constexpr (kOp == AtomicOp::kXor) return word.fetch_xor(operand);
  if constexpr (kOp == AtomicOp::kCompareSwap) {
    word.compare_exchange_strong(expected, operand);
    return expected;
  }
}

/// As above with the operation known at run time only. No fetch_or and the like: gcc 12.2 computes
/// a wrong value where a merge of branches makes their operand and their result one variable.
template <typename T>
inline T atomic_apply_op(AtomicOp op, T* target, T operand, T expected) {
  std::atomic_ref<T> word(*target);
  T old = word.load();
  switch (op) {
    case AtomicOp::kSet:
      return word.exchange(operand);
    case AtomicOp::kAdd:
      return word.fetch_add(operand);
    case AtomicOp::kFetch:
      return old;
    case AtomicOp::kCompareSwap:
      word.compare_exchange_strong(expected, operand);
      return expected;
    default:
      break;
  }
  if constexpr (std::is_integral_v<T>) {
    T value;
    do {
      value = op == AtomicOp::kAnd  ? static_cast<T>(old & operand)
              : op == AtomicOp::kOr ? static_cast<T>(old | operand)
                                    : static_cast<T>(old ^ operand);
    } while (!word.compare_exchange_weak(old, value));
  }
  return old;  // there are no bitwise operations on floating types
}

/// As above with the type known at run time only. Values travel in the low bytes of 64-bit words.
inline uint64_t atomic_apply_any(AtomicOp op, AtomicType type, void* target, uint64_t operand,
                                 uint64_t expected) {
  const auto apply = [&]<typename T>(T*) {
    T value, compare;
    memcpy(&value, &operand, sizeof value);
    memcpy(&compare, &expected, sizeof compare);
    const T old = atomic_apply_op(op, static_cast<T*>(target), value, compare);
    uint64_t bits = 0;
    memcpy(&bits, &old, sizeof old);
    return bits;
  };
  switch (type) {
    case AtomicType::kInt32:
      return apply(static_cast<int32_t*>(nullptr));
    case AtomicType::kInt64:
      return apply(static_cast<int64_t*>(nullptr));
    case AtomicType::kUint32:
      return apply(static_cast<uint32_t*>(nullptr));
    case AtomicType::kUint64:
      return apply(static_cast<uint64_t*>(nullptr));
    case AtomicType::kFloat:
      return apply(static_cast<float*>(nullptr));
    case AtomicType::kDouble:
      return apply(static_cast<double*>(nullptr));
  }
  return 0;
}

}  // namespace uccs::base
