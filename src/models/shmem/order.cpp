// SPDX-License-Identifier: BSD-3-Clause
#include "models/shmem/order.hpp"

#include "base/log.hpp"
#include "models/shmem/check.hpp"
#include "models/shmem/context.hpp"
#include "models/shmem/slow.hpp"

namespace shmem = uccs::shmem;

void shmem::quiet_nodes() {
  quiet_network();
  quiet();
}

namespace {

/// While the gate is shut. Invalid contexts are legal here.
void check_order(shmem_ctx_t ctx, bool is_quiet, const char* call) {
  if (ctx == SHMEM_CTX_INVALID) ctx = SHMEM_CTX_DEFAULT, is_quiet = false;
  const shmem::Entry entry(call, ctx);
  if (is_quiet) shmem::note_quiet(*entry.context());
}

[[gnu::cold, gnu::noinline]] void check_pes(shmem_ctx_t ctx, const int* pes, size_t count,
                                            const char* call) {
  if (ctx == SHMEM_CTX_INVALID) ctx = SHMEM_CTX_DEFAULT;
  const shmem::Entry entry(call, ctx);
  shmem::check_local(call, {"target_pes", pes, shmem::bytes_of(count, sizeof *pes)});
  for (size_t i = 0; i < count; ++i) shmem::check_pe(call, *entry.context(), pes[i]);
  if (count > 0) shmem::note_quiet(*entry.context());  // those to other PEs are given the benefit
}

/// What the context has packed and posted is complete. Acknowledged is what orders it, too:
/// messages arrive in any order.
void quiet_context(shmem_ctx_t ctx, const char* call) {
  if (ctx == SHMEM_CTX_INVALID) return shmem::quiet();
  if (uccs::core::Pack* const pack = shmem::pack_of(ctx)) shmem::settle_pack(*pack, call);
  shmem::quiet_network(shmem::account_of(ctx));
  shmem::quiet();
}

/// Tail calls, so that the open gate costs two instructions.
[[gnu::cold, gnu::noinline]] void long_fence(shmem_ctx_t ctx, const char* call) {
  if (shmem::is_guarded) check_order(ctx, false, call);
  quiet_context(ctx, call);
}
[[gnu::cold, gnu::noinline]] void long_quiet(shmem_ctx_t ctx, const char* call) {
  if (shmem::is_guarded) check_order(ctx, true, call);
  quiet_context(ctx, call);
}

[[gnu::always_inline]] inline void fence(shmem_ctx_t ctx, const char* call) {
  if (shmem::has_more_to_order) [[unlikely]]
    return long_fence(ctx, call);
  shmem::fence();
}

[[gnu::always_inline]] inline void quiet(shmem_ctx_t ctx, const char* call) {
  if (shmem::has_more_to_order) [[unlikely]]
    return long_quiet(ctx, call);
  shmem::quiet();
}

void pe_quiet(shmem_ctx_t ctx, const int* pes, size_t count, const char* call) {
  if (shmem::is_guarded) [[unlikely]]
    check_pes(ctx, pes, count, call);
  if (shmem::has_more_to_order) [[unlikely]]
    return quiet_context(ctx, call);
  shmem::quiet();
}

}  // namespace

// All contexts share the memory path, where nothing is pending, so order needs no context: not even
// a valid one.
UCCS_SHMEM(void, fence, (void)) { fence(SHMEM_CTX_DEFAULT, "shmem_fence"); }
UCCS_SHMEM(void, ctx_fence, (shmem_ctx_t ctx)) { fence(ctx, "shmem_ctx_fence"); }
UCCS_SHMEM(void, quiet, (void)) { quiet(SHMEM_CTX_DEFAULT, "shmem_quiet"); }
UCCS_SHMEM(void, ctx_quiet, (shmem_ctx_t ctx)) { quiet(ctx, "shmem_ctx_quiet"); }
UCCS_SHMEM(void, pe_quiet, (const int* pes, size_t count)) {
  pe_quiet(SHMEM_CTX_DEFAULT, pes, count, "shmem_pe_quiet");
}
UCCS_SHMEM(void, ctx_pe_quiet, (shmem_ctx_t ctx, const int* pes, size_t count)) {
  pe_quiet(ctx, pes, count, "shmem_ctx_pe_quiet");
}
