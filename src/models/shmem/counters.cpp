// SPDX-License-Identifier: BSD-3-Clause
/// Contexts that count. Their handle has bit 0 clear, so their operations leave the fast path, also
/// the one that is inlined into programs, where `context_ec` looks at the context; other contexts
/// of the world pay nothing.
#include <shmemx.h>

#include "core/direct.hpp"
#include "core/job.hpp"
#include "models/shmem/context.hpp"

namespace uccs::shmem {
namespace {

/// Operations of counted contexts that had this PE as target; symmetric.
std::atomic<uint64_t>* arrived = nullptr;

const Counters* counters_of(shmem_ctx_t ctx) {
  return ctx == SHMEM_CTX_INVALID || has_world_numbers(ctx) ? nullptr : ctx->counters;
}

uint64_t operations(const Counters& counters, Work work) {
  return counters.operations[static_cast<size_t>(work)].load(std::memory_order_relaxed);
}

uint64_t writes(shmem_ctx_t ctx) {
  const Counters* const counters = counters_of(ctx);
  if (counters == nullptr) return 0;
  return operations(*counters, Work::kPut) + operations(*counters, Work::kAtomic);
}

uint64_t reads(shmem_ctx_t ctx) {
  const Counters* const counters = counters_of(ctx);
  if (counters == nullptr) return 0;
  return operations(*counters, Work::kGet) + operations(*counters, Work::kFetchingAtomic);
}

}  // namespace

void prepare_counters() {
  if (arrived == nullptr)
    arrived = static_cast<std::atomic<uint64_t>*>(core::internal_allocate(64, 64));
}

void count(uccs_shmem_ctx* ctx, int ec, Work work, size_t bytes) {
  Counters& counters = *ctx->counters;
  counters.operations[static_cast<size_t>(work)].fetch_add(1, std::memory_order_relaxed);
  if (work == Work::kPut) counters.put_bytes.fetch_add(bytes, std::memory_order_relaxed);
  if (work == Work::kGet) counters.get_bytes.fetch_add(bytes, std::memory_order_relaxed);
  if (auto* const there = static_cast<std::atomic<uint64_t>*>(core::translate(arrived, ec)))
    there->fetch_add(1, std::memory_order_relaxed);
}

}  // namespace uccs::shmem

using namespace uccs::shmem;

// What was issued is complete, see order.cpp.
UCCS_SHMEMX(void, pcntr_get_issued_write, (shmem_ctx_t ctx, uint64_t* value)) {
  *value = writes(ctx);
}
UCCS_SHMEMX(void, pcntr_get_issued_read, (shmem_ctx_t ctx, uint64_t* value)) {
  *value = reads(ctx);
}
UCCS_SHMEMX(void, pcntr_get_completed_write, (shmem_ctx_t ctx, uint64_t* value)) {
  *value = writes(ctx);
}
UCCS_SHMEMX(void, pcntr_get_completed_read, (shmem_ctx_t ctx, uint64_t* value)) {
  *value = reads(ctx);
}
UCCS_SHMEMX(void, pcntr_get_completed_target, (uint64_t * value)) {
  *value = arrived != nullptr ? arrived->load(std::memory_order_relaxed) : 0;
}
UCCS_SHMEMX(void, pcntr_get_all, (shmem_ctx_t ctx, shmemx_pcntr_t* pcntr)) {
  *pcntr = {};
  pcntr->completed_put = writes(ctx);
  pcntr->completed_get = reads(ctx);
  pshmemx_pcntr_get_completed_target(&pcntr->target);
  if (const Counters* const counters = counters_of(ctx)) {
    pcntr->put_bytes = counters->put_bytes.load(std::memory_order_relaxed);
    pcntr->get_bytes = counters->get_bytes.load(std::memory_order_relaxed);
    pcntr->atomics =
        operations(*counters, Work::kAtomic) + operations(*counters, Work::kFetchingAtomic);
  }
}
