// SPDX-License-Identifier: BSD-3-Clause
#include <cstdint>

#include "core/direct.hpp"
#include "core/job.hpp"
#include "models/shmem/order.hpp"
#include "models/shmem/slow.hpp"
#include "models/shmem/waiting.hpp"

/// A queue lock (Mellor-Crummey and Scott, 1991): PEs get it in the order of their calls, and each
/// waits on memory of its own. The `long` of every PE is split:
///
///     lower half   `tail`: the last PE of the queue + 1, 0 if the lock is free. That of one PE,
///     the
///                  home, counts.
///     upper half   `node`: this PE's place in the queue: bit 31 while it waits, below that its
///                  successor + 1, 0 if there is none yet.
namespace uccs::shmem {
namespace {

static_assert(sizeof(long) == 2 * sizeof(uint32_t));
constexpr uint32_t kWaits = 0x80000000u;

class Lock {
 public:
  Lock(long* symmetric, const char* call) : symmetric_(symmetric), call_(call) {
    if (core::translate(symmetric, core::job.me) == nullptr)
      core::fail_translate(call, symmetric, core::job.me);
  }

  void acquire() {
    // Relaxed: the exchange publishes it. From then on a successor may write to it, too.
    __atomic_store_n(node(), 0, __ATOMIC_RELAXED);
    const uint32_t before = swap_tail(self());
    if (before == 0) return;
    __atomic_fetch_or(node(), kWaits, __ATOMIC_RELAXED);
    // Only now that it waits does its predecessor learn of it, who may then hand over at once.
    update_node(static_cast<int>(before - 1), base::AtomicOp::kOr, self());
    Waiting waiting(call_);
    // Acquire: pairs with the hand-over in release.
    while ((__atomic_load_n(node(), __ATOMIC_ACQUIRE) & kWaits) != 0) waiting.pause();
  }

  bool try_acquire() {
    __atomic_store_n(node(), 0, __ATOMIC_RELAXED);
    return replace_tail(0, self());
  }

  void release() {
    uint32_t next = successor();
    if (next == 0) {
      const uint32_t me = self();
      uint32_t found = me;
      if (replace_tail(me, 0, &found)) return;
      if (found == 0) return;  // nobody holds it
      Waiting waiting(call_);  // somebody is queueing: it will say who it is
      while ((next = successor()) == 0) waiting.pause();
    }
    update_node(static_cast<int>(next - 1), base::AtomicOp::kAnd, ~kWaits);
  }

 private:
  static uint32_t self() { return static_cast<uint32_t>(core::job.me) + 1; }
  uint32_t successor() const { return __atomic_load_n(node(), __ATOMIC_ACQUIRE) & ~kWaits; }

  /// Spread over the PEs by the address, so that an array of locks does not live at one of them.
  /// The distance from the start of the heap or the globals is the same on all PEs.
  int home() const {
    const auto address = reinterpret_cast<uintptr_t>(symmetric_);
    const uintptr_t in_heap = address - core::direct_map.heap_low;
    const uintptr_t distance =
        in_heap < core::direct_map.heap_bytes ? in_heap : address - core::direct_map.static_low;
    return static_cast<int>(distance / sizeof(long) % static_cast<unsigned>(core::job.size));
  }

  uint32_t* half(int index) const { return reinterpret_cast<uint32_t*>(symmetric_) + index; }
  uint32_t* node() const { return half(1); }
  /// As mapped; nullptr on another node.
  uint32_t* half_at(int ec, int index) const {
    return static_cast<uint32_t*>(core::translate(half(index), ec));
  }

  uint32_t swap_tail(uint32_t value) const {
    if (uint32_t* const at = half_at(home(), 0)) [[likely]]
      return __atomic_exchange_n(at, value, __ATOMIC_ACQ_REL);
    return slow(home(), 0, base::AtomicOp::kSet, value, 0);
  }

  bool replace_tail(uint32_t expected, uint32_t value, uint32_t* found_out = nullptr) const {
    uint32_t found = expected;
    if (uint32_t* const at = half_at(home(), 0)) [[likely]]
      __atomic_compare_exchange_n(at, &found, value, false, __ATOMIC_ACQ_REL, __ATOMIC_RELAXED);
    else
      found = slow(home(), 0, base::AtomicOp::kCompareSwap, value, expected);
    if (found_out != nullptr) *found_out = found;
    return found == expected;
  }

  /// kOr or kAnd on the place of `ec` in the queue.
  void update_node(int ec, base::AtomicOp op, uint32_t value) const {
    uint32_t* const at = half_at(ec, 1);
    if (at == nullptr) [[unlikely]]
      slow(ec, 1, op, value, 0);
    else if (op == base::AtomicOp::kOr)
      __atomic_fetch_or(at, value, __ATOMIC_RELEASE);
    else
      __atomic_fetch_and(at, value, __ATOMIC_RELEASE);
  }

  uint32_t slow(int ec, int index, base::AtomicOp op, uint32_t value, uint32_t expected) const {
    return slow_atomic_value(SHMEM_CTX_DEFAULT, op, half(index), value, expected, true, ec, call_);
  }

  long* symmetric_;
  const char* call_;
};

}  // namespace
}  // namespace uccs::shmem

using namespace uccs::shmem;

UCCS_SHMEM(void, set_lock, (long* lock)) { Lock(lock, "shmem_set_lock").acquire(); }

UCCS_SHMEM(void, clear_lock, (long* lock)) {
  quiet();
  Lock(lock, "shmem_clear_lock").release();
}

UCCS_SHMEM(int, test_lock, (long* lock)) {
  if (Lock(lock, "shmem_test_lock").try_acquire()) return 0;
  pause_after_failed_test();
  return 1;
}
