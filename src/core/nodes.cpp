// SPDX-License-Identifier: BSD-3-Clause
#include "core/nodes.hpp"

#include <algorithm>
#include <vector>

#include "base/log.hpp"
#include "core/job.hpp"
#include "rte/identity.hpp"
#include "uccs/rte.h"

namespace uccs::core {
namespace {

constexpr const char* kKey = "uccs.node";

std::vector<Node>& nodes() {  // constant once found
  static std::vector<Node> all;
  return all;
}

/// The first EC of every node says how many there are; from there the next node follows.
uccs_status_t walk() {
  const rte::Identity& me = rte::start();
  uccs_status_t status = UCCS_OK;
  if (me.ec == me.node_first) status = rte_srs_set_data(kKey, &me.node_size, sizeof me.node_size);
  for (int first = 0; first < job.size && status == UCCS_OK;) {
    int size = 0;
    size_t bytes = 0;
    status = rte_srs_get_data(first, kKey, &size, sizeof size, &bytes, RTE_FOREVER);
    if (status != UCCS_OK) break;
    if (bytes != sizeof size || size < 1 || size > job.size - first) return UCCS_ERR_INTERNAL;
    nodes().push_back({first, size});
    first += size;
  }
  return status;
}

}  // namespace

uccs_status_t find_nodes() {
  if (!nodes().empty()) return UCCS_OK;  // as the job's, they never change
  const uccs_status_t status = walk();
  if (status != UCCS_OK)
    base::log_line(base::LogLevel::kError, "cannot learn which ECs share a node: %s",
                   uccs_status_string(status));
  return status;
}

int node_count() { return static_cast<int>(nodes().size()); }
const Node& node_at(int index) { return nodes()[static_cast<size_t>(index)]; }

int node_of(int ec) {
  const auto after =
      std::upper_bound(nodes().begin(), nodes().end(), ec,
                       [](int number, const Node& node) { return number < node.first; });
  return static_cast<int>(after - nodes().begin()) - 1;
}

}  // namespace uccs::core
