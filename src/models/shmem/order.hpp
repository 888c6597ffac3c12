// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include <atomic>

#include "core/job.hpp"
#include "models/shmem/slow.hpp"

namespace uccs::shmem {

/// Orders this thread's stores and atomics; what goes to other nodes is completed, which orders it.
/// On x86 stores are in order anyway (those that bypass
/// the caches end in a fence of their own, see mem/copy.hpp), so this binds the compiler only.
[[gnu::always_inline]] inline void fence() {
  if (core::job.is_spread) [[unlikely]]
    quiet_network();
  std::atomic_thread_fence(std::memory_order_release);
}

/// Operations on mapped memory are done when they return, but for the CPU's store buffer: until it
/// drains, this PE could read its new value while others still read the old one. A full fence
/// drains it. On x86 a locked instruction on the stack costs a tenth of mfence.
[[gnu::always_inline]] inline void quiet() {
  if (core::job.is_spread) [[unlikely]]
    quiet_network();
#if defined(__x86_64__)
  asm volatile("lock orq $0, (%%rsp)" ::: "memory", "cc");
#else
  std::atomic_thread_fence(std::memory_order_seq_cst);
#endif
}

}  // namespace uccs::shmem
