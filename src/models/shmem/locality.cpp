// SPDX-License-Identifier: BSD-3-Clause
#include <shmemx.h>
#include <stdio.h>

#include "core/job.hpp"
#include "models/shmem/api.hpp"
#include "rte/identity.hpp"
#include "uccs/rte.h"

using namespace uccs;

namespace {

bool is_on_node(int pe) {
  const rte::Identity& me = rte::start();
  return pe >= me.node_first && pe < me.node_first + me.node_size;
}

/// Where `pe` runs; false if there is no such PE.
bool find_locality(int pe, rte_locality_t* found_out) {
  if (pe < 0 || pe >= core::job.size || rte_init() != UCCS_OK) return false;
  const bool is_found = rte_get_locality(pe, found_out) == UCCS_OK;
  rte_finalize();
  return is_found;
}

bool is_same(int place, int other) { return place != RTE_UNKNOWN && place == other; }

}  // namespace

UCCS_SHMEMX(int, local_npes, (void)) { return rte::start().node_size; }

UCCS_SHMEMX(void, local_pes, (int* pes, int npes)) {
  const rte::Identity& me = rte::start();
  for (int i = 0; i < npes && i < me.node_size; ++i) pes[i] = me.node_first + i;
}

UCCS_SHMEMX(int, pe_locality, (int pe, shmemx_locality_t* locality)) {
  static_assert(SHMEMX_PLACE_UNKNOWN == RTE_UNKNOWN);
  rte_locality_t found;
  if (!find_locality(pe, &found)) return -1;
  *locality = {found.node, found.socket, found.numa, found.core, {}};
  snprintf(locality->host, sizeof locality->host, "%.63s", found.host);
  return 0;
}

UCCS_SHMEMX(int, pe_distance, (int pe)) {
  if (pe < 0 || pe >= core::job.size) return -1;
  if (pe == core::job.me) return SHMEMX_DISTANCE_SELF;
  if (!is_on_node(pe)) return SHMEMX_DISTANCE_REMOTE;
  rte_locality_t mine, theirs;
  if (!find_locality(core::job.me, &mine) || !find_locality(pe, &theirs)) return -1;
  if (is_same(mine.core, theirs.core)) return SHMEMX_DISTANCE_CORE;
  if (is_same(mine.numa, theirs.numa)) return SHMEMX_DISTANCE_NUMA;
  if (is_same(mine.socket, theirs.socket)) return SHMEMX_DISTANCE_SOCKET;
  return SHMEMX_DISTANCE_NODE;
}
