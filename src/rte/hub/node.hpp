// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include <cstdint>
#include <string>

#include "rte/hub/proof.hpp"

namespace uccs::rte::hub {

/// Equal for two processes if they can share memory and see each other: the running kernel, host
/// name, user, and the name spaces for networks (where the socket that hands memory over is) and
/// processes. UCCS_NODE takes the host name's part, so it can only split what would be one node.
std::string node_identity(const std::string& host, const std::string& wanted_name);

/// Equal for nodes that are containers, or other name spaces, of one machine, whose CPUs they
/// share.
uint64_t machine_identity(const std::string& node);

/// What the ECs of a node share.
struct NodeFiles {
  int segment_fd = -1;
  int board_fd = -1;
};

/// The node's first EC (`index` 0) makes the memory and hands it to the `count` - 1 others, over a
/// socket whose name only the job can tell, to processes of our user that know the job's secret.
/// Ends the process past the deadline, naming who is missing. `first`: the first EC's number.
NodeFiles share_node(const Secret& secret, int node, int first, int index, int count, int cpus,
                     uint64_t deadline_ns);

}  // namespace uccs::rte::hub
