// SPDX-License-Identifier: BSD-3-Clause
#include "models/shmem/heaps.hpp"

#include <shmemx.h>

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <cstring>
#include <mutex>
#include <new>
#include <string>

#include "base/log.hpp"
#include "core/job.hpp"
#include "mem/heap.hpp"
#include "models/shmem/collectives.hpp"

struct uccs_shmem_space {
  uccs::mem::Heap heap;
  std::byte* base = nullptr;  ///< in the symmetric heap
  size_t bytes = 0;
  int index = -1;    ///< of a named heap
  std::string name;  ///< empty: none
  uccs_shmem_space* next = nullptr;
};

namespace uccs::shmem {
namespace {

constexpr size_t kAlignment = 64;  // as in the symmetric heap

std::mutex lock;  // guards spaces, what they hold, and next_index
std::atomic<uccs_shmem_space*> spaces{nullptr};
int next_index = 1;  // 0 is the symmetric heap

template <class Is>
uccs_shmem_space* find(const Is& is) {
  for (uccs_shmem_space* space = spaces; space != nullptr; space = space->next)
    if (is(*space)) return space;
  return nullptr;
}

uccs_shmem_space* by_index(int index) {
  const std::lock_guard guard(lock);
  return find([=](const uccs_shmem_space& space) { return space.index == index; });
}

/// Collective: the space's memory is a block of the symmetric heap.
uccs_shmem_space* create(size_t bytes, const char* name) {
  void* const base = pshmem_align(4096, std::max<size_t>(bytes, 1));
  if (base == nullptr) return nullptr;
  auto* const space = new uccs_shmem_space;
  space->base = static_cast<std::byte*>(base);
  space->bytes = std::max<size_t>(bytes, 1);
  space->heap.reset(space->base, space->bytes, false);
  const std::lock_guard guard(lock);
  if (name != nullptr) {
    space->name = name;
    space->index = next_index++;
  }
  space->next = spaces;
  spaces = space;
  return space;
}

void* allocate(uccs_shmem_space* space, size_t bytes, size_t alignment, bool is_zeroed,
               bool synchronises) {
  if (space == nullptr || bytes == 0) return nullptr;
  void* block;
  {
    const std::lock_guard guard(lock);
    block = space->heap.allocate(bytes, std::max(alignment, kAlignment));
  }
  if (block != nullptr && is_zeroed) std::memset(block, 0, bytes);
  if (synchronises) barrier_all();
  return block;
}

size_t product(size_t count, size_t size) {
  size_t bytes;
  return __builtin_mul_overflow(count, size, &bytes) ? SIZE_MAX : bytes;
}

void check_alignment(size_t alignment, const char* call) {
  if (alignment == 0 || (alignment & (alignment - 1)) != 0)
    base::fatal("%s: alignment is %zu: powers of two are legal", call, alignment);
}

/// The named heap of `index`, nullptr for the symmetric heap.
uccs_shmem_space* heap_at(int index, const char* call) {
  if (index == SHMEMX_HEAP_SYMMETRIC) return nullptr;
  uccs_shmem_space* const space = by_index(index);
  if (space == nullptr) base::fatal("%s: there is no heap %d", call, index);
  return space;
}

int index_of(const char* name, const char* call) {
  const int index = pshmemx_name_to_index(name);
  if (index < 0) base::fatal("%s: there is no heap named \"%s\"", call, name);
  return index;
}

shmemx_heap_info_t info_of(uccs_shmem_space* space) {
  const std::lock_guard guard(lock);
  return {space->bytes, space->heap.free_bytes(), space->heap.largest_free()};
}

shmemx_heap_info_t symmetric_info() {
  const core::HeapUse use = core::heap_use();
  return {use.total, use.available, use.largest};
}

}  // namespace

uccs_shmem_space* space_of(const void* address) {
  if (spaces.load(std::memory_order_acquire) == nullptr) return nullptr;
  const std::lock_guard guard(lock);
  return find([=](const uccs_shmem_space& space) {
    return static_cast<size_t>(static_cast<const std::byte*>(address) - space.base) < space.bytes;
  });
}

bool space_free(uccs_shmem_space* space, void* block) {
  const std::lock_guard guard(lock);
  return space->heap.release(block);
}

void* space_reallocate(uccs_shmem_space* space, void* block, size_t bytes) {
  const std::lock_guard guard(lock);
  if (space->heap.resize(block, bytes)) return block;
  void* const moved = space->heap.allocate(bytes, kAlignment);
  if (moved == nullptr) return nullptr;
  std::memcpy(moved, block, std::min(space->heap.bytes_from(block), bytes));
  space->heap.release(block);
  return moved;
}

size_t space_bytes_from(uccs_shmem_space* space, const void* address) {
  const std::lock_guard guard(lock);
  return space->heap.bytes_from(address);
}

void end_all_spaces() {
  const std::lock_guard guard(lock);
  while (uccs_shmem_space* const space = spaces) {
    spaces = space->next;
    delete space;
  }
  next_index = 1;
}

}  // namespace uccs::shmem

using namespace uccs;
using namespace uccs::shmem;

UCCS_SHMEMX(void, space_create, (shmemx_space_config_t config, shmemx_space_t* space)) {
  *space = SHMEMX_SPACE_INVALID;
  if (config.memkind == SHMEMX_MEM_CUDA || config.memkind == SHMEMX_MEM_ZE) {
    if (core::job.me == 0)
      base::log_line(base::LogLevel::kError,
                     "shmemx_space_create: memkind %d: device memory is not supported, only "
                     "SHMEMX_MEM_HOST (%d) is",
                     static_cast<int>(config.memkind), SHMEMX_MEM_HOST);
    return;
  }
  *space = create(config.sheap_size, nullptr);
}

UCCS_SHMEMX(void, space_destroy, (shmemx_space_t space)) {
  if (space == SHMEMX_SPACE_INVALID) return;
  barrier_all();  // nobody uses it any more
  {
    const std::lock_guard guard(lock);
    uccs_shmem_space* const before =
        find([=](const uccs_shmem_space& candidate) { return candidate.next == space; });
    if (space == spaces)
      spaces = space->next;
    else if (before != nullptr)
      before->next = space->next;
    else
      base::fatal("shmemx_space_destroy: %p is no space: it was destroyed already, or never made",
                  static_cast<void*>(space));
  }
  void* const base = space->base;
  delete space;
  pshmem_free(base);
}

// All PEs of the node map the memory from the start.
UCCS_SHMEMX(void, space_attach, (shmemx_space_t)) { barrier_all(); }
UCCS_SHMEMX(void, space_detach, (shmemx_space_t)) { barrier_all(); }

UCCS_SHMEMX(int, space_create_ctx, (shmemx_space_t, long options, shmem_ctx_t* ctx)) {
  return pshmem_ctx_create(options, ctx);
}

UCCS_SHMEMX(void*, space_malloc, (shmemx_space_t space, size_t size)) {
  return allocate(space, size, kAlignment, false, true);
}
UCCS_SHMEMX(void*, space_malloc_with_hints, (shmemx_space_t space, size_t size, long hints)) {
  return allocate(space, size, kAlignment, false, (hints & SHMEMX_MALLOC_NO_BARRIER) == 0);
}
UCCS_SHMEMX(void*, space_calloc, (shmemx_space_t space, size_t count, size_t size)) {
  return allocate(space, product(count, size), kAlignment, true, true);
}
UCCS_SHMEMX(void*, space_align, (shmemx_space_t space, size_t alignment, size_t size)) {
  check_alignment(alignment, "shmemx_space_align");
  return allocate(space, size, alignment, false, true);
}
UCCS_SHMEMX(int, space_query, (shmemx_space_t space, shmemx_heap_info_t* info)) {
  if (space == SHMEMX_SPACE_INVALID) return -1;
  *info = info_of(space);
  return 0;
}

UCCS_SHMEMX(shmemx_heap_index_t, heap_create_by_name, (const char* name, size_t size)) {
  if (name == nullptr || *name == '\0' || pshmemx_name_to_index(name) >= 0) return -1;
  const uccs_shmem_space* const space = create(size, name);
  return space != nullptr ? space->index : -1;
}
UCCS_SHMEMX(shmemx_heap_index_t, name_to_index, (const char* name)) {
  if (strcmp(name, SHMEMX_HEAP_SYMMETRIC_NAME) == 0) return SHMEMX_HEAP_SYMMETRIC;
  const std::lock_guard guard(lock);
  const uccs_shmem_space* const space =
      find([=](const uccs_shmem_space& candidate) { return candidate.name == name; });
  return space != nullptr ? space->index : -1;
}
UCCS_SHMEMX(const char*, index_to_name, (shmemx_heap_index_t index)) {
  if (index == SHMEMX_HEAP_SYMMETRIC) return SHMEMX_HEAP_SYMMETRIC_NAME;
  const uccs_shmem_space* const space = index > 0 ? by_index(index) : nullptr;
  return space != nullptr ? space->name.c_str() : nullptr;
}
UCCS_SHMEMX(int, heap_query_by_index, (shmemx_heap_index_t index, shmemx_heap_info_t* info)) {
  uccs_shmem_space* const space = index > 0 ? by_index(index) : nullptr;
  if (space == nullptr && index != SHMEMX_HEAP_SYMMETRIC) return -1;
  *info = space != nullptr ? info_of(space) : symmetric_info();
  return 0;
}
UCCS_SHMEMX(size_t, heap_total, (void)) { return symmetric_info().total; }
UCCS_SHMEMX(size_t, heap_available, (void)) { return symmetric_info().available; }
UCCS_SHMEMX(size_t, heap_largest, (void)) { return symmetric_info().largest; }

UCCS_SHMEMX(void*, malloc_by_index, (shmemx_heap_index_t index, size_t size)) {
  uccs_shmem_space* const space = heap_at(index, "shmemx_malloc_by_index");
  return space != nullptr ? pshmemx_space_malloc(space, size) : pshmem_malloc(size);
}
UCCS_SHMEMX(void*, calloc_by_index, (shmemx_heap_index_t index, size_t count, size_t size)) {
  uccs_shmem_space* const space = heap_at(index, "shmemx_calloc_by_index");
  return space != nullptr ? pshmemx_space_calloc(space, count, size) : pshmem_calloc(count, size);
}
UCCS_SHMEMX(void*, align_by_index, (shmemx_heap_index_t index, size_t alignment, size_t size)) {
  uccs_shmem_space* const space = heap_at(index, "shmemx_align_by_index");
  return space != nullptr ? pshmemx_space_align(space, alignment, size)
                          : pshmem_align(alignment, size);
}
UCCS_SHMEMX(void*, realloc_by_index, (shmemx_heap_index_t index, void* ptr, size_t size)) {
  return ptr != nullptr ? pshmem_realloc(ptr, size) : pshmemx_malloc_by_index(index, size);
}
UCCS_SHMEMX(void, free_by_index, (shmemx_heap_index_t, void* ptr)) { pshmem_free(ptr); }

UCCS_SHMEMX(void*, malloc_by_name, (const char* name, size_t size)) {
  return pshmemx_malloc_by_index(index_of(name, "shmemx_malloc_by_name"), size);
}
UCCS_SHMEMX(void*, calloc_by_name, (const char* name, size_t count, size_t size)) {
  return pshmemx_calloc_by_index(index_of(name, "shmemx_calloc_by_name"), count, size);
}
UCCS_SHMEMX(void*, align_by_name, (const char* name, size_t alignment, size_t size)) {
  return pshmemx_align_by_index(index_of(name, "shmemx_align_by_name"), alignment, size);
}
UCCS_SHMEMX(void*, realloc_by_name, (const char* name, void* ptr, size_t size)) {
  return pshmemx_realloc_by_index(index_of(name, "shmemx_realloc_by_name"), ptr, size);
}
UCCS_SHMEMX(void, free_by_name, (const char*, void* ptr)) { pshmem_free(ptr); }
