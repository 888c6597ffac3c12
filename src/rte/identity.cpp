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

#include "base/backoff.hpp"
#include "base/config_values.hpp"
#include "base/cpus.hpp"
#include "base/log.hpp"
#include "rte/backend.hpp"
#include "rte/foreign.hpp"
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
  const int nodes = (identity->num_ecs + size - 1) / size;
  const int index = identity->ec / size;
  identity->node_first = index * size;
  identity->node_size = std::min(size, identity->num_ecs - identity->node_first);
  identity->node_cpus = std::max(1, identity->node_cpus / nodes);
  constexpr uint64_t kGranule = uint64_t{1} << 30;
  identity->segment_bytes =
      identity->segment_bytes / static_cast<uint64_t>(nodes) & ~(kGranule - 1);
  identity->segment_offset = identity->segment_bytes * static_cast<uint64_t>(index);
}

void choose(Identity* identity) {
  gethostname(identity->host, sizeof identity->host - 1);
  owner = getpid();
  // The hand-over first: only then can a wrong setting be reported as the job's failure.
  const char* wish = getenv("UCCS_RTE");
  const bool is_single_forced = wish != nullptr && strcasecmp(wish, "single") == 0;
  if (!is_single_forced && kLocalBackend.adopt(identity)) {
    chosen = &kLocalBackend;
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
    if (config.rte == base::RteChoice::kAuto) reject_foreign_launcher();
  }
  identity->is_one_host = true;
  if (chosen == &kLocalBackend && config.node_size > 0) split_node(identity, config.node_size);
  // Not the mask of this EC alone: bound to a core each, two ECs on two cores are at ease.
  if (const int quota = base::quota_cpus(); quota > 0 && quota < identity->node_cpus)
    identity->node_cpus = quota;
  base::set_wait_policy(identity->node_size, identity->node_cpus);
  if (identity->ec == 0) base::config_warn_unknown();
  // Programs that crash would lose what stdio holds back because stdout is a pipe to the launcher.
  if (chosen == &kLocalBackend && config.line_buffer && isatty(1) == 0)
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

bool is_launched() { return chosen == &kLocalBackend || getenv(local::kJobVariable) != nullptr; }

const Identity& start() {
  static const Identity identity = [] {
    Identity found;
    choose(&found);
    return found;
  }();
  return identity;
}

void set_phase(Phase phase) {
  if (chosen != nullptr && is_owner()) chosen->set_phase(phase);
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
