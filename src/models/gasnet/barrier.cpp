// SPDX-License-Identifier: BSD-3-Clause
/// Split-phase named barriers. All nodes count themselves in one word of node 0, which also carries
/// the name; the last one publishes the result. So nobody's progress depends on another's calls.
#include "base/log.hpp"
#include "models/gasnet/job.hpp"
#include "models/gasnet/waiting.hpp"

namespace uccs::gasnet {
namespace {

constexpr uint64_t kCountBits = (uint64_t{1} << 30) - 1;
constexpr uint64_t kNamed = uint64_t{1} << 30;
constexpr uint64_t kMismatch = uint64_t{1} << 31;

/// The barrier this node is in. The program sees to it that one thread at a time uses it.
struct Phase {
  uint64_t number = 0;  ///< from 1
  bool is_notified = false;
  int id = 0;
  int flags = 0;
};
Phase phase;

/// The word after one more node has come.
uint64_t joined(uint64_t word, int id, int flags) {
  const uint64_t name = static_cast<uint64_t>(static_cast<uint32_t>(id)) << 32;
  if (flags & GASNET_BARRIERFLAG_MISMATCH) {
    word |= kMismatch;
  } else if (!(flags & GASNET_BARRIERFLAG_ANONYMOUS)) {
    if (!(word & kNamed)) {
      word |= kNamed | name;
    } else if (word >> 32 != name >> 32) {
      word |= kMismatch;
    }
  }
  return word + 1;
}

void notify(int id, int flags) {
  std::atomic<uint64_t>& arrivals = board->arrivals[phase.number & 1].word;
  uint64_t before = arrivals.load(std::memory_order_relaxed);
  uint64_t after;
  // Acquire and release: the last to come passes on what all others wrote before they came.
  do after = joined(before, id, flags);
  while (!arrivals.compare_exchange_weak(before, after, std::memory_order_acq_rel,
                                         std::memory_order_relaxed));
  if ((after & kCountBits) < attached.map.nodes) return;
  // Nobody uses this word again before all have seen the next barrier complete.
  arrivals.store(0, std::memory_order_relaxed);
  board->result.store(phase.number << 1 | ((after & kMismatch) != 0), std::memory_order_release);
}

bool is_complete() {
  // Acquire: pairs with the release of the last to come.
  return board->result.load(std::memory_order_acquire) >> 1 == phase.number;
}

void require_notified(const char* call) {
  if (attached.map.nodes == 0)
    base::fatal("%s: called before gasnet_attach; call gasnet_init and gasnet_attach first", call);
  if (!phase.is_notified)
    base::fatal("%s: this node has not called gasnet_barrier_notify since its last barrier", call);
}

/// The end of a complete barrier.
int leave(int id, int flags) {
  phase.is_notified = false;
  const bool is_mismatch = (board->result.load(std::memory_order_relaxed) & 1) != 0 ||
                           flags != phase.flags || (flags == 0 && id != phase.id);
  return is_mismatch ? GASNET_ERR_BARRIER_MISMATCH : GASNET_OK;
}

}  // namespace
}  // namespace uccs::gasnet

using namespace uccs;
using namespace uccs::gasnet;

extern "C" {

void gasnet_barrier_notify(int id, int flags) {
  if (attached.map.nodes == 0)
    base::fatal(
        "gasnet_barrier_notify: called before gasnet_attach; call gasnet_init and "
        "gasnet_attach first");
  if (phase.is_notified)
    base::fatal(
        "gasnet_barrier_notify: this node has notified already; call gasnet_barrier_wait, or "
        "gasnet_barrier_try until it succeeds, first");
  ++phase.number;
  phase.is_notified = true;
  phase.id = id;
  phase.flags = flags;
  notify(id, flags);
}

int gasnet_barrier_wait(int id, int flags) {
  require_notified("gasnet_barrier_wait");
  wait_for("gasnet_barrier_wait", is_complete);
  return leave(id, flags);
}

int gasnet_barrier_try(int id, int flags) {
  require_notified("gasnet_barrier_try");
  if (!is_complete()) {
    poll();
    if (!is_complete()) return GASNET_ERR_NOT_READY;
  }
  return leave(id, flags);
}

int gasnet_barrier(int id, int flags) {
  gasnet_barrier_notify(id, flags);
  return gasnet_barrier_wait(id, flags);
}

}  // extern "C"
