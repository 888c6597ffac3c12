// SPDX-License-Identifier: BSD-3-Clause
#include "core/job.hpp"

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <mutex>

#include "base/config.hpp"
#include "base/config_values.hpp"
#include "base/log.hpp"
#include "core/context.hpp"
#include "core/direct.hpp"
#include "core/group.hpp"
#include "core/startup.hpp"
#include "mem/heap.hpp"
#include "rte/identity.hpp"
#include "uccs/rte.h"

namespace uccs::core {

Job job;

namespace {

std::mutex job_lock;  // guards references
int references = 0;

std::mutex internal_lock;  // guards internal_used
size_t internal_used = 0;

std::mutex heap_lock;  // guards heap
mem::Heap& heap() {
  static mem::Heap instance;
  return instance;
}

std::byte* own_slot() {
  const rte::Identity& me = rte::start();
  return node_segment().slot(me.ec - me.node_first);
}

void start_first() {
  const rte::Identity& me = rte::start();
  const mem::SlotLayout& layout = node_segment().layout();
  {
    const std::lock_guard guard(heap_lock);
    heap().reset(own_slot() + layout.heap_offset(), layout.heap_bytes, base::config().check);
  }
  Group& world = world_group();
  if (world.id < 0) {  // once per process: flags and epochs go on when a job starts again
    world = {.rank = me.ec, .size = me.num_ecs, .first = 0, .stride = 1, .id = 0};
    world.scratch = group_scratch(world.id);
  }
  job = {
      .me = me.ec, .size = me.num_ecs, .is_started = true, .is_spread = me.node_size < me.num_ecs};
}

}  // namespace

uccs_status_t job_start(bool has_threads) {
  const uccs_status_t status = attach_memory();
  if (status != UCCS_OK) return status;
  const std::lock_guard guard(job_lock);
  if (references++ > 0) return UCCS_OK;
  start_first();
  if (!job.is_spread) return UCCS_OK;
  // Held until the job stops: addresses are asked for at any time.
  uccs_status_t spread = rte_init();
  if (spread == UCCS_OK) {
    spread = start_job_context(has_threads);
    if (spread != UCCS_OK) (void)rte_finalize();
  }
  if (spread != UCCS_OK) --references;
  return spread;
}

void job_stop() {
  const std::lock_guard guard(job_lock);
  if (references == 0 || --references > 0) return;
  if (job.is_spread) {
    stop_job_context();
    (void)rte_finalize();
  }
  job.is_started = false;
}

void* internal_allocate(size_t bytes, size_t alignment) {
  const std::lock_guard guard(internal_lock);
  const mem::SlotLayout& layout = node_segment().layout();
  const size_t at = (internal_used + alignment - 1) / alignment * alignment;
  if (at + bytes > layout.internal_bytes)
    base::fatal(
        "UCCS's own shared memory is exhausted (%zu of %zu bytes used, %zu asked for): lower "
        "UCCS_LANES or UCCS_CHANNELS",
        internal_used, layout.internal_bytes, bytes);
  internal_used = at + bytes;
  return own_slot() + layout.internal_offset() + at;
}

namespace {
void report_exhaustion(size_t bytes) {
  static bool is_reported = false;
  if (is_reported || job.me != 0) return;
  is_reported = true;
  if (bytes > PTRDIFF_MAX) {
    base::log_line(base::LogLevel::kError,
                   "%zu bytes of the symmetric heap were asked for, which no machine has: a "
                   "negative number, or a product that is too large, becomes one like this",
                   bytes);
    return;
  }
  base::log_line(
      base::LogLevel::kError,
      "the symmetric heap is exhausted: %zu bytes asked for, %zu of %zu free, the largest "
      "free block has %zu; set SHMEM_SYMMETRIC_SIZE to at least %zu",
      bytes, heap().free_bytes(), heap().total_bytes(), heap().largest_free(),
      heap().total_bytes() - heap().free_bytes() + bytes + (bytes >> 3));
}

/// Under heap_lock.
void fail_if_overrun() {
  if (void* spoiled = heap().first_overrun())
    base::fatal(
        "the %zu bytes at %p of the symmetric heap were overrun: some EC wrote past their end",
        heap().bytes_from(spoiled), spoiled);
}
}  // namespace

void* heap_allocate(size_t bytes, size_t alignment) {
  const std::lock_guard guard(heap_lock);
  if (alignment > mem::kMaxAlignment) {
    base::log_line(base::LogLevel::kError,
                   "the symmetric heap aligns to at most %zu bytes, not to %zu", mem::kMaxAlignment,
                   alignment);
    return nullptr;
  }
  void* block = heap().allocate(bytes, alignment);
  if (!block) report_exhaustion(bytes);
  return block;
}

void* heap_reallocate(void* block, size_t bytes) {
  const std::lock_guard guard(heap_lock);
  if (heap().resize(block, bytes)) return block;
  const size_t held = heap().bytes_from(block);
  if (held == 0) return nullptr;
  void* moved = heap().allocate(bytes, alignof(std::max_align_t));
  if (!moved) {
    report_exhaustion(bytes);
    return nullptr;
  }
  memcpy(moved, block, std::min(held, bytes));
  heap().release(block);
  return moved;
}

bool heap_free(void* block) {
  const std::lock_guard guard(heap_lock);
  fail_if_overrun();
  return heap().release(block);
}

void check_heap_guards() {
  const std::lock_guard guard(heap_lock);
  fail_if_overrun();
}

bool find_heap_block(const void* address, HeapBlock* block_out) {
  const std::lock_guard guard(heap_lock);
  return heap().find(address, &block_out->start, &block_out->bytes);
}

bool heap_has_room(size_t bytes) {
  const std::lock_guard guard(heap_lock);
  return bytes <= heap().largest_free();
}

size_t heap_bytes_from(const void* address) {
  const std::lock_guard guard(heap_lock);
  return heap().bytes_from(address);
}

HeapUse heap_use() {
  const std::lock_guard guard(heap_lock);
  return {heap().total_bytes(), heap().free_bytes(), heap().largest_free()};
}

bool is_symmetric(const void* address) {
  const auto at = reinterpret_cast<uintptr_t>(address);
  const size_t internal = node_segment().layout().internal_bytes;
  return at - direct_map.heap_low - internal < direct_map.heap_bytes - internal ||
         at - direct_map.static_low < direct_map.static_bytes;
}

void fail_symmetric(const char* call, const char* argument, const void* address) {
  base::fatal(
      "%s: %s is %p, which is not symmetric: the symmetric heap (shmem_malloc) and globals of the "
      "executable are; the stack, malloc'ed memory and variables of shared libraries are not",
      call, argument, address);
}

void fail_translate(const char* call, const void* symmetric, int ec) {
  if (!job.is_started)
    base::fatal("%s: called before the library was initialised or after it was finalised", call);
  if (ec < 0 || ec >= job.size)
    base::fatal("%s: there is no PE %d: PEs are numbered 0 to %d", call, ec, job.size - 1);
  base::fatal(
      "%s: address %p is not symmetric: PE %d can be reached in memory from the symmetric heap "
      "(shmem_malloc) and in globals of the executable, not on the stack, in malloc'ed memory "
      "or in a shared library",
      call, symmetric, ec);
}

}  // namespace uccs::core
