// SPDX-License-Identifier: BSD-3-Clause
#include "collective.hpp"

#include <string.h>

namespace uccs::perf {

Collective::Collective(Operation operation, size_t bytes, int procs)
    : operation_(operation), bytes_(bytes), procs_(procs) {
  const size_t room = (bytes * static_cast<size_t>(procs) + kApart - 1) / kApart * kApart + kApart;
  UCCS_PERF_CHECK(uccs_context_create(nullptr, &context_));
  UCCS_PERF_CHECK(uccs_region_alloc(context_, 2 * room, 4096, &region_));
  uccs_region_info_t memory;
  UCCS_PERF_CHECK(uccs_region_query(region_, &memory));
  source_ = static_cast<std::byte*>(memory.base);
  dest_ = source_ + room;
  memset(source_, 0, 2 * room);
  UCCS_PERF_CHECK(uccs_barrier(uccs_group_world()));
}

Collective::~Collective() {
  uccs_barrier(uccs_group_world());
  uccs_region_release(region_);
  uccs_context_destroy(context_);
}

void Collective::call() {
  const uccs_group_t world = uccs_group_world();
  switch (operation_) {
    case Operation::kBroadcast:
      root_ = root_ + 1 < procs_ ? root_ + 1 : 0;
      return check(uccs_bcast(world, dest_, bytes_, root_), "uccs_bcast");
    case Operation::kAllreduce:
      return check(
          uccs_allreduce(world, dest_, source_, (bytes_ + 7) / 8, UCCS_TYPE_DOUBLE, UCCS_SUM),
          "uccs_allreduce");
    case Operation::kAllgather:
      return check(uccs_allgather(world, dest_, source_, bytes_), "uccs_allgather");
    case Operation::kAlltoall:
      return check(uccs_alltoall(world, dest_, source_, bytes_), "uccs_alltoall");
    default:
      return check(uccs_barrier(world), "uccs_barrier");
  }
}

}  // namespace uccs::perf
