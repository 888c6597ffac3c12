// SPDX-License-Identifier: BSD-3-Clause
#include <shmemx.h>

#include "base/clock.hpp"
#include "models/shmem/api.hpp"
#include "models/shmem/order.hpp"
#include "rte/identity.hpp"

using namespace uccs;
using namespace uccs::shmem;

UCCS_SHMEMX(double, wtime, (void)) { return static_cast<double>(base::now_ns()) * 1e-9; }

UCCS_SHMEMX(const char*, nodename, (void)) { return rte::start().host; }

// Operations on mapped memory are done when they return.
UCCS_SHMEMX(int, quiet_test, (void)) {
  pshmem_quiet();
  return 1;
}
UCCS_SHMEMX(int, ctx_quiet_test, (shmem_ctx_t ctx)) {
  pshmem_ctx_quiet(ctx);
  return 1;
}
UCCS_SHMEMX(int, fence_test, (void)) {
  pshmem_fence();
  return 1;
}
UCCS_SHMEMX(int, ctx_fence_test, (shmem_ctx_t ctx)) {
  pshmem_ctx_fence(ctx);
  return 1;
}
UCCS_SHMEMX(void, local_complete, (void)) {}
UCCS_SHMEMX(void, ctx_local_complete, (shmem_ctx_t)) {}

// Threads need no resources, and one thread's operations are as done as another's.
UCCS_SHMEMX(void, thread_register, (void)) {}
UCCS_SHMEMX(void, thread_unregister, (void)) {}
UCCS_SHMEMX(void, thread_quiet, (void)) { quiet_everywhere(); }
UCCS_SHMEMX(void, thread_fence, (void)) { fence_everywhere(); }

UCCS_SHMEMX(void, session_start, (shmem_ctx_t ctx, long options)) {
  pshmem_ctx_session_start(ctx, options, nullptr, 0);
}
UCCS_SHMEMX(void, session_stop, (shmem_ctx_t ctx)) { pshmem_ctx_session_stop(ctx); }
UCCS_SHMEMX(void, ctx_session_start, (shmem_ctx_t ctx)) {
  pshmem_ctx_session_start(ctx, 0, nullptr, 0);
}
UCCS_SHMEMX(void, ctx_session_stop, (shmem_ctx_t ctx)) { pshmem_ctx_session_stop(ctx); }

// MPI is neither known nor waited for, and numbers its processes as it likes.
UCCS_SHMEMX(int, query_interoperability, (int property)) {
  return property == SHMEMX_UCCS_ECS_ARE_PES;
}
