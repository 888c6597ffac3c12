// SPDX-License-Identifier: BSD-3-Clause
#include "rte/identity.hpp"

#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <vector>

#include "base/backoff.hpp"
#include "base/config_values.hpp"
#include "base/cpus.hpp"
#include "base/log.hpp"
#include "rte/backend.hpp"
#include "rte/delegate.hpp"
#include "rte/foreign.hpp"
#include "rte/hub/launcher.hpp"
#include "rte/local/wire.hpp"

namespace uccs::rte {
namespace {

constinit const Backend* chosen = nullptr;
constinit pid_t owner = 0;

/// A child that an EC forked shares its board line and its socket, but is no EC.
bool is_owner() { return owner == getpid(); }

[[noreturn]] void end_on_fatal(const char* message) { end_job(1, message); }

/// UCCS_NODE_SIZE: the ECs of this machine play several nodes, each with a part of the segment.
void split_node(Identity* identity, int size) {
  const int count = (identity->num_ecs + size - 1) / size;
  const int cpus = std::max(1, identity->node_cpus / count);
  static std::vector<Node> nodes;
  for (int first = 0; first < identity->num_ecs; first += size) {
    Node node = {.first = first, .size = std::min(size, identity->num_ecs - first), .cpus = cpus};
    memcpy(node.host, identity->host, sizeof node.host);
    nodes.push_back(node);
  }
  identity->nodes = nodes.data();
  identity->num_nodes = count;
  identity->node = identity->ec / size;
  const Node& mine = nodes[static_cast<size_t>(identity->node)];
  identity->node_first = mine.first;
  identity->node_size = mine.size;
  identity->node_cpus = cpus;
  constexpr uint64_t kGranule = uint64_t{1} << 30;
  identity->segment_bytes =
      identity->segment_bytes / static_cast<uint64_t>(count) & ~(kGranule - 1);
  identity->segment_offset = identity->segment_bytes * static_cast<uint64_t>(identity->node);
}

void choose(Identity* identity) {
  gethostname(identity->host, sizeof identity->host - 1);
  owner = getpid();
  // The hand-over first: only then can a wrong setting be reported as the job's failure.
  const char* wish = getenv("UCCS_RTE");
  const bool is_single_forced = wish != nullptr && strcasecmp(wish, "single") == 0;
  if (!is_single_forced && kLocalBackend.adopt(identity)) {
    chosen = &kLocalBackend;
  } else if (!is_single_forced && kHubBackend.adopt(identity)) {
    chosen = &kHubBackend;
  } else {
    chosen = &kSingleBackend;
    kSingleBackend.adopt(identity);
  }
  base::log_set_identity(identity->ec, identity->num_ecs);
  base::set_fatal_hook(end_on_fatal);
  const base::Config& config = base::config();
  if (chosen == &kSingleBackend) {
    if (config.rte == base::RteChoice::kLocal)
      base::fatal("UCCS_RTE=local, but uccsrun did not start this program: use `oshrun -n N %s`",
                  program_invocation_short_name);
    if (config.rte == base::RteChoice::kPmi)
      base::fatal(
          "UCCS_RTE=pmi, but no launcher that speaks PMI started this program: use "
          "`mpiexec.hydra -n N %s` or `srun --mpi=pmi2 -n N %s`",
          program_invocation_short_name, program_invocation_short_name);
    if (config.rte == base::RteChoice::kPmix)
      base::fatal(
          "UCCS_RTE=pmix, but no PMIx launcher started this program: use "
          "`mpirun -n N %s` or `srun --mpi=pmix -n N %s`",
          program_invocation_short_name, program_invocation_short_name);
    if (config.rte == base::RteChoice::kAuto) reject_foreign_launcher();
  }
  identity->is_one_host = identity->num_nodes == 1;
  if (chosen == &kLocalBackend && config.node_size > 0) split_node(identity, config.node_size);
  static Node alone;
  if (identity->nodes == nullptr) {
    alone = {.first = 0, .size = identity->node_size, .cpus = identity->node_cpus};
    memcpy(alone.host, identity->host, sizeof alone.host);
    identity->nodes = &alone;
  }
  // Not the mask of this EC alone: bound to a core each, two ECs on two cores are at ease.
  if (const int quota = base::quota_cpus(); quota > 0 && quota < identity->node_cpus)
    identity->node_cpus = quota;
  base::set_wait_policy(identity->node_size, identity->node_cpus);
  if (identity->ec == 0) base::config_warn_unknown();
  // Programs that crash would lose what stdio holds back because stdout is a pipe to the launcher.
  if (chosen != &kSingleBackend && config.line_buffer && isatty(1) == 0)
    setvbuf(stdout, nullptr, _IOLBF, BUFSIZ);
}

/// Bounds the flush of `end_job`: another thread may hold a stream's lock for ever.
[[noreturn]] void* exit_soon(void* status) {
  const timespec second = {1, 0};
  nanosleep(&second, nullptr);
  _exit(static_cast<int>(reinterpret_cast<intptr_t>(status)));
}

}  // namespace

const Backend& backend() {
  start();
  return *chosen;
}

bool is_launched() {
  return getenv(local::kJobVariable) != nullptr || hub::find_launcher() != nullptr ||
         (chosen != nullptr && chosen != &kSingleBackend);
}

const Identity& start() {
  static const Identity identity = [] {
    Identity found;
    choose(&found);
    return found;
  }();
  return identity;
}

const char* host_of(int ec) {
  const Identity& me = start();
  return me.nodes ? me.nodes[node_of(ec)].host : me.host;
}

int node_of(int ec) {
  const Identity& me = start();
  int low = 0;
  int high = me.num_nodes - 1;
  while (low < high) {
    const int middle = (low + high + 1) / 2;
    if (me.nodes[middle].first <= ec)
      low = middle;
    else
      high = middle - 1;
  }
  return low;
}

void serve() {
  start();
  if (chosen->serve == nullptr || !is_owner()) return;
  chosen->serve();
  delegate_start();
}

void set_phase(Phase phase) {
  if (chosen != nullptr && is_owner()) chosen->set_phase(phase);
}

void finish() {
  if (chosen != nullptr && is_owner() && chosen->finish != nullptr) chosen->finish();
}

void set_activity(const char* what) {
  if (chosen != nullptr) chosen->set_activity(what);
}

void end_job(int status, const char* message) {
  const bool can_tell = chosen != nullptr && is_owner();
  const EndAnswer answer = can_tell ? chosen->tell_end(status, message) : EndAnswer::kCannot;
  if (answer == EndAnswer::kCannot && message != nullptr) base::log_fatal_line(message);
  pthread_t watchdog;
  void* const status_word = reinterpret_cast<void*>(static_cast<intptr_t>(status));
  if (pthread_create(&watchdog, nullptr, exit_soon, status_word) == 0)
    fflush(nullptr);
  else
    fflush(stdout);
  // An exit now would look like the cause of what the launcher is about to do to all.
  if (answer == EndAnswer::kAlreadyEnding) exit_soon(status_word);
  _exit(status);
}

bool job_is_ending() { return chosen != nullptr && chosen->is_ending(); }

}  // namespace uccs::rte
