// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include <cstddef>

#include "models/shmem/api.hpp"

/// What happens when `core::translate` says no: one function per kind of operation, the place where
/// PEs of other nodes would be served.
namespace uccs::shmem {

/// Nothing if `bytes` is 0, which is legal with any pointers; else the job ends with the reason.
[[gnu::cold]] void slow_put(shmem_ctx_t ctx, void* dest, const void* source, size_t bytes, int ec,
                            const char* call);
[[gnu::cold]] void slow_get(shmem_ctx_t ctx, void* dest, const void* source, size_t bytes, int ec,
                            const char* call);
[[noreturn, gnu::cold]] void slow_atomic(shmem_ctx_t ctx, const void* symmetric, int ec,
                                         const char* call);

}  // namespace uccs::shmem
