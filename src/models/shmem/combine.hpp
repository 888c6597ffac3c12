// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include <cstddef>
#include <cstdint>
#include <type_traits>

/// Kernels of reductions: acc[i] = acc[i] op in[i]. Types that differ in name only share one.
namespace uccs::shmem {

/// Unsigned words wrap around where signed ones have no defined overflow.
template <class T>
using Unsigned =
    std::conditional_t<sizeof(T) == 1, uint8_t,
                       std::conditional_t<sizeof(T) == 2, uint16_t,
                                          std::conditional_t<sizeof(T) == 4, uint32_t, uint64_t>>>;
template <class T>
using Signed = std::make_signed_t<Unsigned<T>>;

/// What sums and bits are computed in: floating and complex types as they are.
template <class T, bool is_integer = std::is_integral_v<T>>
struct Wrapping {
  using Type = Unsigned<T>;
};
template <class T>
struct Wrapping<T, false> {
  using Type = T;
};

/// What order is decided in.
template <class T, bool is_integer = std::is_integral_v<T>>
struct Ordered {
  using Type = std::conditional_t<std::is_signed_v<T>, Signed<T>, Unsigned<T>>;
};
template <class T>
struct Ordered<T, false> {
  using Type = T;
};

struct Sum {
  template <class T>
  static T apply(T a, T b) {
    return static_cast<T>(a + b);
  }
};
struct Product {
  /// Small words are promoted to int, whose product may overflow: multiply as unsigned.
  template <class T>
  static T apply(T a, T b) {
    if constexpr (std::is_integral_v<T> && sizeof(T) < sizeof(unsigned))
      return static_cast<T>(static_cast<unsigned>(a) * b);
    else
      return a * b;
  }
};
struct And {
  template <class T>
  static T apply(T a, T b) {
    return static_cast<T>(a & b);
  }
};
struct Or {
  template <class T>
  static T apply(T a, T b) {
    return static_cast<T>(a | b);
  }
};
struct Xor {
  template <class T>
  static T apply(T a, T b) {
    return static_cast<T>(a ^ b);
  }
};
/// NaN, which is not equal to itself, wins on either side: the result does not depend on the order.
struct Max {
  template <class T>
  static T apply(T a, T b) {
    return a > b || a != a ? a : b;
  }
};
struct Min {
  template <class T>
  static T apply(T a, T b) {
    return a < b || a != a ? a : b;
  }
};

template <class Operation, class T>
void combine(void* acc, const void* in, size_t count) {
  // The buffers hold some type of this size and kind, perhaps under another name.
  typedef T Word __attribute__((may_alias));
  auto* __restrict to = static_cast<Word*>(acc);
  auto* __restrict from = static_cast<const Word*>(in);
  for (size_t i = 0; i < count; ++i) to[i] = Operation::template apply<T>(to[i], from[i]);
}

}  // namespace uccs::shmem
