// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include <memory>
#include <vector>

#include "rte/hub/hub.hpp"
#include "rte/hub/launcher.hpp"
#include "rte/hub/node.hpp"

namespace uccs::rte::hub {

/// A process that has found its place in a job of several.
struct Joined {
  int ec = 0;
  std::vector<Node> nodes;
  int node = 0;
  Stream stream;             ///< to the hub
  std::unique_ptr<Hub> hub;  ///< in the process of rank 0
  NodeFiles files;
  std::string hub_host;
};

/// From what the launcher said to a place among all, and the memory of the node. Collective over
/// the job. What fails ends the process with what to do about it.
Joined join(const Launcher& launcher, const Launched& launched, const char* host,
            uint64_t deadline_ns);

}  // namespace uccs::rte::hub
