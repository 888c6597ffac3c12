// SPDX-License-Identifier: BSD-3-Clause
/// A context's transports: which, wrapped in what, in which memory, and who reaches whom by which.
#include <stdio.h>
#include <string.h>

#include <vector>

#include "base/config.hpp"
#include "base/config_values.hpp"
#include "base/cpus.hpp"
#include "base/log.hpp"
#include "core/context.hpp"
#include "core/job.hpp"
#include "core/network.hpp"
#include "core/pack.hpp"
#include "net/registry.hpp"
#include "rte/identity.hpp"
#include "uccs/rte.h"

namespace uccs::core {
namespace {

constexpr size_t kMaxAddress = 16 * 1024;

/// Memory of inboxes. Internal memory is never freed, so what a context has left is used again by
/// the next one of the same shape; every EC decides alike because contexts come and go in the same
/// order.
struct Block {
  size_t bytes;
  int lanes;
  int channels;
  std::byte* memory;
  bool is_in_use;
};
std::vector<Block>& blocks() {  // guarded by contexts_lock
  static std::vector<Block> all;
  return all;
}

std::byte* take_block(size_t bytes, const net::Shape& shape) {
  for (Block& block : blocks()) {
    if (block.is_in_use || block.bytes != bytes || block.lanes != shape.lanes ||
        block.channels != shape.channels)
      continue;
    block.is_in_use = true;
    return block.memory;
  }
  auto* memory = static_cast<std::byte*>(internal_allocate(bytes, 4096));
  blocks().push_back({bytes, shape.lanes, shape.channels, memory, true});
  return memory;
}

void give_back_block(std::byte* memory) {
  for (Block& block : blocks())
    if (block.memory == memory) block.is_in_use = false;
}

bool names(const char* list, const char* name) {
  const size_t length = strlen(name);
  for (const char* at = list; (at = strstr(at, name)); at += length)
    if ((at == list || at[-1] == ',') && (at[length] == ',' || at[length] == '\0')) return true;
  return false;
}

/// Puts the decorators that the configuration asks for around `transport`.
void layer(Link* link, const net::Transport* transport) {
  size_t count = 0;
  for (const net::Transport* decorator : net::decorators()) {
    const bool is_wanted = names(base::config().wrap, decorator->name) ||
                           (base::config().check && strcmp(decorator->name, "check") == 0);
    if (is_wanted) link->layers[count++] = decorator;
  }
  link->layers[count] = transport;
  link->table = link->layers[0];
}

net::Extent extent(uintptr_t low, uintptr_t bytes) {
  return {reinterpret_cast<std::byte*>(low), bytes};
}

/// Where EC `ec` keeps its copy of what is at `low` here; nullptr when it cannot be seen.
std::byte* at_peer(uintptr_t low, int ec) {
  return static_cast<std::byte*>(translate(reinterpret_cast<void*>(low), ec));
}

using Key = char[RTE_KEY_MAX + 1];
void address_key(const Context* context, const Link& link, Key key_out) {
  snprintf(key_out, sizeof(Key), "uccs.context.%d.%u.%d", context->index, context->incarnation,
           static_cast<int>(&link - context->links));
}

/// Publishes this EC's address, if connecting takes one; says how long it is.
uccs_status_t publish_address(const Context* context, const Link& link, size_t* bytes_out) {
  std::byte address[kMaxAddress];
  *bytes_out = link.table->address(link.instance, address, sizeof address);
  if (*bytes_out == 0) return UCCS_OK;
  Key key;
  address_key(context, link, key);
  return rte_srs_set_data(key, address, *bytes_out);
}

std::atomic<bool> is_parting = false;

/// net::OpenParameters::peer_lost.
void peer_lost(void*, int ec, const char* what) {
  if (rte::job_is_ending() || is_parting.load(std::memory_order_relaxed)) return;
  base::fatal("EC %d on %s %s. UCCS_PEER_TIMEOUT is how long to wait for it", ec, rte::host_of(ec),
              what);
}

/// net::OpenParameters::find_address; `user` is the link.
size_t find_address(void* user, int ec, void* buffer, size_t capacity) {
  const auto& link = *static_cast<const Link*>(user);
  Key key;
  address_key(link.context, link, key);
  size_t bytes = 0;
  if (rte_init() != UCCS_OK) return 0;
  const uint64_t patience_ns = base::config().peer_timeout_ns;
  const uccs_status_t status =
      rte_srs_get_data(ec, key, buffer, capacity, &bytes,
                       patience_ns > 0 ? static_cast<int64_t>(patience_ns) : RTE_FOREVER);
  (void)rte_finalize();
  if (status == UCCS_ERR_TIMEOUT)
    peer_lost(user, ec, "has not said where it can be reached, or has not made this context");
  return status == UCCS_OK ? bytes : 0;
}

/// Addresses of others are asked for at first use.
uccs_status_t connect_all(Context* context, int index) {
  Link& link = context->links[index];
  size_t address_bytes;
  uccs_status_t status = publish_address(context, link, &address_bytes);
  for (int ec = 0; ec < job.size && status == UCCS_OK; ++ec) {
    const net::Peer peer = {
        .ec = ec,
        .inbox = at_peer(reinterpret_cast<uintptr_t>(context->inboxes[index]), ec),
        .heap = at_peer(direct_map.heap_low, ec),
        .statics = at_peer(direct_map.static_low, ec),
        .address = nullptr,
        .address_bytes = 0,
    };
    const uccs_status_t connected = link.table->connect(link.instance, peer);
    if (connected == UCCS_OK && context->routes[ec] < 0)
      context->routes[ec] = static_cast<int8_t>(index);
    if (connected != UCCS_ERR_UNSUPPORTED) status = connected;
  }
  return status;
}

uccs_status_t open_link(Context* context, const net::Transport* transport, const char* provider) {
  const int index = context->link_count;
  Link& link = context->links[index];
  link.context = context;
  layer(&link, transport);
  link.limits = link.table->describe(context->shape, link.layers + 1);
  if (link.limits.inbox_bytes > 0)
    context->inboxes[index] = take_block(link.limits.inbox_bytes, context->shape);
  const net::OpenParameters parameters = {
      .me = job.me,
      .num_ecs = job.size,
      .shape = context->shape,
      .may_differ_in_lanes = context->is_of_job,
      .inbox = context->inboxes[index],
      .heap = extent(direct_map.heap_low, direct_map.heap_bytes),
      .statics = extent(direct_map.static_low, direct_map.static_bytes),
      .provider = provider,
      .is_one_host = rte::start().is_one_host,
      .has_spare_cpus =
          rte::start().node_cpus > rte::start().node_size && base::affinity_cpus() > 1,
      .find_address = find_address,
      .apply_batch = apply_batch,
      .peer_lost = peer_lost,
      .user = &link,
      .is_crowded = base::Backoff::is_crowded,
      .inner = link.layers + 1,
  };
  const uccs_status_t status = link.table->open(parameters, &link.instance);
  if (status != UCCS_OK) {
    give_back_block(context->inboxes[index]);
    return status;
  }
  ++context->link_count;
  return connect_all(context, index);
}

/// For ECs of other nodes, where there is a network; `only`: or nothing.
uccs_status_t open_network(Context* context, const char* only) {
  const Network network = chosen_network(only);
  if (network.table) return open_link(context, network.table, network.provider);
  if (!only) return UCCS_OK;
  if (network.is_known)
    base::log_line(base::LogLevel::kError, "the network %s cannot be used: %s", only,
                   network.reason);
  return UCCS_ERR_NOT_FOUND;
}

}  // namespace

void expect_departures() { is_parting.store(true, std::memory_order_relaxed); }

uccs_status_t open_links(Context* context, const char* only) {
  context->routes = std::make_unique<int8_t[]>(static_cast<size_t>(job.size));
  memset(context->routes.get(), -1, static_cast<size_t>(job.size));
  uccs_status_t status = rte_init();
  for (const net::Transport* transport : net::transports()) {
    if (status != UCCS_OK || context->link_count == kMaxLinks) break;
    if (only && strcmp(only, transport->name) != 0) continue;
    status = open_link(context, transport, nullptr);
  }
  if (status == UCCS_OK && (only ? context->link_count == 0 : job.is_spread))
    status = open_network(context, only);
  (void)rte_finalize();
  if (status == UCCS_OK && context->link_count == 0) return UCCS_ERR_NOT_FOUND;
  return status;
}

void close_links(Context* context) {
  for (int i = 0; i < context->link_count; ++i) {
    context->links[i].table->close(context->links[i].instance);
    if (context->inboxes[i]) give_back_block(context->inboxes[i]);
  }
  context->link_count = 0;
}

namespace {
/// One word per context index in the memory of the node's first EC:
/// bits 0-15 lanes, 16-31 channels, 32-63 incarnation.
std::atomic<uint64_t>* shape_word(int index) {
  static auto* const mine = static_cast<std::atomic<uint64_t>*>(
      internal_allocate(sizeof(std::atomic<uint64_t>) * kMaxContexts, 64));
  auto* first =
      static_cast<std::atomic<uint64_t>*>(translate(mine, static_cast<int>(direct_map.first)));
  return &first[index];
}
}  // namespace

uccs_status_t agree_on_shape(Context* context, net::Shape wanted, net::Shape preferred) {
  std::atomic<uint64_t>* word = shape_word(context->index);
  const uint64_t mine = static_cast<uint64_t>(preferred.lanes) |
                        (static_cast<uint64_t>(preferred.channels) << 16) |
                        (uint64_t{context->incarnation} << 32);
  uint64_t agreed = word->load(std::memory_order_relaxed);
  while (agreed >> 32 != context->incarnation)
    if (word->compare_exchange_weak(agreed, mine, std::memory_order_relaxed)) agreed = mine;
  context->shape = {static_cast<int>(agreed & 0xffff), static_cast<int>((agreed >> 16) & 0xffff)};
  const bool fits = (wanted.lanes == 0 || wanted.lanes == context->shape.lanes) &&
                    (wanted.channels == 0 || wanted.channels == context->shape.channels);
  if (fits) return UCCS_OK;
  base::log_line(base::LogLevel::kError,
                 "uccs_context_create: %d lanes and %d channels here, but another EC makes this "
                 "context with %d and %d; give the same attributes on all ECs",
                 wanted.lanes, wanted.channels, context->shape.lanes, context->shape.channels);
  return UCCS_ERR_INVALID;
}

}  // namespace uccs::core
