// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "models/shmem/api.hpp"
#include "models/shmem/check.hpp"
#include "models/shmem/waiting.hpp"

/// The wait and test routines over integers of one size and signedness: types that differ in name
/// only share one implementation.
namespace uccs::shmem {

template <class T>
struct PlainInteger {
  static constexpr bool kSigned = std::is_signed_v<T>;
  using Type = std::conditional_t<
      sizeof(T) == 2, std::conditional_t<kSigned, int16_t, uint16_t>,
      std::conditional_t<sizeof(T) == 4, std::conditional_t<kSigned, int32_t, uint32_t>,
                         std::conditional_t<kSigned, int64_t, uint64_t>>>;
};
/// Not const: what is waited for changes under us.
template <class T>
using Plain = typename PlainInteger<T>::Type;

/// Ends the job: `cmp` is none of SHMEM_CMP_*.
[[noreturn, gnu::cold]] void fail_comparison(int cmp, const char* call);

/// What is to be looked at where `cmp` is not plain: the variables, and `cmp` itself.
[[gnu::cold]] void check_comparison(const char* name, const void* variables, size_t count,
                                    size_t bytes, int cmp, const char* call);

inline bool is_comparison(int cmp) { return cmp >= SHMEM_CMP_LT && cmp <= SHMEM_CMP_GE; }

/// The same, but nothing is plain while the gate is shut: the test that the fast path makes anyway
/// tells both.
[[gnu::always_inline]] inline bool is_plain_comparison(int cmp) {
  return static_cast<uint32_t>(cmp) - SHMEM_CMP_LT < plain_comparisons;
}

/// SHMEM_CMP_* is the set of outcomes that satisfy it.
static_assert(SHMEM_CMP_LT == 1 && SHMEM_CMP_EQ == 2 && SHMEM_CMP_GT == 4);
static_assert(SHMEM_CMP_LE == (SHMEM_CMP_LT | SHMEM_CMP_EQ) &&
              SHMEM_CMP_GE == (SHMEM_CMP_GT | SHMEM_CMP_EQ) &&
              SHMEM_CMP_NE == (SHMEM_CMP_LT | SHMEM_CMP_GT));
template <class T>
[[gnu::always_inline]] inline bool compares(T value, int cmp, T to) {
  // No branch: its bit is 0, 1 or 2.
  const unsigned bit = static_cast<unsigned>(value >= to) + static_cast<unsigned>(value > to);
  return (static_cast<unsigned>(cmp) >> bit & 1) != 0;
}

/// Acquire: pairs with the release of fence and of signals, so what came before the value is there.
template <class T>
[[gnu::always_inline]] inline T read(const T* variable) {
  return __atomic_load_n(variable, __ATOMIC_ACQUIRE);
}

/// Returns the value that satisfied the comparison.
template <class T>
[[gnu::noinline]] T wait_long(const T* variable, int cmp, T to, const char* call) {
  const Entry entry(call);
  if (entry.is_checked()) [[unlikely]]
    check_symmetric(call, {"ivar", variable, sizeof *variable}, sizeof *variable);
  if (!is_comparison(cmp)) fail_comparison(cmp, call);
  for (Waiting waiting(call);; waiting.rest()) {
    Waiting::make_progress();
    const T value = read(variable);
    if (compares(value, cmp, to)) return value;
  }
}

template <class T>
[[gnu::always_inline]] inline T wait_until(const T* variable, int cmp, T to, const char* call) {
  if (is_plain_comparison(cmp)) [[likely]] {
    const T value = read(variable);
    if (compares(value, cmp, to)) [[likely]]
      return value;
  }
  return wait_long(variable, cmp, to, call);
}

template <class T>
bool test(const T* variable, int cmp, T to, const char* call) {
  if (!is_plain_comparison(cmp)) [[unlikely]]
    check_comparison("ivar", variable, 1, sizeof *variable, cmp, call);
  const bool is_satisfied = compares(read(variable), cmp, to);
  if (!is_satisfied) pause_after_failed_test();
  return is_satisfied;
}

/// Variables to wait for, compared with one value or with one each.
template <class T>
struct Variables {
  const T* values;
  size_t count;
  const int* status;  ///< nullptr, or non-zero where an entry is excluded
  int cmp;
  const T* to;
  size_t to_step;  ///< 0: all compare with *to
  const char* call;

  bool is_included(size_t i) const { return status == nullptr || status[i] == 0; }
  bool is_satisfied(size_t i) const { return compares(read(values + i), cmp, to[i * to_step]); }
  bool has_included() const {
    for (size_t i = 0; i < count; ++i)
      if (is_included(i)) return true;
    return false;
  }
  void check() const {
    if (!is_plain_comparison(cmp)) [[unlikely]]
      check_comparison("ivars", values, count, sizeof *values, cmp, call);
  }
};

/// A number below `count`, evenly spread over calls: searches start there, so that no entry that is
/// satisfied is passed over for ever.
size_t fair_start(size_t count);

template <class T>
size_t find_any(const Variables<T>& all) {
  if (all.count == 0) return SIZE_MAX;
  const size_t start = fair_start(all.count);
  for (size_t i = start; i < all.count; ++i)
    if (all.is_included(i) && all.is_satisfied(i)) return i;
  for (size_t i = 0; i < start; ++i)
    if (all.is_included(i) && all.is_satisfied(i)) return i;
  return SIZE_MAX;
}

template <class T>
size_t find_some(const Variables<T>& all, size_t* indices) {
  size_t found = 0;
  for (size_t i = 0; i < all.count; ++i)
    if (all.is_included(i) && all.is_satisfied(i)) indices[found++] = i;
  return found;
}

template <class T>
void wait_all(const Variables<T>& all) {
  all.check();
  for (size_t i = 0; i < all.count; ++i)
    if (all.is_included(i)) wait_until(all.values + i, all.cmp, all.to[i * all.to_step], all.call);
}

template <class T>
size_t wait_any(const Variables<T>& all) {
  all.check();
  if (!all.has_included()) return SIZE_MAX;
  Waiting waiting(all.call);
  while (true) {
    const size_t index = find_any(all);
    if (index != SIZE_MAX) return index;
    waiting.pause();
  }
}

template <class T>
size_t wait_some(const Variables<T>& all, size_t* indices) {
  all.check();
  if (!all.has_included()) return 0;
  Waiting waiting(all.call);
  while (true) {
    const size_t found = find_some(all, indices);
    if (found != 0) return found;
    waiting.pause();
  }
}

template <class T>
bool test_all(const Variables<T>& all) {
  all.check();
  for (size_t i = 0; i < all.count; ++i) {
    if (all.is_included(i) && !all.is_satisfied(i)) {
      pause_after_failed_test();
      return false;
    }
  }
  return true;
}

template <class T>
size_t test_any(const Variables<T>& all) {
  all.check();
  const size_t index = find_any(all);
  if (index == SIZE_MAX) pause_after_failed_test();
  return index;
}

template <class T>
size_t test_some(const Variables<T>& all, size_t* indices) {
  all.check();
  const size_t found = find_some(all, indices);
  if (found == 0) pause_after_failed_test();
  return found;
}

}  // namespace uccs::shmem
