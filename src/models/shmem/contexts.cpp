// SPDX-License-Identifier: BSD-3-Clause
#include <shmemx.h>

#include <atomic>
#include <deque>
#include <mutex>
#include <new>

#include "base/log.hpp"
#include "core/job.hpp"
#include "core/remote.hpp"
#include "models/shmem/check.hpp"
#include "models/shmem/context.hpp"
#include "models/shmem/order.hpp"
#include "models/shmem/slow.hpp"

namespace uccs::shmem {
namespace {

std::mutex lock;  // guards the list of contexts of every team

bool is_default(shmem_ctx_t ctx) { return context_of(ctx) == nullptr; }

void free_context(uccs_shmem_ctx* ctx) {
  delete ctx->counters;
  delete ctx;
}

shmem_ctx_t handle_of(uccs_shmem_ctx* ctx, bool is_fast) {
  return reinterpret_cast<shmem_ctx_t>(reinterpret_cast<uintptr_t>(ctx) | (is_fast ? 1 : 0));
}

/// In check mode objects of contexts that ended stay for a while, so that their handles are not
/// given to new ones.
constexpr size_t kMaxKept = 8192;
std::deque<uccs_shmem_ctx*> kept;

/// Under the lock. Ends a context that is in no list any more.
void end(uccs_shmem_ctx* ctx) {
  if (ctx->pack != nullptr) {
    settle_pack(*ctx->pack, "shmem_ctx_destroy");
    delete ctx->pack;
    ctx->pack = nullptr;
  }
  if (!is_checking()) return free_context(ctx);
  note_context_end(handle_of(ctx, true));
  kept.push_back(ctx);
  if (kept.size() <= kMaxKept) return;
  free_context(kept.front());
  kept.pop_front();
}

/// In turns, but for 0, which is the default context's.
uint8_t next_account() {
  static std::atomic<uint8_t> made = 0;
  return static_cast<uint8_t>(1 +
                              made.fetch_add(1, std::memory_order_relaxed) % (core::kAccounts - 1));
}

int create(shmem_team_t handle, long options, shmem_ctx_t* ctx_out, const char* call) {
  const Entry entry(call);
  *ctx_out = SHMEM_CTX_INVALID;
  uccs_shmem_team* const team = team_if_any(handle, call);
  if (team == nullptr) return -1;
  const core::Group& group = *team->group;
  auto* const made = new (std::nothrow) uccs_shmem_ctx{
      group.first, group.stride, group.size, group.table, nullptr, group.table == nullptr,
      handle,      nullptr,      0,          nullptr};
  if (made == nullptr) return -1;
  if ((options & SHMEMX_CTX_COUNT) != 0) {
    made->counters = new (std::nothrow) Counters;
    if (made->counters == nullptr) {
      delete made;
      return -1;
    }
    made->is_plain = false;
  }
  // Within a node there is nothing to gain, and without memory it is a context that does not pack.
  if ((options & SHMEMX_CTX_AGGREGATE) != 0 && core::job.is_spread)
    made->pack = core::Pack::make(nullptr);
  // What these must not pack goes by the default context.
  if (made->pack == nullptr) made->account = next_account();
  {
    const std::lock_guard guard(lock);
    made->next = team->contexts;
    team->contexts = made;
  }
  const bool is_world = group.table == nullptr && group.first == 0 && group.stride == 1 &&
                        group.size == core::job.size;
  const bool is_fast = is_world && made->counters == nullptr;
  *ctx_out = handle_of(made, is_fast || entry.is_checked());
  if (entry.is_checked()) [[unlikely]]
    note_context(*ctx_out, options, made, is_world);
  return 0;
}

void destroy(uccs_shmem_ctx* ctx) {
  const std::lock_guard guard(lock);
  uccs_shmem_ctx** link = &team_of(ctx->team)->contexts;
  while (*link != nullptr && *link != ctx) link = &(*link)->next;
  if (*link == nullptr) return;  // its team's end ended it
  *link = ctx->next;
  end(ctx);
}

}  // namespace

void fail_context(shmem_ctx_t ctx, int pe, const char* call) {
  if (is_guarded) {
    if (!is_started()) fail_state(call);
    (void)checked_context(ctx, call);  // it is none: all have bit 0 set
  }
  if (ctx == SHMEM_CTX_INVALID) base::fatal("%s: the context is SHMEM_CTX_INVALID", call);
  base::fatal("%s: there is no PE %d in the context's team: its PEs are numbered 0 to %d", call, pe,
              ctx->size - 1);
}

void forget_ended_contexts() {
  const std::lock_guard guard(lock);
  for (const uccs_shmem_ctx* const ctx : kept) delete ctx;
  kept.clear();
}

void end_contexts(uccs_shmem_team* team) {
  quiet_everywhere();
  const std::lock_guard guard(lock);
  while (uccs_shmem_ctx* const ctx = team->contexts) {
    team->contexts = ctx->next;
    end(ctx);
  }
}

}  // namespace uccs::shmem

using namespace uccs::shmem;

// The standard's options promise how a context is used. Contexts have no state that users could
// contend for without a lock, so none of the promises is needed.
UCCS_SHMEM(int, ctx_create, (long options, shmem_ctx_t* ctx)) {
  return create(SHMEM_TEAM_WORLD, options, ctx, "shmem_ctx_create");
}

UCCS_SHMEM(int, team_create_ctx, (shmem_team_t team, long options, shmem_ctx_t* ctx)) {
  return create(team, options, ctx, "shmem_team_create_ctx");
}

UCCS_SHMEM(void, ctx_destroy, (shmem_ctx_t ctx)) {
  if (is_default(ctx)) {
    const Entry entry("shmem_ctx_destroy");
    if (entry.is_checked() && ctx == SHMEM_CTX_DEFAULT) [[unlikely]]
      uccs::base::fatal("shmem_ctx_destroy: SHMEM_CTX_DEFAULT cannot be destroyed");
    return;
  }
  { const Entry entry("shmem_ctx_destroy", ctx); }
  if (uccs::core::Pack* const pack = pack_of(ctx)) settle_pack(*pack, "shmem_ctx_destroy");
  quiet_everywhere();
  destroy(context_of(ctx));
}

UCCS_SHMEM(int, ctx_get_team, (shmem_ctx_t ctx, shmem_team_t* team)) {
  *team = SHMEM_TEAM_INVALID;
  if (ctx == SHMEM_CTX_INVALID) return -1;
  const Entry entry("shmem_ctx_get_team", ctx);
  *team = is_default(ctx) ? SHMEM_TEAM_WORLD : context_of(ctx)->team;
  return 0;
}

// Hints; but what was packed leaves at the end of a session.
UCCS_SHMEM(void, ctx_session_start,
           (shmem_ctx_t ctx, long, const shmem_ctx_session_config_t* config, long mask)) {
  if (ctx == SHMEM_CTX_INVALID) return;
  const Entry entry("shmem_ctx_session_start", ctx);
  if (entry.is_checked() && mask != 0) [[unlikely]]
    check_local("shmem_ctx_session_start", {"config", config, sizeof *config});
}
UCCS_SHMEM(void, ctx_session_stop, (shmem_ctx_t ctx)) {
  if (ctx == SHMEM_CTX_INVALID) return;
  const Entry entry("shmem_ctx_session_stop", ctx);
  if (uccs::core::Pack* const pack = pack_of(ctx)) pack->push();
}
