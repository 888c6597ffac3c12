// SPDX-License-Identifier: BSD-3-Clause
#include <shmemx.h>

#include <cstddef>

#include "base/clock.hpp"
#include "base/log.hpp"
#include "core/job.hpp"
#include "models/shmem/active_sets.hpp"
#include "models/shmem/collectives.hpp"
#include "models/shmem/rma.hpp"
#include "rte/identity.hpp"

using namespace uccs;
using namespace uccs::shmem;

#define UCCS_SHMEMX(result, name, parameters)                                                \
  extern "C" __attribute__((weak, alias("pshmemx_" #name))) result shmemx_##name parameters; \
  extern "C" result pshmemx_##name parameters

namespace {

/// What a member gives to an exchange; symmetric.
struct Outgoing {
  const void* source;
  const size_t* offsets;
  const size_t* sizes;
};
/// Where it gets what the others give.
struct Incoming {
  void* dest;
  const size_t* offsets;
  size_t* sizes;
};

/// Every member fetches: then nobody depends on another's arrays but for the time between the
/// barriers. It begins with its neighbour, so that not all read from one member at once.
void exchange(core::Group& group, const Incoming& in, const Outgoing& out, const char* call) {
  coll::barrier(group);
  for (int i = 1; i <= group.size; ++i) {
    const int member = (group.rank + i) % group.size;
    const int ec = core::group_ec(group, member);
    size_t bytes, offset;
    get_bytes(SHMEM_CTX_DEFAULT, &bytes, out.sizes + group.rank, sizeof bytes, ec, call);
    in.sizes[member] = bytes;
    if (bytes == 0) continue;
    get_bytes(SHMEM_CTX_DEFAULT, &offset, out.offsets + group.rank, sizeof offset, ec, call);
    get_bytes(SHMEM_CTX_DEFAULT, static_cast<std::byte*>(in.dest) + in.offsets[member],
              static_cast<const std::byte*>(out.source) + offset, bytes, ec, call);
  }
  coll::barrier(group);
}

}  // namespace

UCCS_SHMEMX(double, wtime, (void)) { return static_cast<double>(base::now_ns()) * 1e-9; }

UCCS_SHMEMX(const char*, nodename, (void)) { return rte::start().host; }

UCCS_SHMEMX(size_t, malloc_usable_size, (const void* ptr)) { return core::heap_bytes_from(ptr); }

// Operations on mapped memory are done when they return.
UCCS_SHMEMX(int, quiet_test, (void)) {
  quiet();
  return 1;
}
UCCS_SHMEMX(int, ctx_quiet_test, (shmem_ctx_t)) {
  quiet();
  return 1;
}
UCCS_SHMEMX(int, fence_test, (void)) {
  fence();
  return 1;
}
UCCS_SHMEMX(int, ctx_fence_test, (shmem_ctx_t)) {
  fence();
  return 1;
}
UCCS_SHMEMX(void, local_complete, (void)) {}
UCCS_SHMEMX(void, ctx_local_complete, (shmem_ctx_t)) {}

UCCS_SHMEMX(void, putmem_signal,
            (void* dest, const void* source, size_t nelems, uint64_t* sig_addr, uint64_t signal,
             int pe)) {
  pshmem_putmem_signal(dest, source, nelems, sig_addr, signal, SHMEM_SIGNAL_SET, pe);
}
UCCS_SHMEMX(void, ctx_putmem_signal,
            (shmem_ctx_t ctx, void* dest, const void* source, size_t nelems, uint64_t* sig_addr,
             uint64_t signal, int pe)) {
  pshmem_ctx_putmem_signal(ctx, dest, source, nelems, sig_addr, signal, SHMEM_SIGNAL_SET, pe);
}

UCCS_SHMEMX(void, alltoallv,
            (void* dest, size_t* t_offsets, size_t* t_sizes, const void* source, size_t* s_offsets,
             size_t* s_sizes, int PE_start, int logPE_stride, int PE_size, long*)) {
  constexpr const char* call = "shmemx_alltoallv";
  exchange(active_set(PE_start, logPE_stride, PE_size, call), {dest, t_offsets, t_sizes},
           {source, s_offsets, s_sizes}, call);
}

UCCS_SHMEMX(void, team_alltoallv,
            (void* dest, size_t* t_offsets, size_t* t_sizes, const void* source, size_t* s_offsets,
             size_t* s_sizes, shmem_team_t team, long*)) {
  constexpr const char* call = "shmemx_team_alltoallv";
  uccs_shmem_team* const members = team_of(team);
  if (members == nullptr) base::fatal("%s: the team is SHMEM_TEAM_INVALID", call);
  exchange(*members->group, {dest, t_offsets, t_sizes}, {source, s_offsets, s_sizes}, call);
}
