// SPDX-License-Identifier: BSD-3-Clause
#pragma once

namespace uccs::base {

/// One side of "I write A, then read B; you write B, then read A; not both may miss": the rare side
/// pays for both. The frequent side orders its two accesses for the compiler only; `heavy_fence`
/// makes every running thread of the processes that have joined execute a full fence.
/// Processes join while they have one thread: later it takes milliseconds. Without membarrier(2)
/// nothing happens, and heavy_fence says so.
void join_heavy_fence();
bool heavy_fence();

}  // namespace uccs::base
