// SPDX-License-Identifier: BSD-3-Clause
/// Start-up: identity, segment, handlers; and what can be asked about them.
#include "models/gasnet/job.hpp"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <algorithm>
#include <memory>
#include <new>

#include "base/log.hpp"
#include "coll/coll.hpp"
#include "core/direct.hpp"
#include "core/endpoint.hpp"
#include "core/job.hpp"
#include "rte/identity.hpp"

namespace uccs::gasnet {

Attached attached;
Board* board = nullptr;
Board* own_board = nullptr;

namespace {

bool is_everything = false;

/// What nodes tell each other at attach.
struct Card {
  uintptr_t low;
  uintptr_t bytes;
  std::byte region[UCCS_REGION_BLOB_MAX];
};

/// Other models share the heap: a segment of the greatest size leaves them an eighth.
uintptr_t largest_segment() {
  const size_t free = core::heap_use().largest;
  return (free - free / 8) / GASNET_PAGESIZE * GASNET_PAGESIZE;
}

/// All memory a process can have, but for the page that is never mapped.
constexpr uintptr_t kAllLow = GASNET_PAGESIZE;
constexpr uintptr_t kAllBytes = (uintptr_t{1} << 62) - 2 * kAllLow;

/// The region of this node's memory, for others to import. UCCS_OK or why not.
uccs_status_t describe_all(uccs_context_t context, Card* card) {
  uccs_region_t region;
  const uccs_status_t status =
      uccs_region_register(context, reinterpret_cast<void*>(kAllLow), kAllBytes, &region);
  size_t bytes;
  return status ? status : uccs_region_export(region, card->region, sizeof card->region, &bytes);
}

/// Segments have one size on all nodes inside, the greatest that any asked for; nothing of it is
/// resident until touched.
uccs_status_t exchange_cards(uccs_context_t context, uintptr_t segsize, Card* cards) {
  core::Group& world = core::world_group();
  Card own = {};
  own.bytes = segsize;
  coll::allgather(world, cards, &own, sizeof own);
  uintptr_t most = 0;
  for (int i = 0; i < core::job.size; ++i) most = std::max(most, cards[i].bytes);
  if (is_everything) {
    const uccs_status_t status = describe_all(context, &own);
    if (status) return status;
  } else if (most > 0) {
    void* segment = core::heap_allocate(most, GASNET_PAGESIZE);
    if (!segment) return UCCS_ERR_NO_MEMORY;
    own.low = reinterpret_cast<uintptr_t>(segment);
  }
  coll::allgather(world, cards, &own, sizeof own);
  return UCCS_OK;
}

/// What is reached by loads and stores at the endpoint's node. Nothing under decorators, which want
/// to see every operation.
uccs_gasnet_peer_t peer_of(uccs_endpoint_t endpoint, const Card& card, uintptr_t own_low) {
  uccs_gasnet_peer_t peer = {};
  if (is_everything) {
    if (endpoint->ec == core::job.me) peer.bytes = UINTPTR_MAX;
    return peer;
  }
  const void* at = card.bytes > 0 ? core::direct(endpoint, UCCS_REGION_SYMMETRIC,
                                                 reinterpret_cast<const void*>(own_low))
                                  : nullptr;
  if (at) {
    peer.low = card.low;
    peer.bytes = card.bytes;
    peer.delta = reinterpret_cast<uintptr_t>(at) - card.low;
  }
  return peer;
}

uccs_status_t connect(Attached* to, const Card* cards) {
  const auto nodes = static_cast<size_t>(core::job.size);
  auto* peers = new (std::align_val_t{64}, std::nothrow) uccs_gasnet_peer_t[nodes];
  to->endpoints = new (std::nothrow) uccs_endpoint_t[nodes];
  to->segments = new (std::nothrow) gasnet_seginfo_t[nodes];
  to->regions = is_everything ? new (std::nothrow) uccs_region_t[nodes] : nullptr;
  if (!peers || !to->endpoints || !to->segments || (is_everything && !to->regions))
    return UCCS_ERR_NO_MEMORY;
  const uintptr_t own_low = cards[core::job.me].low;
  for (int node = 0; node < core::job.size; ++node) {
    const Card& card = cards[node];
    uccs_status_t status =
        uccs_endpoint_create(to->context, node, UCCS_LANE_ANY, &to->endpoints[node]);
    if (status == UCCS_OK && is_everything)
      status = uccs_region_import(to->context, card.region, sizeof card.region, &to->regions[node]);
    if (status != UCCS_OK) return status;
    peers[node] = peer_of(to->endpoints[node], card, own_low);
    to->segments[node] = is_everything
                             ? gasnet_seginfo_t{nullptr, UINTPTR_MAX}
                             : gasnet_seginfo_t{reinterpret_cast<void*>(card.low), card.bytes};
  }
  to->map.peers = peers;
  return UCCS_OK;
}

int refuse_resource(const char* call, uccs_status_t status) {
  return refuse(GASNET_ERR_RESOURCE, call, "%s", uccs_status_string(status));
}

/// The rest of gasnet_attach when its arguments are good.
int attach(uccs_context_t context, uintptr_t segsize) {
  Attached made;
  made.context = context;
  made.is_everything = is_everything;
  const auto cards =
      std::unique_ptr<Card[]>(new (std::nothrow) Card[static_cast<size_t>(core::job.size)]);
  uccs_status_t status = cards ? exchange_cards(context, segsize, cards.get()) : UCCS_ERR_NO_MEMORY;
  if (status == UCCS_OK) status = connect(&made, cards.get());
  if (status != UCCS_OK) return refuse_resource("gasnet_attach", status);
  made.map.nodes = static_cast<uint32_t>(core::job.size);
  attached = made;
  coll::barrier(core::world_group());
  return GASNET_OK;
}

}  // namespace

Board* board_of(int node) { return static_cast<Board*>(core::translate(own_board, node)); }

bool is_started() { return own_board != nullptr; }

int refuse(int error, const char* call, const char* format, ...) {
  char text[256];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(text, sizeof text, format, arguments);
  va_end(arguments);
  base::log_line(base::LogLevel::kError, "%s: %s: %s", call, gasnet_ErrorName(error), text);
  return error;
}

int refuse_unattached(const char* call) {
  return refuse(GASNET_ERR_NOT_INIT, call, "call gasnet_init and gasnet_attach first");
}

}  // namespace uccs::gasnet

using namespace uccs;
using namespace uccs::gasnet;

extern "C" {

// Not const-folded into readers: the pointer is a constant, the map behind it is filled at attach.
const uccs_gasnet_map_t* const uccs_gasnet_map = &attached.map;

int uccs_gasnet_init(int*, char***, int wants_everything) {
  if (is_started())
    return refuse(GASNET_ERR_NOT_INIT, "gasnet_init", "it may be called once, and has been");
  const uccs_status_t status = core::job_start(true);
  if (status != UCCS_OK) return refuse_resource("gasnet_init", status);
  is_everything = wants_everything != 0;
  own_board = static_cast<Board*>(core::internal_allocate(sizeof(Board), alignof(Board)));
  board = board_of(rte::start().node_first);
  own_board->pid.store(getpid(), std::memory_order_release);
  const uccs_status_t opened = open_meetings();
  if (opened != UCCS_OK) return refuse_resource("gasnet_init", opened);
  rte::set_phase(rte::Phase::kInitialized);
  watch_exit();
  return GASNET_OK;
}

int gasnet_attach(gasnet_handlerentry_t* table, int numentries, uintptr_t segsize, uintptr_t) {
  if (!is_started() || attached.map.nodes > 0)
    return refuse(GASNET_ERR_NOT_INIT, "gasnet_attach",
                  is_started() ? "it may be called once, and has been" : "call gasnet_init first");
  if (numentries < 0 || numentries > 128 || (numentries > 0 && !table))
    return refuse(GASNET_ERR_BAD_ARG, "gasnet_attach", "a table of %d handlers at %p", numentries,
                  static_cast<void*>(table));
  if (!is_everything && segsize % GASNET_PAGESIZE != 0)
    return refuse(GASNET_ERR_BAD_ARG, "gasnet_attach",
                  "segsize %zu is no multiple of GASNET_PAGESIZE (%d)", segsize, GASNET_PAGESIZE);
  uccs_context_t context;
  const uccs_status_t status = uccs_context_create(nullptr, &context);
  if (status != UCCS_OK) return refuse_resource("gasnet_attach", status);
  const int error = register_handlers(context, table, numentries);
  if (error != GASNET_OK) return error;
  return attach(context, std::min(segsize, largest_segment()));
}

uintptr_t gasnet_getMaxLocalSegmentSize(void) {
  return is_everything ? UINTPTR_MAX : largest_segment();
}

// The heaps of all nodes are alike.
uintptr_t gasnet_getMaxGlobalSegmentSize(void) { return gasnet_getMaxLocalSegmentSize(); }

gasnet_node_t gasnet_mynode(void) { return static_cast<gasnet_node_t>(core::job.me); }
gasnet_node_t gasnet_nodes(void) { return static_cast<gasnet_node_t>(core::job.size); }

int gasnet_getSegmentInfo(gasnet_seginfo_t* seginfo_table, int numentries) {
  if (attached.map.nodes == 0) return refuse_unattached("gasnet_getSegmentInfo");
  if (numentries < 0 || (numentries > 0 && !seginfo_table))
    return refuse(GASNET_ERR_BAD_ARG, "gasnet_getSegmentInfo", "a table of %d entries at %p",
                  numentries, static_cast<void*>(seginfo_table));
  std::copy_n(attached.segments, std::min(static_cast<uint32_t>(numentries), attached.map.nodes),
              seginfo_table);
  return GASNET_OK;
}

int gasnet_getNodeInfo(gasnet_nodeinfo_t* nodeinfo_table, int numentries) {
  if (attached.map.nodes == 0) return refuse_unattached("gasnet_getNodeInfo");
  if (numentries < 0 || (numentries > 0 && !nodeinfo_table))
    return refuse(GASNET_ERR_BAD_ARG, "gasnet_getNodeInfo", "a table of %d entries at %p",
                  numentries, static_cast<void*>(nodeinfo_table));
  const uint32_t count = std::min(static_cast<uint32_t>(numentries), attached.map.nodes);
  const rte::Identity& job = rte::start();
  gasnet_node_t host = 0;
  for (uint32_t node = 0; node < count; ++node) {
    const int place = rte::node_of(static_cast<int>(node));
    // ECs of a host have consecutive numbers.
    if (place > 0 && strcmp(job.nodes[place].host, job.nodes[place - 1].host) != 0)
      host = static_cast<gasnet_node_t>(job.nodes[place].first);
    nodeinfo_table[node] = {host, static_cast<gasnet_node_t>(job.nodes[place].first),
                            static_cast<intptr_t>(attached.map.peers[node].delta)};
  }
  return GASNET_OK;
}

char* gasnet_getenv(const char* name) { return getenv(name); }

}  // extern "C"
