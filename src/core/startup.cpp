// SPDX-License-Identifier: BSD-3-Clause
#include "core/startup.hpp"

#include <pthread.h>
#include <string.h>

#include <mutex>

#include "base/config.hpp"
#include "base/config_values.hpp"
#include "base/heavy_fence.hpp"
#include "base/log.hpp"
#include "core/direct.hpp"
#include "mem/static_data.hpp"
#include "rte/identity.hpp"

namespace uccs::core {
namespace {

mem::NodeSegment segment;
bool forked_child = false;

void after_fork_in_child() {
  mem::static_data_after_fork_in_child();
  forked_child = true;
}

/// SHMEM_SYMMETRIC_SIZE: "auto" reserves as much as the machine has.
void wanted_heap(bool* is_explicit_out, size_t* bytes_out) {
  const char* text = base::config().symmetric_size;
  *is_explicit_out = false;
  *bytes_out = 0;
  if (strcmp(text, "auto") == 0) return;
  uint64_t bytes = 0;
  if (!base::parse_size(text, &bytes) || bytes > (uint64_t{1} << 46)) {
    base::fatal(
        "SHMEM_SYMMETRIC_SIZE=%s is not a size: write a number with an optional K, M, G or "
        "T, for example 512M or 1.5G",
        text);
  }
  *is_explicit_out = true;
  *bytes_out = bytes;
}

/// What an EC of a job on several nodes reserves unless told: alike on nodes with more and with
/// less memory, so that all run out of it in the same allocation.
constexpr size_t kSpreadHeapBytes = size_t{32} << 30;

uccs_status_t attach_once() {
  const rte::Identity& me = rte::start();
  const bool is_shared = me.segment_fd >= 0;
  const mem::StaticRange statics = mem::find_static_data();
  bool is_explicit;
  size_t heap_bytes;
  wanted_heap(&is_explicit, &heap_bytes);
  if (!is_explicit && me.node_size < me.num_ecs) {
    is_explicit = true;
    heap_bytes = kSpreadHeapBytes;
  }
  mem::SlotLayout layout;
  uccs_status_t status = mem::plan_slots(me.node_size, is_shared ? statics.bytes : 0, is_explicit,
                                         heap_bytes, me.segment_bytes, &layout);
  if (status != UCCS_OK) return status;
  const int index = me.ec - me.node_first;
  status = segment.attach(me.segment_fd, me.node_size, index, layout, me.segment_offset);
  if (status != UCCS_OK) return status;
  if (is_shared) {
    status = mem::share_static_data(statics, me.segment_fd, segment.file_offset(index));
    if (status != UCCS_OK) return status;
    pthread_atfork(mem::static_data_before_fork, mem::static_data_after_fork_in_parent,
                   after_fork_in_child);
  }

  const auto address = [](const void* pointer) { return reinterpret_cast<uintptr_t>(pointer); };
  direct_map.first = static_cast<uint32_t>(me.node_first);
  direct_map.count = static_cast<uint32_t>(me.node_size);
  direct_map.slot_bytes = layout.slot_bytes;
  direct_map.heap_low = address(segment.slot(index) + layout.internal_offset());
  direct_map.heap_bytes = layout.internal_bytes + layout.heap_bytes;
  direct_map.heap_delta = address(segment.slot(0) + layout.internal_offset()) - direct_map.heap_low;
  direct_map.static_low = address(statics.low);
  direct_map.static_bytes = statics.bytes;
  direct_map.static_delta = is_shared ? address(segment.slot(0)) - direct_map.static_low : 0;
  base::join_heavy_fence();
  rte::serve();  // threads only now that the globals are where they stay
  return UCCS_OK;
}

/// Being loaded by the launcher's child is the last moment at which nobody writes to globals.
[[gnu::constructor]] void attach_when_launched() {
  if (rte::is_launched()) (void)attach_memory();
}

}  // namespace

uccs_status_t attach_memory() {
  static std::once_flag once;
  static uccs_status_t result = UCCS_ERR_INTERNAL;
  std::call_once(once, [] { result = attach_once(); });
  return result;
}

const mem::NodeSegment& node_segment() { return segment; }
bool is_forked_child() { return forked_child; }

}  // namespace uccs::core
