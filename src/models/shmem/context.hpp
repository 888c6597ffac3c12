// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include <atomic>
#include <cstdint>

#include "core/group.hpp"
#include "core/pack.hpp"
#include "models/shmem/api.hpp"
#include "models/shmem/guard.hpp"

namespace uccs::shmem {

/// Operations done on a context that counts. Relaxed: readers want totals, not order.
struct Counters {
  std::atomic<uint64_t> puts = 0;
  std::atomic<uint64_t> gets = 0;
  std::atomic<uint64_t> atomics = 0;
  std::atomic<uint64_t> fetching_atomics = 0;
};

}  // namespace uccs::shmem

/// A team's contexts are in a list, so that the team can end them.
struct uccs_shmem_ctx {
  int first, stride, size;          ///< of the team's group
  const int* table;                 ///< nullptr, or the team's ECs; the group's
  uccs::shmem::Counters* counters;  ///< nullptr: does not count
  bool is_plain;                    ///< neither table nor counters
  shmem_team_t team;
  uccs_shmem_ctx* next;
  uint8_t account;         ///< of its operations on other nodes
  uccs::core::Pack* pack;  ///< SHMEMX_CTX_AGGREGATE in a job on several nodes, else nullptr
};

struct uccs_shmem_team {
  uccs::core::Group* group = nullptr;  ///< `own`, or the world's, which other models share
  uccs::core::Group own;
  shmem_team_config_t config = {0};
  uccs_shmem_ctx* contexts = nullptr;
  uccs_shmem_team* next = nullptr;  ///< of the teams that programs made, the newest first
};

namespace uccs::shmem {

/// A context's handle is its address; bit 0 is set when it numbers PEs as the world does and counts
/// nothing, so that the fast path tests the handle and reads nothing. The default context is bit 0
/// alone. In check mode all have it set: then the numbers are looked at later (check_rma.hpp).
inline bool has_world_numbers(shmem_ctx_t ctx) {
  return (reinterpret_cast<uintptr_t>(ctx) & 1) != 0;
}
inline uccs_shmem_ctx* context_of(shmem_ctx_t ctx) {
  return reinterpret_cast<uccs_shmem_ctx*>(reinterpret_cast<uintptr_t>(ctx) & ~uintptr_t{1});
}

/// The predefined teams, at the number that their handle is; nullptr for SHMEM_TEAM_INVALID, and
/// for all before init.
constexpr uintptr_t kPredefinedTeams = 3;
extern uccs_shmem_team* predefined_teams[kPredefinedTeams];

inline uccs_shmem_team* team_of(shmem_team_t team) {
  const auto number = reinterpret_cast<uintptr_t>(team);
  return number < kPredefinedTeams ? predefined_teams[number] : team;
}

/// Where the context's operations on other nodes are packed; nullptr: they are not.
inline core::Pack* pack_of(shmem_ctx_t ctx) {
  const uccs_shmem_ctx* const context = context_of(ctx);
  return context != nullptr ? context->pack : nullptr;
}

/// Whose its operations on other nodes are.
inline uint8_t account_of(shmem_ctx_t ctx) {
  const uccs_shmem_ctx* const context = context_of(ctx);
  return context != nullptr ? context->account : 0;
}

/// A team that exists; ends the job in check mode if `team` is none, or was destroyed.
uccs_shmem_team* checked_team(shmem_team_t team, const char* call);
/// The same, for routines for which SHMEM_TEAM_INVALID is legal: nullptr then.
[[gnu::cold]] uccs_shmem_team* guarded_team(shmem_team_t team, const char* call);
inline uccs_shmem_team* team_if_any(shmem_team_t team, const char* call) {
  if (is_guarded) [[unlikely]]
    return guarded_team(team, call);
  return team_of(team);
}

/// Ends the job: the context is invalid or has no such PE.
[[noreturn, gnu::cold]] void fail_context(shmem_ctx_t ctx, int pe, const char* call);

/// Counts the operation of routine `call` on a context that has counters.
[[gnu::cold]] void count(uccs_shmem_ctx* ctx, int ec, const char* call);

/// `pe` of a context whose team has a table, or that counts.
[[gnu::cold]] int special_ec(uccs_shmem_ctx* ctx, int pe, const char* call);

/// `pe` of a context as EC. A PE that does not exist is found here if the context numbers PEs in a
/// team of its own, else by `core::translate`. `call` names the routine in messages, here and in
/// all that follows.
[[gnu::always_inline]] inline int context_ec(shmem_ctx_t ctx, int pe, const char* call) {
  if (has_world_numbers(ctx)) [[likely]]
    return pe;
  if (reinterpret_cast<uintptr_t>(ctx) <= last_invalid_context ||
      static_cast<unsigned>(pe) >= static_cast<unsigned>(ctx->size))
    fail_context(ctx, pe, call);
  if (!ctx->is_plain) [[unlikely]]
    return special_ec(ctx, pe, call);
  return ctx->first + pe * ctx->stride;
}

/// The teams that exist while the library is started. Collective over all PEs.
void make_predefined_teams();

/// Ends the teams and contexts that the program left. Collective over all PEs.
void end_all_teams();

/// Allocates what counting needs, once. Collective over all PEs.
void prepare_counters();

/// Frees the contexts of `team`.
void end_contexts(uccs_shmem_team* team);

/// Frees those that check mode keeps.
void forget_ended_contexts();

}  // namespace uccs::shmem
