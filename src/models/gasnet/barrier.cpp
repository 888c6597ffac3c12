// SPDX-License-Identifier: BSD-3-Clause
/// Split-phase named barriers: meetings of all nodes, see meeting.hpp.
#include "base/log.hpp"
#include "models/gasnet/job.hpp"
#include "models/gasnet/waiting.hpp"

namespace uccs::gasnet {
namespace {

/// The barrier this node is in. The program sees to it that one thread at a time uses it.
struct Phase {
  uint64_t number = 0;  ///< from 1
  bool is_notified = false;
  int id = 0;
  int flags = 0;
};
Phase phase;

bool is_complete() { return is_over(Occasion::kBarrier, phase.number); }

void require_notified(const char* call) {
  if (attached.map.nodes == 0)
    base::fatal("%s: called before gasnet_attach; call gasnet_init and gasnet_attach first", call);
  if (!phase.is_notified)
    base::fatal("%s: this node has not called gasnet_barrier_notify since its last barrier", call);
}

/// The end of a complete barrier.
int leave(int id, int flags) {
  phase.is_notified = false;
  const bool is_mismatch =
      has_mismatch(Occasion::kBarrier) || flags != phase.flags || (flags == 0 && id != phase.id);
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
  come_to(Occasion::kBarrier, phase.number, word_of_name(id, flags));
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
