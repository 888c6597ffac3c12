// SPDX-License-Identifier: BSD-3-Clause
#include <cstdint>
#include <cstring>
#include <type_traits>

#include "base/log.hpp"
#include "core/direct.hpp"
#include "core/job.hpp"
#include "models/shmem/check.hpp"
#include "models/shmem/check_locks.hpp"
#include "models/shmem/fortran.hpp"
#include "models/shmem/order.hpp"
#include "models/shmem/slow.hpp"
#include "models/shmem/waiting.hpp"

/// A queue lock (Mellor-Crummey and Scott, 1991): PEs get it in the order of their calls, and each
/// waits on memory of its own. The `long` of every PE is split:
///
///     lower half   `tail`: the last PE of the queue + 1, 0 if the lock is free. That of one PE,
///                  the home, counts.
///     upper half   `node`: this PE's place in the queue: the top bit while it waits, below that
///                  its successor + 1, 0 if there is none yet.
///
/// A lock of Fortran is an INTEGER of 4 bytes: the same with halves of 16 bits, for fewer PEs.
namespace uccs::shmem {
namespace {

static_assert(sizeof(long) == 2 * sizeof(uint32_t) && sizeof(int) == 2 * sizeof(uint16_t));

template <class Half>
class Lock {
 public:
  Lock(void* symmetric, const char* call) : symmetric_(symmetric), call_(call) {
    if (static_cast<unsigned>(core::job.size) >= kWaits)
      base::fatal("%s: a lock of %zu bytes serves %u PEs at most", call, 2 * sizeof(Half),
                  kWaits - 1u);
    tail_ = half(home(), 0);
    node_ = half(core::job.me, 1);
    if (node_ == nullptr) core::fail_translate(call, symmetric, core::job.me);
  }

  void acquire() {
    // Relaxed: the exchange publishes it. From then on a successor may write to it, too.
    __atomic_store_n(node_, 0, __ATOMIC_RELAXED);
    const Half before = swap_tail(self());
    if (before == 0) return;
    __atomic_fetch_or(node_, kWaits, __ATOMIC_RELAXED);
    // Only now that it waits does its predecessor learn of it, who may then hand over at once.
    update_node(static_cast<int>(before - 1), base::AtomicOp::kOr, self());
    Waiting waiting(call_);
    // Acquire: pairs with the hand-over in release.
    while ((__atomic_load_n(node_, __ATOMIC_ACQUIRE) & kWaits) != 0) waiting.pause();
  }

  bool try_acquire() {
    __atomic_store_n(node_, 0, __ATOMIC_RELAXED);
    return replace_tail(0, self()) == 0;
  }

  void release() {
    Half next = successor();
    if (next == 0) {
      const Half last = replace_tail(self(), 0);
      if (last == self()) return;
      if (last == 0) return;   // nobody holds it
      Waiting waiting(call_);  // somebody is queueing: it will say who it is
      while ((next = successor()) == 0) waiting.pause();
    }
    update_node(static_cast<int>(next - 1), base::AtomicOp::kAnd, static_cast<Half>(~kWaits));
  }

 private:
  static constexpr Half kWaits = static_cast<Half>(Half{1} << (8 * sizeof(Half) - 1));

  static Half self() { return static_cast<Half>(core::job.me + 1); }
  Half successor() const {
    return static_cast<Half>(__atomic_load_n(node_, __ATOMIC_ACQUIRE) & ~kWaits);
  }

  /// Spread over the PEs by the address, so that an array of locks does not live at one of them.
  /// The distance from the start of the heap or the globals is the same on all PEs.
  int home() const {
    const auto address = reinterpret_cast<uintptr_t>(symmetric_);
    const uintptr_t in_heap = address - core::direct_map.heap_low;
    const uintptr_t distance =
        in_heap < core::direct_map.heap_bytes ? in_heap : address - core::direct_map.static_low;
    return static_cast<int>(distance / (2 * sizeof(Half)) % static_cast<unsigned>(core::job.size));
  }

  /// As mapped; nullptr on another node.
  Half* half(int ec, int index) const {
    void* const word = core::translate(symmetric_, ec);
    return word != nullptr ? static_cast<Half*>(word) + index : nullptr;
  }

  Half swap_tail(Half value) const {
    if (tail_ != nullptr) [[likely]]
      return __atomic_exchange_n(tail_, value, __ATOMIC_ACQ_REL);
    return far_update(home(), 0, [value](Half) { return value; });
  }

  /// What the tail was; it becomes `value` if that is `expected`.
  Half replace_tail(Half expected, Half value) const {
    if (tail_ == nullptr) [[unlikely]]
      return far_update(home(), 0, [=](Half found) { return found == expected ? value : found; });
    __atomic_compare_exchange_n(tail_, &expected, value, false, __ATOMIC_ACQ_REL, __ATOMIC_RELAXED);
    return expected;
  }

  /// kOr or kAnd on the place of `ec` in the queue.
  void update_node(int ec, base::AtomicOp op, Half value) const {
    Half* const at = half(ec, 1);
    const bool is_or = op == base::AtomicOp::kOr;
    if (at == nullptr) [[unlikely]]
      far_update(ec, 1,
                 [=](Half old) { return static_cast<Half>(is_or ? old | value : old & value); });
    else if (is_or)
      __atomic_fetch_or(at, value, __ATOMIC_RELEASE);
    else
      __atomic_fetch_and(at, value, __ATOMIC_RELEASE);
  }

  /// On another node, where atomics have 4 or 8 bytes: `change(old)` of a half by compare-and-swap
  /// of what is around it. Returns what the half was.
  template <class Change>
  [[gnu::cold, gnu::noinline]] Half far_update(int ec, int index, Change change) const {
    using Whole = std::conditional_t<sizeof(Half) == 2, uint32_t, uint64_t>;
    const auto swap_if = [&](Whole expected, Whole value) {
      return slow_atomic_value(SHMEM_CTX_DEFAULT, base::AtomicOp::kCompareSwap, symmetric_, value,
                               expected, true, ec, call_);
    };
    Whole found = swap_if(0, 0);
    for (;;) {
      Half halves[2];
      std::memcpy(halves, &found, sizeof found);
      const Half before = halves[index];
      halves[index] = change(before);
      Whole value;
      std::memcpy(&value, halves, sizeof value);
      const Whole seen = value == found ? found : swap_if(found, value);
      if (seen == found) return before;
      found = seen;
    }
  }

  void* symmetric_;
  const char* call_;
  Half* tail_;  ///< the home's; nullptr on another node
  Half* node_;  ///< this PE's
};

template <class Half>
int test_lock(void* lock, const char* call) {
  if (Lock<Half>(lock, call).try_acquire()) return 0;
  pause_after_failed_test();
  return 1;
}

}  // namespace
}  // namespace uccs::shmem

using namespace uccs::shmem;

namespace {

/// In check mode: a lock is a symmetric long.
bool look(const Entry& entry, const long* lock, const char* call) {
  if (!entry.is_checked()) [[likely]]
    return false;
  check_symmetric(call, {"lock", lock, sizeof *lock}, alignof(long));
  return true;
}

}  // namespace

UCCS_SHMEM(void, set_lock, (long* lock)) {
  constexpr const char* call = "shmem_set_lock";
  const Entry entry(call);
  const bool is_checked = look(entry, lock, call);
  if (is_checked) note_lock_wanted(lock, call);
  Lock<uint32_t>(lock, call).acquire();
  if (is_checked) note_lock(lock, true);
}

UCCS_SHMEM(void, clear_lock, (long* lock)) {
  constexpr const char* call = "shmem_clear_lock";
  const Entry entry(call);
  if (look(entry, lock, call)) {
    note_lock_cleared(lock, call);
    note_quiet(default_context());
  }
  quiet_everywhere();
  Lock<uint32_t>(lock, call).release();
}

UCCS_SHMEM(int, test_lock, (long* lock)) {
  constexpr const char* call = "shmem_test_lock";
  const Entry entry(call);
  const bool is_checked = look(entry, lock, call);
  if (is_checked) note_lock_wanted(lock, call);
  const bool is_held = Lock<uint32_t>(lock, call).try_acquire();
  if (is_checked) note_lock(lock, is_held);
  if (is_held) return 0;
  pause_after_failed_test();
  return 1;
}

UCCS_FORTRAN(void, shmem_set_lock, (int* lock)) {
  Lock<uint16_t>(lock, "SHMEM_SET_LOCK").acquire();
}

UCCS_FORTRAN(void, shmem_clear_lock, (int* lock)) {
  quiet_everywhere();
  Lock<uint16_t>(lock, "SHMEM_CLEAR_LOCK").release();
}

UCCS_FORTRAN(int, shmem_test_lock, (int* lock)) {
  return test_lock<uint16_t>(lock, "SHMEM_TEST_LOCK");
}
