// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include <cstdint>

#include "rte/phase.hpp"
#include "uccs/status.h"

namespace uccs::rte {

/// ECs that share memory.
struct Node {
  int first = 0;  ///< lowest EC number; a node's ECs are consecutive
  int size = 1;
  int cpus = 1;  ///< that its ECs share, however each of them is bound
  char host[64] = "";
};

/// Who this process is in its job, and what the launcher handed over. Constant after `start`.
struct Identity {
  int ec = 0;  ///< 0..num_ecs-1
  int num_ecs = 1;
  int node_first = 0;  ///< lowest EC number on this node; the node's ECs are consecutive
  int node_cpus = 1;   ///< CPUs that the node's ECs share, however each of them is bound
  int node_size = 1;   ///< ECs on this node
  int segment_fd =
      -1;  ///< memfd shared by the node's ECs, sparse and sealed; -1: nobody to share with
  uint64_t segment_bytes = 0;   ///< its size
  uint64_t segment_offset = 0;  ///< where this node's part of it begins
  bool is_one_host = false;     ///< all ECs of the job run on this machine
  const Node* nodes = nullptr;  ///< all nodes of the job in the order of their ECs
  int num_nodes = 1;
  int node = 0;  ///< of this EC
  const char* backend = "single";
  char host[64] = "";
};

/// Reads the launcher's hand-over from the environment and picks the backend. Local, quick (no
/// message is exchanged, no thread started), idempotent, thread safe. A launcher that is visible
/// but unusable ends the process with the remedy.
const Identity& start();

/// The node of EC `ec`: an index of Identity::nodes.
int node_of(int ec);

/// The name of the host that EC `ec` runs on.
const char* host_of(int ec);

/// To be called once identity and memory are settled: what must run in the background for the job
/// starts now. Idempotent, thread safe.
void serve();

/// True when a launcher handed this process its place in a job: a look at the environment, for the
/// library's constructor.
bool is_launched();

/// Tells the launcher how far this process is: an exit in phase kInitialized, even with status 0,
/// ends the job. Lock-free.
void set_phase(Phase phase);

/// For a process that ends with _exit(0): what exit(0) does for the launcher.
void finish();

/// Publishes where this EC waits ("barrier_all", "wait_until"), for the launcher's hang and death
/// reports; NULL when it no longer does. `what` must be a string literal. Called from slow paths
/// only.
void set_activity(const char* what);

/// Ends all processes of the job with `status` as the job's exit status; never returns.
/// The launcher prints `message` when it is not NULL.
[[noreturn]] void end_job(int status, const char* message);

/// True once some EC of this job ended abnormally or ended the job: waiting loops give up then.
bool job_is_ending();

}  // namespace uccs::rte
