// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "rte/identity.hpp"

namespace uccs::rte::hub {

/// A mask of 1024 CPUs; more are as good as many.
using CpuMask = std::array<uint64_t, 16>;

/// What an EC says of itself when it joins.
struct Hello {
  std::string node;      ///< equal for ECs that can share memory (node_identity)
  uint64_t machine = 0;  ///< equal for nodes that are containers, or the like, of one machine
  std::string host;
  CpuMask cpus{};  ///< that it may run on
};

/// Who is where.
struct Places {
  std::vector<int> ec_of_rank;
  std::vector<Node> nodes;  ///< in the order of their ECs
};

/// Numbers the ECs so that those of a node are consecutive: nodes in the order of their lowest
/// ranks, ECs within in the order of theirs. Where the launcher fills node by node, an EC has the
/// number of its rank. A CPU that several nodes of a machine may use counts for each as its part.
Places arrange(const std::vector<Hello>& hello_of_rank);

/// The table of nodes as bytes. Where names would make it longer than kDataMax it has none, and
/// nodes that are alike are told as one: so it is longer only if more than 7281 neighbours differ.
std::string encode_nodes(const std::vector<Node>& nodes);
/// False unless `bytes` are such a table for `num_ecs` ECs.
bool decode_nodes(const char* data, size_t bytes, int num_ecs, std::vector<Node>* nodes_out);

std::string encode_hello_data(const Hello& hello);
bool decode_hello_data(const char* data, size_t bytes, Hello* hello_out);

}  // namespace uccs::rte::hub
