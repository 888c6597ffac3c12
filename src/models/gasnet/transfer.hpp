// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include <atomic>
#include <cstring>

#include "mem/copy.hpp"
#include "models/gasnet/job.hpp"

/// Puts and gets by load and store: what every one of them inlines. docs/hot-path.md has budgets.
namespace uccs::gasnet {

/// Where `address` of `node` is mapped here; nullptr when it is not.
[[gnu::always_inline]] inline void* reach(uint32_t node, const void* address) {
  return uccs_gasnet_reach(&attached.map, node, address);
}

/// True for addresses at which a word of `bytes` moves whole.
[[gnu::always_inline]] inline bool is_aligned(const void* address, size_t bytes) {
  return (reinterpret_cast<uintptr_t>(address) & (bytes - 1)) == 0;
}

template <typename Word>
[[gnu::always_inline]] inline void store_word(void* to, const void* from) {
  Word word;
  std::memcpy(&word, from, sizeof word);
  __atomic_store_n(static_cast<Word*>(to), word, __ATOMIC_RELAXED);
}
/// Acquire: a get is complete on return, so nothing that follows may be read before it.
template <typename Word>
[[gnu::always_inline]] inline void load_word(void* to, const void* from) {
  const Word word = __atomic_load_n(static_cast<const Word*>(from), __ATOMIC_ACQUIRE);
  std::memcpy(to, &word, sizeof word);
}

/// Aligned words move whole: they may be flags.
[[gnu::always_inline]] inline void store(void* to, const void* from, size_t bytes) {
  if (bytes == 8 && is_aligned(to, 8))
    store_word<uint64_t>(to, from);
  else if (bytes == 4 && is_aligned(to, 4))
    store_word<uint32_t>(to, from);
  else if (bytes == 2 && is_aligned(to, 2))
    store_word<uint16_t>(to, from);
  else if (bytes == 1)
    store_word<uint8_t>(to, from);
  else if (bytes != 0)
    mem::copy(to, from, bytes);
}
[[gnu::always_inline]] inline void load(void* to, const void* from, size_t bytes) {
  if (bytes == 8 && is_aligned(from, 8)) {
    load_word<uint64_t>(to, from);
  } else if (bytes == 4 && is_aligned(from, 4)) {
    load_word<uint32_t>(to, from);
  } else if (bytes == 2 && is_aligned(from, 2)) {
    load_word<uint16_t>(to, from);
  } else if (bytes == 1) {
    load_word<uint8_t>(to, from);
  } else if (bytes != 0) {
    mem::copy(to, from, bytes);
    std::atomic_thread_fence(std::memory_order_acquire);
  }
}

/// A put is complete when gets of any thread see it: when this CPU's store buffer has drained. On
/// x86 a locked instruction on the stack costs a tenth of mfence.
[[gnu::always_inline]] inline void complete_stores() {
#if defined(__x86_64__)
  asm volatile("lock orq $0, (%%rsp)" ::: "memory", "cc");
#else
  std::atomic_thread_fence(std::memory_order_seq_cst);
#endif
}

}  // namespace uccs::gasnet
