// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include <cstdint>

#include "uccs/shmem_direct.h"

/// The one gate that misuse has to pass, and that costs nothing when it is open. Memory that can be
/// reached directly is published in a map of the model's own, which is empty while a call may be
/// wrong: before init, after finalize, and always in check mode. Then every put, get and atomic,
/// those inlined into programs included, finds that nothing is mapped and takes the path for that,
/// which looks at the call first (check_rma.hpp). Routines without an address test `is_guarded`.
namespace uccs::shmem {

/// What `uccs_shmem_direct` points to: core's map, or nothing. These five are hidden so that
/// reading one is part of the instruction that uses it.
[[gnu::visibility("hidden")]] extern uccs_direct_map_t published_map;

[[gnu::visibility("hidden")]] extern bool is_guarded;

/// True while fence and quiet are more than a fence of the CPU: while guarded, and in jobs on
/// several nodes.
[[gnu::visibility("hidden")]] extern bool has_more_to_order;

/// Values of `cmp` that waits take without a further look: all, or none while guarded.
[[gnu::visibility("hidden")]] extern uint32_t plain_comparisons;

/// Handles of contexts up to this one are invalid if bit 0 is clear: all while guarded, when every
/// valid one has it set.
[[gnu::visibility("hidden")]] extern uintptr_t last_invalid_context;

/// Where PE `ec`'s copy of a symmetric address is; nullptr if it is not mapped, or while guarded.
[[gnu::always_inline]] inline void* translate(const void* symmetric, int ec) {
  return uccs_direct_translate(&published_map, symmetric, ec);
}

/// After init: calls are legal. In check mode the gate stays shut.
void open_gate();

/// At finalize.
void shut_gate();

/// True between the two; true from the first on.
bool is_started();
bool was_started();

/// True if SHMEM_DEBUG or UCCS_CHECK asks for it.
bool is_checking();

/// Ends the job: `call` was made before init or after finalize.
[[noreturn, gnu::cold]] void fail_state(const char* call);

}  // namespace uccs::shmem
