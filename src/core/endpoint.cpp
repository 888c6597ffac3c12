// SPDX-License-Identifier: BSD-3-Clause
#include "core/endpoint.hpp"

#include <new>

#include "core/burst.hpp"
#include "core/context.hpp"
#include "core/job.hpp"
#include "core/pack.hpp"
#include "core/progress.hpp"
#include "core/remote.hpp"

namespace uccs::core {
namespace {

/// The process's map with the share of one EC worked out.
Reach reach_of(int ec) {
  Reach reach;
  const uint32_t index = static_cast<uint32_t>(ec) - direct_map.first;
  if (index >= direct_map.count) return reach;
  const uintptr_t slot = uintptr_t{index} * direct_map.slot_bytes;
  reach.heap_low = direct_map.heap_low;
  reach.heap_bytes = direct_map.heap_bytes;
  reach.heap_delta = direct_map.heap_delta + slot;
  reach.static_low = direct_map.static_low;
  reach.static_bytes = direct_map.static_bytes;
  reach.static_delta = direct_map.static_delta + slot;
  return reach;
}

void enlist(Context* context, Endpoint* endpoint) {
  const std::lock_guard guard(context->lock);
  endpoint->bucket = static_cast<uint8_t>(context->endpoints_made++ % Pending::kBuckets);
  endpoint->next = context->endpoints;
  if (endpoint->next) endpoint->next->previous = endpoint;
  context->endpoints = endpoint;
}

void unlist(Context* context, Endpoint* endpoint) {
  const std::lock_guard guard(context->lock);
  (endpoint->previous ? endpoint->previous->next : context->endpoints) = endpoint->next;
  if (endpoint->next) endpoint->next->previous = endpoint->previous;
}

/// Everything posted on the endpoint is visible at the target.
uccs_status_t flush(Endpoint* endpoint) {
  Context* context = endpoint->context;
  Settling settling(context->pack.get(), endpoint->ec);
  const uccs_status_t status = wait_until(
      context, [&] { return settling.is_over() && is_quiet(context, endpoint->bucket); });
  if (status != UCCS_OK) return status;
  ThreadSlot& thread = this_thread(context);
  net::Channel* path = thread.channel->paths[endpoint->link_index];
  net::Flush flush;
  return wait_until(
      context, [&] { return endpoint->link->table->flush(path, endpoint->ec, &flush) == UCCS_OK; });
}

/// Of the job's context, whose links may have to ask the targets of puts, too: all are asked before
/// anybody is waited for. Returns one bit for each link where nothing has to be.
[[gnu::noinline]] uint32_t begin_flush(Context* context, net::Flush flushes[]) {
  ThreadSlot& thread = this_thread(context);
  judge_burst(thread);
  thread.burst = 0;
  (void)context->pack->push();
  uint32_t over = 0;
  for (int link = 0; link < context->link_count; ++link)
    if (context->links[link].table->flush(thread.channel->paths[link], -1, &flushes[link]) ==
        UCCS_OK)
      over |= uint32_t{1} << link;
  return over;
}

/// There was nothing to flush.
bool is_flushed(Context* context) {
  const ThreadSlot& thread = this_thread(context);
  const Link& link = context->links[0];
  net::Flush flush;
  return context->packs_bursts && thread.burst == 0 && context->pack->is_settled() &&
         is_quiet(context) && link.table->flush(thread.channel->paths[0], -1, &flush) == UCCS_OK;
}

/// Of a bucket, or (-1) all.
uccs_status_t flush(Context* context, int bucket) {
  if (is_flushed(context)) return UCCS_OK;
  net::Flush flushes[kMaxLinks];
  for (net::Flush& each : flushes) each.leaves_completions = bucket >= 0;
  const uint32_t over = context->packs_bursts ? begin_flush(context, flushes) : 0;
  Settling settling = bucket < 0
                          ? Settling(context->pack.get(), -1)
                          : Settling::of_account(context->pack.get(), static_cast<uint8_t>(bucket));
  const uccs_status_t status = wait_until(context, [&] {
    return settling.is_over() &&
           (bucket < 0 ? is_quiet(context) : is_quiet(context, static_cast<uint8_t>(bucket)));
  });
  if (status != UCCS_OK) return status;
  ThreadSlot& thread = this_thread(context);
  for (int link = 0; link < context->link_count; ++link) {
    if ((over >> link & 1) != 0) continue;
    const net::Transport* table = context->links[link].table;
    net::Channel* path = thread.channel->paths[link];
    const uccs_status_t flushed =
        wait_until(context, [&] { return table->flush(path, -1, &flushes[link]) == UCCS_OK; });
    if (flushed != UCCS_OK) return flushed;
  }
  return UCCS_OK;
}

}  // namespace

uccs_status_t flush_account(uint8_t account) { return flush(job_context(), account); }

}  // namespace uccs::core

extern "C" {

using namespace uccs;

uccs_status_t uccs_endpoint_create(uccs_context_t context, int ec, int lane,
                                   uccs_endpoint_t* endpoint_out) {
  if (!context || !endpoint_out || ec < 0 || ec >= core::job.size) return UCCS_ERR_INVALID;
  if (lane < UCCS_LANE_ANY || lane >= context->shape.lanes) return UCCS_ERR_INVALID;
  const int link = context->routes[ec];
  if (link < 0) return UCCS_ERR_UNSUPPORTED;
  auto* endpoint = new (std::nothrow) core::Endpoint;
  if (!endpoint) return UCCS_ERR_NO_MEMORY;
  endpoint->context = context;
  endpoint->ec = ec;
  endpoint->lane = static_cast<int16_t>(lane);
  endpoint->link_index = static_cast<uint8_t>(link);
  endpoint->link = &context->links[link];
  endpoint->lanes_there = core::public_lanes(context->index, ec);
  if (lane >= 0)
    endpoint->lanes_there->open.fetch_or(core::lane_bit(lane), std::memory_order_relaxed);
  if (!endpoint->link->is_wrapped()) endpoint->reach = core::reach_of(ec);
  core::enlist(context, endpoint);
  *endpoint_out = endpoint;
  return UCCS_OK;
}

uccs_status_t uccs_endpoint_destroy(uccs_endpoint_t endpoint) {
  if (!endpoint) return UCCS_OK;
  core::Context* context = endpoint->context;
  core::Settling settling(context->pack.get(), endpoint->ec);
  const uccs_status_t status = core::wait_until(
      context, [&] { return settling.is_over() && core::is_quiet(context, endpoint->bucket); });
  if (status != UCCS_OK) return status;
  core::unlist(context, endpoint);
  delete endpoint;
  return UCCS_OK;
}

uccs_status_t uccs_flush(const uccs_endpoint_t endpoints[], size_t count) {
  if (!endpoints && count > 0) return UCCS_ERR_INVALID;
  for (size_t i = 0; i < count; ++i) {
    const uccs_status_t status = core::flush(endpoints[i]);
    if (status != UCCS_OK) return status;
  }
  return UCCS_OK;
}

uccs_status_t uccs_context_flush(uccs_context_t context) { return core::flush(context, -1); }

uccs_status_t uccs_fence(uccs_context_t context) {
  // Stores of one thread reach mapped memory in order once the compiler and the CPU keep to it;
  // what is not complete yet has to be.
  std::atomic_thread_fence(std::memory_order_release);
  core::Settling settling(context->pack.get(), -1);
  return core::wait_until(context, [&] { return settling.is_over() && core::is_quiet(context); });
}

}  // extern "C"
