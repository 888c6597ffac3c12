// SPDX-License-Identifier: BSD-3-Clause
#include "models/shmem/check_locks.hpp"

#include <map>
#include <mutex>

#include "base/log.hpp"
#include "models/shmem/check.hpp"

namespace uccs::shmem {
namespace {

std::mutex mutex;                     // guards is_held
std::map<const long*, bool> is_held;  // false: asked for

}  // namespace

void note_lock_wanted(const long* lock, const char* call) {
  const std::lock_guard guard(mutex);
  const auto [found, is_new] = is_held.emplace(lock, false);
  if (is_new) return;
  if (found->second)
    base::fatal(
        "%s: this PE holds the lock at %p already: locks are not re-entrant, and would wait for "
        "ever; shmem_clear_lock first",
        call, static_cast<const void*>(lock));
  base::fatal(
      "%s: another thread of this PE is in a call for the lock at %p: one thread of a PE at a time "
      "may use a lock",
      call, static_cast<const void*>(lock));
}

void note_lock(const long* lock, bool held) {
  const std::lock_guard guard(mutex);
  if (held)
    is_held[lock] = true;
  else
    is_held.erase(lock);
}

void note_lock_cleared(const long* lock, const char* call) {
  const std::lock_guard guard(mutex);
  const auto found = is_held.find(lock);
  if (found == is_held.end() || !found->second)
    base::fatal(
        "%s: this PE does not hold the lock at %p: only who got it by shmem_set_lock or "
        "shmem_test_lock may clear it",
        call, static_cast<const void*>(lock));
  is_held.erase(found);
}

void end_locks_check() {
  const std::lock_guard guard(mutex);
  for (const auto& [lock, held] : is_held)
    if (held)
      base::log_line(base::LogLevel::kWarn,
                     "shmem_finalize: this PE still holds the lock at %p: clear locks before",
                     static_cast<const void*>(lock));
  is_held.clear();
}

}  // namespace uccs::shmem
