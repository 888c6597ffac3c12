// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include <atomic>

#include "models/shmem/guard.hpp"

namespace uccs::shmem {

/// Orders this thread's stores and atomics on this node. On x86 stores are in order anyway (those
/// that bypass the caches end in a fence of their own, see mem/copy.hpp), so this binds the
/// compiler only.
[[gnu::always_inline]] inline void fence() { std::atomic_thread_fence(std::memory_order_release); }

/// Operations on mapped memory are done when they return, but for the CPU's store buffer: until it
/// drains, this PE could read its new value while others still read the old one. A full fence
/// drains it. On x86 a locked instruction on the stack costs a tenth of mfence.
[[gnu::always_inline]] inline void quiet() {
#if defined(__x86_64__)
  asm volatile("lock orq $0, (%%rsp)" ::: "memory", "cc");
#else
  std::atomic_thread_fence(std::memory_order_seq_cst);
#endif
}

/// The two for all nodes, and all contexts. What goes to others is completed, which orders it.
[[gnu::cold]] void quiet_nodes();
[[gnu::always_inline]] inline void fence_everywhere() {
  if (has_more_to_order) [[unlikely]]
    return quiet_nodes();
  fence();
}
[[gnu::always_inline]] inline void quiet_everywhere() {
  if (has_more_to_order) [[unlikely]]
    return quiet_nodes();
  quiet();
}

}  // namespace uccs::shmem
