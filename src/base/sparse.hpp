// SPDX-License-Identifier: BSD-3-Clause
/// Arrays with an element per EC of which most are never used: zero at first, and resident page by
/// page as they are written, so that an EC of a large job pays for the peers that it talks to.
#pragma once
#include <stdlib.h>

#include <cstddef>
#include <memory>
#include <type_traits>

namespace uccs::base {

struct FreeMemory {
  void operator()(void* memory) const { free(memory); }
};
template <typename T>
using SparseArray = std::unique_ptr<T[], FreeMemory>;

/// `count` elements of zero bytes; empty when there is no memory.
template <typename T>
SparseArray<T> make_sparse(size_t count) {
  static_assert(std::is_trivially_destructible_v<T>);
  return SparseArray<T>(static_cast<T*>(calloc(count, sizeof(T))));
}

}  // namespace uccs::base
