// SPDX-License-Identifier: BSD-3-Clause
#include <shmemx.h>
#include <string.h>

#include "base/log.hpp"
#include "core/direct.hpp"
#include "core/job.hpp"
#include "models/shmem/collectives.hpp"
#include "models/shmem/heaps.hpp"

using namespace uccs;
using namespace uccs::shmem;

namespace {

/// Blocks of different PEs' data share no cache line.
constexpr size_t kAlignment = 64;

/// In check mode: all PEs make the same call, and blocks that are held back give way.
[[gnu::cold]] void look(const char* call, const Agreed& first, const Agreed& second = {}) {
  Collective what;
  what.agreed[0] = first;
  what.agreed[1] = second;
  check_collective(core::world_group(), call, what);
  note_quiet(default_context());
  core::check_heap_guards();
}

Agreed agreed(const char* name, size_t value) { return {name, static_cast<int64_t>(value)}; }

/// A block by its place, which is the same on all PEs.
Agreed agreed_block(const void* block) {
  return {"ptr, as distance from the start of the heap,",
          static_cast<int64_t>(reinterpret_cast<uintptr_t>(block) - core::direct_map.heap_low)};
}

/// Memory, with no barrier.
void* take(size_t bytes, size_t alignment) {
  if (is_guarded && bytes <= PTRDIFF_MAX) [[unlikely]]
    make_room(bytes + alignment);
  return core::heap_allocate(bytes, alignment);
}

void* allocate(size_t bytes, size_t alignment, const char* call, const Agreed& also = {}) {
  const Entry entry(call);
  if (bytes == 0) return nullptr;  // no action, no barrier
  if (entry.is_checked()) [[unlikely]]
    look(call, agreed("size", bytes), also);
  void* const block = take(bytes, alignment);
  barrier_all();
  return block;
}

/// Bytes from `address` to the end of the live block that holds it, which may be in a space.
size_t bytes_from(const void* address) {
  uccs_shmem_space* const space = space_of(address);
  return space != nullptr ? space_bytes_from(space, address) : core::heap_bytes_from(address);
}

void check_block(const void* block, const char* call) {
  core::HeapBlock found;
  const char* const freed = is_guarded ? describe_freed(block) : nullptr;
  if (freed != nullptr) base::fatal("%s: %p is no block any more: %s", call, block, freed);
  uccs_shmem_space* const space = space_of(block);
  if (space != nullptr ? space_bytes_from(space, block) == 0
                       : !core::find_heap_block(block, &found))
    base::fatal(
        "%s: %p is no block of the symmetric heap: it was never allocated, or is freed already",
        call, block);
  if (space == nullptr && found.start != block)
    base::fatal(
        "%s: %p is not the start of a block of the symmetric heap: it is in the block of %zu bytes "
        "at %p",
        call, block, found.bytes, found.start);
}

void release(void* block, const char* call) {
  const Entry entry(call);
  if (block == nullptr) return;
  if (entry.is_checked()) [[unlikely]] {
    check_block(block, call);
    look(call, agreed_block(block));
  }
  barrier_all();  // nobody uses it any more
  check_block(block, call);
  uccs_shmem_space* const space = space_of(block);
  const bool is_block = space != nullptr ? space_free(space, block)
                        : entry.is_checked()
                            ? (note_freed(block, core::heap_bytes_from(block), call), true)
                            : core::heap_free(block);
  if (!is_block)
    base::fatal("%s: %p is not the start of a block of the symmetric heap", call, block);
}

void* reallocate(void* block, size_t bytes, const char* call) {
  if (block == nullptr) return allocate(bytes, kAlignment, call);
  if (bytes == 0) {
    release(block, call);
    return nullptr;
  }
  const Entry entry(call);
  if (entry.is_checked()) [[unlikely]] {
    check_block(block, call);
    look(call, agreed_block(block), agreed("size", bytes));
    if (bytes <= PTRDIFF_MAX) make_room(bytes + kAlignment);
  }
  barrier_all();  // what others put into it is there to be moved
  check_block(block, call);
  uccs_shmem_space* const space = space_of(block);
  void* const moved = space != nullptr ? space_reallocate(space, block, bytes)
                                       : core::heap_reallocate(block, bytes);
  barrier_all();
  return moved;
}

void* allocate_aligned(size_t alignment, size_t bytes, const char* call) {
  if (alignment == 0 || (alignment & (alignment - 1)) != 0)
    base::fatal("%s: alignment is %zu: powers of two are legal", call, alignment);
  if (is_checking() && alignment % sizeof(void*) != 0)
    base::fatal("%s: alignment is %zu: multiples of %zu are legal", call, alignment, sizeof(void*));
  return allocate(bytes, alignment < kAlignment ? kAlignment : alignment, call,
                  agreed("alignment", alignment));
}

}  // namespace

UCCS_SHMEM(void*, malloc, (size_t size)) { return allocate(size, kAlignment, "shmem_malloc"); }

UCCS_SHMEM(void*, malloc_with_hints, (size_t size, long hints)) {
  constexpr const char* call = "shmem_malloc_with_hints";
  if ((hints & SHMEMX_MALLOC_NO_BARRIER) == 0)
    return allocate(size, kAlignment, call, {"hints", hints});
  const Entry entry(call);
  return size != 0 ? take(size, kAlignment) : nullptr;
}

UCCS_SHMEM(void*, calloc, (size_t count, size_t size)) {
  constexpr const char* call = "shmem_calloc";
  const Entry entry(call);
  const size_t bytes = bytes_of(count, size);  // too many: fails as exhausted
  if (bytes == 0) return nullptr;
  if (entry.is_checked()) [[unlikely]]
    look(call, agreed("count", count), agreed("size", size));
  void* const block = take(bytes, kAlignment);
  if (block != nullptr) memset(block, 0, bytes);
  barrier_all();
  return block;
}

UCCS_SHMEM(void*, align, (size_t alignment, size_t size)) {
  return allocate_aligned(alignment, size, "shmem_align");
}

UCCS_SHMEM(void*, realloc, (void* ptr, size_t size)) {
  return reallocate(ptr, size, "shmem_realloc");
}

UCCS_SHMEM(void, free, (void* ptr)) { release(ptr, "shmem_free"); }

UCCS_SHMEMX(size_t, malloc_usable_size, (const void* ptr)) { return bytes_from(ptr); }

extern "C" void* shmalloc(size_t size) { return allocate(size, kAlignment, "shmalloc"); }
extern "C" void shfree(void* ptr) { release(ptr, "shfree"); }
extern "C" void* shrealloc(void* ptr, size_t size) { return reallocate(ptr, size, "shrealloc"); }
extern "C" void* shmemalign(size_t alignment, size_t size) {
  return allocate_aligned(alignment, size, "shmemalign");
}
