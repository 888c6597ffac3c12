// SPDX-License-Identifier: BSD-3-Clause
#include <shmemx.h>

#include <mutex>
#include <new>

#include "base/log.hpp"
#include "core/job.hpp"
#include "models/shmem/context.hpp"
#include "models/shmem/order.hpp"

namespace uccs::shmem {
namespace {

std::mutex lock;  // guards the list of contexts of every team

bool is_default(shmem_ctx_t ctx) { return context_of(ctx) == nullptr; }

void free_context(uccs_shmem_ctx* ctx) {
  delete ctx->counters;
  delete ctx;
}

int create(shmem_team_t handle, long options, shmem_ctx_t* ctx_out) {
  *ctx_out = SHMEM_CTX_INVALID;
  uccs_shmem_team* const team = team_of(handle);
  if (team == nullptr) return -1;
  const core::Group& group = *team->group;
  auto* const made = new (std::nothrow)
      uccs_shmem_ctx{group.first, group.stride, group.size, group.table, nullptr, handle, nullptr};
  if (made == nullptr) return -1;
  if ((options & SHMEMX_CTX_COUNT) != 0) {
    made->counters = new (std::nothrow) Counters;
    if (made->counters == nullptr) {
      delete made;
      return -1;
    }
  }
  {
    const std::lock_guard guard(lock);
    made->next = team->contexts;
    team->contexts = made;
  }
  const bool is_fast = made->counters == nullptr && group.table == nullptr && group.first == 0 &&
                       group.stride == 1 && group.size == core::job.size;
  *ctx_out = reinterpret_cast<shmem_ctx_t>(reinterpret_cast<uintptr_t>(made) | is_fast);
  return 0;
}

void destroy(uccs_shmem_ctx* ctx) {
  const std::lock_guard guard(lock);
  uccs_shmem_ctx** link = &team_of(ctx->team)->contexts;
  while (*link != nullptr && *link != ctx) link = &(*link)->next;
  if (*link == nullptr) return;  // its team's end ended it
  *link = ctx->next;
  free_context(ctx);
}

}  // namespace

void fail_context(shmem_ctx_t ctx, int pe, const char* call) {
  if (ctx == SHMEM_CTX_INVALID) base::fatal("%s: the context is SHMEM_CTX_INVALID", call);
  base::fatal("%s: there is no PE %d in the context's team: its PEs are numbered 0 to %d", call, pe,
              ctx->size - 1);
}

void end_contexts(uccs_shmem_team* team) {
  quiet();
  const std::lock_guard guard(lock);
  while (uccs_shmem_ctx* const ctx = team->contexts) {
    team->contexts = ctx->next;
    free_context(ctx);
  }
}

}  // namespace uccs::shmem

using namespace uccs::shmem;

// The standard's options promise how a context is used. Contexts have no state that users could
// contend for, so none of the promises is needed; nor is SHMEMX_CTX_AGGREGATE, because nothing is
// ever held back.
UCCS_SHMEM(int, ctx_create, (long options, shmem_ctx_t* ctx)) {
  return create(SHMEM_TEAM_WORLD, options, ctx);
}

UCCS_SHMEM(int, team_create_ctx, (shmem_team_t team, long options, shmem_ctx_t* ctx)) {
  return create(team, options, ctx);
}

UCCS_SHMEM(void, ctx_destroy, (shmem_ctx_t ctx)) {
  if (is_default(ctx)) return;
  quiet();
  destroy(context_of(ctx));
}

UCCS_SHMEM(int, ctx_get_team, (shmem_ctx_t ctx, shmem_team_t* team)) {
  *team = SHMEM_TEAM_INVALID;
  if (ctx == SHMEM_CTX_INVALID) return -1;
  *team = is_default(ctx) ? SHMEM_TEAM_WORLD : context_of(ctx)->team;
  return 0;
}

// Hints; operations are never held back, so there is nothing to prepare or to flush.
UCCS_SHMEM(void, ctx_session_start, (shmem_ctx_t, long, const shmem_ctx_session_config_t*, long)) {}
UCCS_SHMEM(void, ctx_session_stop, (shmem_ctx_t)) {}
