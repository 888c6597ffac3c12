// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include "uccs/status.h"

namespace uccs::core {

/// ECs that map each other's memory; their numbers are consecutive.
struct Node {
  int first;
  int size;
};

/// Learns how the job's ECs are spread, when it spans several nodes. Waits until one EC of each
/// node has started. Called by job_start, between rte_init and rte_finalize.
uccs_status_t find_nodes();

/// In the order of their ECs; 0 when the job has one node.
int node_count();
const Node& node_at(int index);
int node_of(int ec);

}  // namespace uccs::core
