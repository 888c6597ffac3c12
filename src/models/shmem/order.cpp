// SPDX-License-Identifier: BSD-3-Clause
#include "models/shmem/order.hpp"

#include "models/shmem/api.hpp"

namespace shmem = uccs::shmem;

// All contexts share the memory path, where nothing is pending, so order needs no context: not even
// a valid one.
UCCS_SHMEM(void, fence, (void)) { shmem::fence(); }
UCCS_SHMEM(void, ctx_fence, (shmem_ctx_t)) { shmem::fence(); }
UCCS_SHMEM(void, quiet, (void)) { shmem::quiet(); }
UCCS_SHMEM(void, ctx_quiet, (shmem_ctx_t)) { shmem::quiet(); }
UCCS_SHMEM(void, pe_quiet, (const int*, size_t)) { shmem::quiet(); }
UCCS_SHMEM(void, ctx_pe_quiet, (shmem_ctx_t, const int*, size_t)) { shmem::quiet(); }
