// SPDX-License-Identifier: BSD-3-Clause
#include "models/shmem/slow.hpp"

#include "core/job.hpp"

namespace uccs::shmem {

void slow_put(shmem_ctx_t, void* dest, const void*, size_t bytes, int ec, const char* call) {
  if (bytes != 0) core::fail_translate(call, dest, ec);
}

void slow_get(shmem_ctx_t, void*, const void* source, size_t bytes, int ec, const char* call) {
  if (bytes != 0) core::fail_translate(call, source, ec);
}

void slow_atomic(shmem_ctx_t, const void* symmetric, int ec, const char* call) {
  core::fail_translate(call, symmetric, ec);
}

}  // namespace uccs::shmem
