// SPDX-License-Identifier: BSD-3-Clause
/// Address translation to ECs of the same node, for inlining. Internal to UCCS's own headers: use
/// `shmem_ptr` or `uccs_region_pointer` in programs; the layout may change with the library
/// version.
#ifndef UCCS_DIRECT_H
#define UCCS_DIRECT_H

#include <stddef.h>
#include <stdint.h>

#include "uccs/status.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Every EC of a node maps the whole node segment: one slot of `slot_bytes` per EC, in
/// the order of their numbers. A slot holds the EC's static data and its heap, so
///
///     address at EC e = symmetric address + delta of its kind + (e - first) * slot_bytes
///
/// and no table is walked. Before start-up all lengths are 0, so nothing translates.
typedef struct uccs_direct_map {
  uintptr_t heap_low;  ///< this EC's heap, internal area included
  uintptr_t heap_bytes;
  uintptr_t heap_delta;  ///< heap of the node's first EC minus heap_low (wraps)
  uintptr_t static_low;  ///< the executable's writable data
  uintptr_t static_bytes;
  uintptr_t static_delta;  ///< static mirror of the node's first EC minus static_low (wraps)
  uint32_t first;          ///< lowest EC number of the node
  uint32_t count;          ///< ECs of the node
  uintptr_t slot_bytes;
} uccs_direct_map_t;

/// The process's map. A pointer and not the object, so that a copy relocation in the executable
/// copies a constant.
UCCS_DATA extern const uccs_direct_map_t* const uccs_direct;

/// Where this process reaches the copy of `symmetric` that belongs to EC `ec`; NULL if the address
/// is not symmetric, the EC is on another node or no EC at all. About 10 instructions.
static inline void* uccs_direct_translate(const uccs_direct_map_t* map, const void* symmetric,
                                          int ec) {
  const uintptr_t address = (uintptr_t)symmetric;
  const uint32_t index = (uint32_t)ec - map->first;
  uintptr_t delta;
  void* reached;
  if (index >= map->count) return NULL;
  if (address - map->heap_low < map->heap_bytes)
    delta = map->heap_delta;
  else if (address - map->static_low < map->static_bytes)
    delta = map->static_delta;
  else
    return NULL;
  reached = (void*)(address + delta + (uintptr_t)index * map->slot_bytes);
#if defined(__GNUC__)
  if (reached == NULL) __builtin_unreachable(); /* spares the caller the test of the result */
#endif
  return reached;
}

#ifdef __cplusplus
}
#endif
#endif
