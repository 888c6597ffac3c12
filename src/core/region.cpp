// SPDX-License-Identifier: BSD-3-Clause
#include "core/region.hpp"

#include <bit>
#include <new>

#include "core/job.hpp"

namespace uccs::core {
namespace {

// Handles: an even pointer for allocated regions, an odd one for private memory, 0, 2 and 4 for the
// predefined ones.
constexpr uintptr_t kPrivateBit = 1;

uintptr_t bits(uccs_region_t region) { return reinterpret_cast<uintptr_t>(region); }
bool is_predefined(uccs_region_t region) { return bits(region) <= bits(UCCS_REGION_STATIC); }

Region* object(uccs_region_t region) {
  return reinterpret_cast<Region*>(bits(region) & ~kPrivateBit);
}
uccs_region_t handle(Region* region) {
  const uintptr_t tag = region->origin == Region::Origin::kAllocated ? 0 : kPrivateBit;
  return reinterpret_cast<uccs_region_t>(reinterpret_cast<uintptr_t>(region) | tag);
}

void enlist(Context* context, Region* region) {
  const std::lock_guard guard(context->lock);
  region->context = context;
  region->next = context->regions;
  if (region->next) region->next->previous = region;
  context->regions = region;
}

void unlist(Region* region) {
  const std::lock_guard guard(region->context->lock);
  (region->previous ? region->previous->next : region->context->regions) = region->next;
  if (region->next) region->next->previous = region->previous;
}

bool is_heap(uint64_t address) { return address - direct_map.heap_low < direct_map.heap_bytes; }
bool is_static(uint64_t address) {
  return address - direct_map.static_low < direct_map.static_bytes;
}

/// What private memory looks like to those who import it: 64 bytes, all of one job and one byte
/// order.
struct Blob {
  uint32_t magic;
  int32_t owner;
  uint64_t base;
  uint64_t bytes;
  WireAddress where;
  uint64_t keys[kMaxLinks];
};
static_assert(sizeof(Blob) == UCCS_REGION_BLOB_MAX);
constexpr uint32_t kBlobMagic = 0x55435231;  // "UCR1"

bool is_sound(const Blob& blob) {
  if (blob.magic != kBlobMagic || blob.owner < 0 || blob.owner >= job.size) return false;
  if (blob.base == 0 || blob.bytes == 0 || blob.base + blob.bytes < blob.base) return false;
  const uint64_t offset = wire_offset(blob.where);
  switch (wire_area(blob.where)) {
    case net::Area::kHeap:
      return offset <= direct_map.heap_bytes && blob.bytes <= direct_map.heap_bytes - offset;
    case net::Area::kStatic:
      return offset <= direct_map.static_bytes && blob.bytes <= direct_map.static_bytes - offset;
    case net::Area::kRegistered:
      return offset == blob.base;
  }
  return false;
}

std::byte* map_imported(const Blob& blob) {
  if (blob.owner == job.me) return reinterpret_cast<std::byte*>(blob.base);
  const uint64_t offset = wire_offset(blob.where);
  const net::Area area = wire_area(blob.where);
  if (area == net::Area::kRegistered) return nullptr;
  const uintptr_t low = area == net::Area::kHeap ? direct_map.heap_low : direct_map.static_low;
  return static_cast<std::byte*>(translate(reinterpret_cast<void*>(low + offset), blob.owner));
}

uccs_status_t resolve_private(const Endpoint* endpoint, const Region* region, uint64_t address,
                              size_t bytes, Target* target_out) {
  const uint64_t offset = address - region->base;
  if (region->owner != endpoint->ec || offset > region->bytes || bytes > region->bytes - offset)
    return UCCS_ERR_ADDRESS;
  target_out->remote = {net::Area::kRegistered, address, region->keys[endpoint->link_index]};
  target_out->mapped =
      region->mapped && !endpoint->link->is_wrapped() ? region->mapped + offset : nullptr;
  return UCCS_OK;
}

}  // namespace

WireAddress where_is(uint64_t address) {
  if (is_heap(address)) return wire_address(net::Area::kHeap, address - direct_map.heap_low);
  if (is_static(address)) return wire_address(net::Area::kStatic, address - direct_map.static_low);
  return wire_address(net::Area::kRegistered, address);
}

uccs_status_t resolve(const Endpoint* endpoint, uccs_region_t region, const void* address,
                      size_t bytes, Target* target_out) {
  const auto at = reinterpret_cast<uint64_t>(address);
  if (is_private(region)) return resolve_private(endpoint, object(region), at, bytes, target_out);
  const bool may_be_heap = region != UCCS_REGION_STATIC;
  const bool may_be_static = is_predefined(region) && region != UCCS_REGION_HEAP;
  size_t room;
  if (may_be_heap && is_heap(at)) {
    target_out->remote = {net::Area::kHeap, at - direct_map.heap_low, 0};
    room = direct_map.heap_low + direct_map.heap_bytes - at;
  } else if (may_be_static && is_static(at)) {
    target_out->remote = {net::Area::kStatic, at - direct_map.static_low, 0};
    room = direct_map.static_low + direct_map.static_bytes - at;
  } else {
    return UCCS_ERR_ADDRESS;
  }
  if (bytes > room) return UCCS_ERR_ADDRESS;
  target_out->mapped = static_cast<std::byte*>(endpoint->reach.at(address));
  return UCCS_OK;
}

namespace {
/// Gives back what the region holds; it is in no list any more.
void dispose(Context* context, Region* region) {
  if (region->origin == Region::Origin::kAllocated)
    (void)heap_free(reinterpret_cast<void*>(region->base));
  if (region->origin == Region::Origin::kRegistered)
    for (int i = 0; i < context->link_count; ++i)
      context->links[i].table->release_memory(context->links[i].instance, region->keys[i]);
  delete region;
}
}  // namespace

void free_regions(Context* context) {
  while (Region* region = context->regions) {
    context->regions = region->next;
    dispose(context, region);
  }
}

}  // namespace uccs::core

extern "C" {

using namespace uccs;
using core::Region;

uccs_status_t uccs_region_alloc(uccs_context_t context, size_t bytes, size_t alignment,
                                uccs_region_t* region_out) {
  if (!context || !region_out || bytes == 0 || (alignment & (alignment - 1)) != 0)
    return UCCS_ERR_INVALID;
  auto* region = new (std::nothrow) Region;
  if (!region) return UCCS_ERR_NO_MEMORY;
  void* memory = core::heap_allocate(bytes, alignment ? alignment : 64);
  if (!memory) {
    delete region;
    return UCCS_ERR_NO_MEMORY;
  }
  region->base = reinterpret_cast<uint64_t>(memory);
  region->bytes = bytes;
  region->mapped = static_cast<std::byte*>(memory);
  core::enlist(context, region);
  *region_out = core::handle(region);
  return UCCS_OK;
}

uccs_status_t uccs_region_register(uccs_context_t context, void* base, size_t bytes,
                                   uccs_region_t* region_out) {
  const auto low = reinterpret_cast<uint64_t>(base);
  if (!context || !region_out || !base || bytes == 0 || low + bytes < low) return UCCS_ERR_INVALID;
  auto* region = new (std::nothrow) Region;
  if (!region) return UCCS_ERR_NO_MEMORY;
  region->origin = Region::Origin::kRegistered;
  region->owner = core::job.me;
  region->base = low;
  region->bytes = bytes;
  region->mapped = static_cast<std::byte*>(base);
  for (int i = 0; i < context->link_count; ++i) {
    const core::Link& link = context->links[i];
    const uccs_status_t status =
        link.table->register_memory(link.instance, base, bytes, &region->keys[i]);
    if (status == UCCS_OK) continue;
    while (--i >= 0) {
      const core::Link& done = context->links[i];
      done.table->release_memory(done.instance, region->keys[i]);
    }
    delete region;
    return status;
  }
  core::enlist(context, region);
  *region_out = core::handle(region);
  return UCCS_OK;
}

uccs_status_t uccs_region_release(uccs_region_t handle) {
  if (core::is_predefined(handle)) return UCCS_OK;
  Region* region = core::object(handle);
  core::unlist(region);
  core::dispose(region->context, region);
  return UCCS_OK;
}

uccs_status_t uccs_region_export(uccs_region_t handle, void* blob_out, size_t capacity,
                                 size_t* bytes_out) {
  if (core::is_predefined(handle) || !blob_out || !bytes_out || capacity < sizeof(core::Blob))
    return UCCS_ERR_INVALID;
  const Region* region = core::object(handle);
  if (region->origin == Region::Origin::kImported) return UCCS_ERR_INVALID;
  core::Blob blob = {.magic = core::kBlobMagic,
                     .owner = core::job.me,
                     .base = region->base,
                     .bytes = region->bytes,
                     .where = core::where_is(region->base),
                     .keys = {}};
  memcpy(blob.keys, region->keys, sizeof blob.keys);
  memcpy(blob_out, &blob, sizeof blob);
  *bytes_out = sizeof blob;
  return UCCS_OK;
}

uccs_status_t uccs_region_import(uccs_context_t context, const void* bytes_in, size_t bytes,
                                 uccs_region_t* region_out) {
  core::Blob blob;
  if (!context || !bytes_in || !region_out || bytes != sizeof blob) return UCCS_ERR_INVALID;
  memcpy(&blob, bytes_in, sizeof blob);
  if (!core::is_sound(blob)) return UCCS_ERR_INVALID;
  auto* region = new (std::nothrow) Region;
  if (!region) return UCCS_ERR_NO_MEMORY;
  region->origin = Region::Origin::kImported;
  region->owner = blob.owner;
  region->base = blob.base;
  region->bytes = blob.bytes;
  region->mapped = core::map_imported(blob);
  memcpy(region->keys, blob.keys, sizeof blob.keys);
  core::enlist(context, region);
  *region_out = core::handle(region);
  return UCCS_OK;
}

uccs_status_t uccs_region_query(uccs_region_t handle, uccs_region_info_t* info_out) {
  if (!info_out || handle == UCCS_REGION_SYMMETRIC) return UCCS_ERR_INVALID;
  if (core::is_predefined(handle)) {
    const bool is_heap = handle == UCCS_REGION_HEAP;
    const uintptr_t low = is_heap ? core::direct_map.heap_low : core::direct_map.static_low;
    const uintptr_t extent = is_heap ? core::direct_map.heap_bytes : core::direct_map.static_bytes;
    *info_out = {reinterpret_cast<void*>(low), extent, UCCS_EC_ANY, 1};
    return UCCS_OK;
  }
  const Region* region = core::object(handle);
  *info_out = {reinterpret_cast<void*>(region->base), region->bytes, region->owner,
               region->origin == Region::Origin::kAllocated};
  return UCCS_OK;
}

void* uccs_region_pointer(uccs_endpoint_t endpoint, uccs_region_t handle, const void* address) {
  if (!core::is_private(handle)) return core::translate(address, endpoint->ec);
  const Region* region = core::object(handle);
  const uint64_t offset = reinterpret_cast<uint64_t>(address) - region->base;
  if (region->owner != endpoint->ec || offset >= region->bytes || !region->mapped) return nullptr;
  return region->mapped + offset;
}

}  // extern "C"
