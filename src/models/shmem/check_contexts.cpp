// SPDX-License-Identifier: BSD-3-Clause
/// Check mode: which contexts there are, which there were, and what is pending on them.
#include <deque>
#include <map>
#include <mutex>
#include <string_view>

#include "base/log.hpp"
#include "models/shmem/check.hpp"

namespace uccs::shmem {
namespace {

/// Destroyed contexts that are still known as such; contexts.cpp keeps their addresses from use
/// again for as long.
constexpr size_t kMaxEnded = 4096;

std::mutex lock;  // guards contexts and ended
std::map<shmem_ctx_t, CheckedContext> contexts;
std::deque<shmem_ctx_t> ended;

void warn_pending(const CheckedContext& context, const char* which) {
  const uint64_t count = context.pending;
  if (count == 0) return;
  const char* const call = context.pending_call;
  base::log_line(
      base::LogLevel::kWarn,
      "shmem_finalize: %llu non-blocking operation%s on %s (the last: %s) not yet "
      "completed by shmem_quiet or a barrier: finalize does it, but until then nobody may "
      "rely on what they move",
      static_cast<unsigned long long>(count), count == 1 ? "" : "s", which,
      call != nullptr ? call : "?");
}

}  // namespace

CheckedContext& default_context() {
  static CheckedContext context;
  return context;
}

void note_context(shmem_ctx_t ctx, long options, uccs_shmem_ctx* made, bool is_world) {
  const std::lock_guard guard(lock);
  CheckedContext& context = contexts[ctx];
  context.is_live = true;
  context.options = options;
  context.creator = this_thread();
  context.made = made;
  context.is_world = is_world;
}

CheckedContext& checked_context(shmem_ctx_t ctx, const char* call) {
  if (ctx == SHMEM_CTX_DEFAULT) return default_context();
  if (ctx == SHMEM_CTX_INVALID) base::fatal("%s: the context is SHMEM_CTX_INVALID", call);
  const std::lock_guard guard(lock);
  const auto found = contexts.find(ctx);
  if (found == contexts.end())
    base::fatal(
        "%s: %p is no context: SHMEM_CTX_DEFAULT and what shmem_ctx_create or "
        "shmem_team_create_ctx made are",
        call, static_cast<void*>(ctx));
  if (!found->second.is_live)
    base::fatal(
        "%s: the context %p does not exist any more: shmem_ctx_destroy, or the end of its team, "
        "ended it",
        call, static_cast<void*>(ctx));
  return found->second;
}

void note_context_end(shmem_ctx_t ctx) {
  const std::lock_guard guard(lock);
  const auto found = contexts.find(ctx);
  if (found == contexts.end()) return;
  found->second.is_live = false;
  found->second.pending = 0;
  ended.push_back(ctx);
  if (ended.size() <= kMaxEnded) return;
  contexts.erase(ended.front());
  ended.pop_front();
}

void note_nbi(CheckedContext& context, const char* call) {
  if (!std::string_view(call).ends_with("_nbi")) return;
  context.pending_call = call;
  ++context.pending;
}

void end_contexts_check() {
  warn_pending(default_context(), "the default context");
  default_context().pending = 0;
  const std::lock_guard guard(lock);
  for (const auto& [ctx, context] : contexts) {
    if (!context.is_live) continue;
    warn_pending(context, "a context that was not destroyed");
    if ((context.options & SHMEM_CTX_PRIVATE) != 0)
      base::log_line(base::LogLevel::kWarn,
                     "shmem_finalize: a context that was created with SHMEM_CTX_PRIVATE still "
                     "exists: destroy private contexts before");
  }
  contexts.clear();
  ended.clear();
}

}  // namespace uccs::shmem
