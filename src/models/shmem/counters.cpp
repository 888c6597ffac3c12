// SPDX-License-Identifier: BSD-3-Clause
/// Contexts that count. Their handle has bit 0 clear, so their operations leave the fast path, also
/// the one that is inlined into programs, where `context_ec` looks at the context; other contexts
/// of the world pay nothing.
#include <shmemx.h>

#include <string_view>

#include "core/direct.hpp"
#include "core/job.hpp"
#include "models/shmem/context.hpp"
#include "models/shmem/slow.hpp"

namespace uccs::shmem {
namespace {

/// Operations of counted contexts that had this PE as target; symmetric.
std::atomic<uint64_t>* arrived = nullptr;

const Counters* counters_of(shmem_ctx_t ctx) {
  return ctx == SHMEM_CTX_INVALID || has_world_numbers(ctx) ? nullptr : ctx->counters;
}

uint64_t value_of(const std::atomic<uint64_t>& counter) {
  return counter.load(std::memory_order_relaxed);
}

/// What was issued is complete, see order.cpp, but for what is packed.
void complete(shmem_ctx_t ctx, const char* call) {
  if (counters_of(ctx) == nullptr) return;
  if (core::Pack* const pack = pack_of(ctx)) settle_pack(*pack, call);
}

uint64_t writes(shmem_ctx_t ctx) {
  const Counters* const counters = counters_of(ctx);
  return counters != nullptr ? value_of(counters->puts) + value_of(counters->atomics) : 0;
}

uint64_t reads(shmem_ctx_t ctx) {
  const Counters* const counters = counters_of(ctx);
  return counters != nullptr ? value_of(counters->gets) + value_of(counters->fetching_atomics) : 0;
}

/// The counter for a routine. Its name says what it does, and no type's name contains these words.
/// A put with signal comes twice, for its two updates.
std::atomic<uint64_t>& counter_of(Counters& counters, std::string_view call) {
  const auto has = [call](std::string_view word) {
    return call.find(word) != std::string_view::npos;
  };
  if (has("put") || call.ends_with("_p")) return counters.puts;
  if (has("get") || call.ends_with("_g")) return counters.gets;
  const bool is_fetching = has("fetch") || has("swap") || has("fadd") || has("finc");
  return is_fetching ? counters.fetching_atomics : counters.atomics;
}

}  // namespace

void prepare_counters() {
  if (arrived == nullptr)
    arrived = static_cast<std::atomic<uint64_t>*>(core::internal_allocate(64, 64));
}

int special_ec(uccs_shmem_ctx* ctx, int pe, const char* call) {
  const int ec = ctx->table == nullptr ? ctx->first + pe * ctx->stride : ctx->table[pe];
  if (ctx->counters != nullptr) count(ctx, ec, call);
  return ec;
}

void count(uccs_shmem_ctx* ctx, int ec, const char* call) {
  counter_of(*ctx->counters, call).fetch_add(1, std::memory_order_relaxed);
  if (auto* const there = static_cast<std::atomic<uint64_t>*>(core::translate(arrived, ec)))
    there->fetch_add(1, std::memory_order_relaxed);
  else
    slow_atomic_value(SHMEM_CTX_DEFAULT, base::AtomicOp::kAdd, arrived, uint64_t{1}, uint64_t{0},
                      false, ec, call);
}

}  // namespace uccs::shmem

using namespace uccs::shmem;

UCCS_SHMEMX(void, pcntr_get_issued_write, (shmem_ctx_t ctx, uint64_t* value)) {
  *value = writes(ctx);
}
UCCS_SHMEMX(void, pcntr_get_issued_read, (shmem_ctx_t ctx, uint64_t* value)) {
  *value = reads(ctx);
}
UCCS_SHMEMX(void, pcntr_get_completed_write, (shmem_ctx_t ctx, uint64_t* value)) {
  complete(ctx, "shmemx_pcntr_get_completed_write");
  *value = writes(ctx);
}
UCCS_SHMEMX(void, pcntr_get_completed_read, (shmem_ctx_t ctx, uint64_t* value)) {
  complete(ctx, "shmemx_pcntr_get_completed_read");
  *value = reads(ctx);
}
UCCS_SHMEMX(void, pcntr_get_completed_target, (uint64_t * value)) {
  *value = arrived != nullptr ? arrived->load(std::memory_order_relaxed) : 0;
}
UCCS_SHMEMX(void, pcntr_get_all, (shmem_ctx_t ctx, shmemx_pcntr_t* pcntr)) {
  *pcntr = {};
  complete(ctx, "shmemx_pcntr_get_all");
  pcntr->completed_put = writes(ctx);
  pcntr->completed_get = reads(ctx);
  pshmemx_pcntr_get_completed_target(&pcntr->target);
  if (const Counters* const counters = counters_of(ctx))
    pcntr->atomics = value_of(counters->atomics) + value_of(counters->fetching_atomics);
}
