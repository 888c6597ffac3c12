// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include <cstddef>
#include <cstring>

namespace uccs::mem {

/// Copies at and above this many bytes leave the caches alone (non-temporal stores). Set once at
/// start-up from the size of the last-level cache.
extern size_t nontemporal_threshold;

/// As memcpy for regions of any size that may be other ECs' memory; ends with a store fence when it
/// used non-temporal stores, so plain ordering rules hold afterwards.
void copy_nontemporal(void* dest, const void* source, size_t bytes);

inline void copy(void* dest, const void* source, size_t bytes) {
  if (bytes >= nontemporal_threshold) [[unlikely]] {
    copy_nontemporal(dest, source, bytes);
  } else {
    std::memcpy(dest, source, bytes);
  }
}

}  // namespace uccs::mem
