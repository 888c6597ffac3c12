// SPDX-License-Identifier: BSD-3-Clause
/// Handler-safe locks. A lock is one word: 0, or the name of the thread that holds it.
#include <atomic>

#include "base/backoff.hpp"
#include "base/log.hpp"
#include "models/gasnet/job.hpp"

namespace uccs::gasnet {
namespace {

/// Its address is the thread's name.
thread_local constinit char thread_mark [[gnu::tls_model("initial-exec")]] = 0;

uint64_t my_name() { return reinterpret_cast<uint64_t>(&thread_mark); }

std::atomic_ref<uint64_t> word_of(gasnet_hsl_t* hsl) {
  return std::atomic_ref<uint64_t>(hsl->opaque);
}

/// Acquire: pairs with the release of unlock.
bool try_lock(std::atomic_ref<uint64_t> word, uint64_t me) {
  uint64_t nobody = 0;
  return word.load(std::memory_order_relaxed) == 0 &&
         word.compare_exchange_strong(nobody, me, std::memory_order_acquire,
                                      std::memory_order_relaxed);
}

/// Runs no handlers: whoever holds the lock is inside a short section.
[[gnu::noinline]] void lock_slowly(std::atomic_ref<uint64_t> word, uint64_t me, const void* hsl) {
  if (word.load(std::memory_order_relaxed) == me)
    base::fatal("gasnet_hsl_lock: this thread holds the lock at %p already; it may lock it once",
                hsl);
  for (base::Backoff backoff; !try_lock(word, me);) backoff.pause();
}

}  // namespace
}  // namespace uccs::gasnet

using namespace uccs;
using namespace uccs::gasnet;

extern "C" {

void gasnet_hsl_init(gasnet_hsl_t* hsl) { word_of(hsl).store(0, std::memory_order_release); }

void gasnet_hsl_destroy(gasnet_hsl_t* hsl) {
  if (word_of(hsl).load(std::memory_order_relaxed) != 0)
    base::fatal("gasnet_hsl_destroy: the lock at %p is held; unlock it first",
                static_cast<void*>(hsl));
}

void gasnet_hsl_lock(gasnet_hsl_t* hsl) {
  const uint64_t me = my_name();
  if (!try_lock(word_of(hsl), me)) lock_slowly(word_of(hsl), me, hsl);
}

int gasnet_hsl_trylock(gasnet_hsl_t* hsl) {
  return try_lock(word_of(hsl), my_name()) ? GASNET_OK : GASNET_ERR_NOT_READY;
}

void gasnet_hsl_unlock(gasnet_hsl_t* hsl) {
  if (word_of(hsl).load(std::memory_order_relaxed) != my_name())
    base::fatal("gasnet_hsl_unlock: this thread does not hold the lock at %p",
                static_cast<void*>(hsl));
  word_of(hsl).store(0, std::memory_order_release);  // pairs with try_lock
}

}  // extern "C"
