// SPDX-License-Identifier: BSD-3-Clause
#include <shmemx.h>
#include <string.h>

#include "base/log.hpp"
#include "core/job.hpp"
#include "models/shmem/collectives.hpp"
#include "models/shmem/heaps.hpp"

using namespace uccs;
using namespace uccs::shmem;

namespace {

/// Blocks of different PEs' data share no cache line.
constexpr size_t kAlignment = 64;

void* allocate(size_t bytes, size_t alignment) {
  if (bytes == 0) return nullptr;  // no action, no barrier
  void* const block = core::heap_allocate(bytes, alignment);
  barrier_all();
  return block;
}

/// Bytes from `address` to the end of the live block that holds it, which may be in a space.
size_t bytes_from(const void* address) {
  uccs_shmem_space* const space = space_of(address);
  return space != nullptr ? space_bytes_from(space, address) : core::heap_bytes_from(address);
}

void check_block(const void* block, const char* call) {
  if (bytes_from(block) == 0)
    base::fatal(
        "%s: %p is no block of the symmetric heap: it was never allocated, or is freed already",
        call, block);
}

void release(void* block, const char* call) {
  if (block == nullptr) return;
  barrier_all();  // nobody uses it any more
  check_block(block, call);
  uccs_shmem_space* const space = space_of(block);
  if (!(space != nullptr ? space_free(space, block) : core::heap_free(block)))
    base::fatal("%s: %p is not the start of a block of the symmetric heap", call, block);
}

void* reallocate(void* block, size_t bytes, const char* call) {
  if (block == nullptr) return allocate(bytes, kAlignment);
  if (bytes == 0) {
    release(block, call);
    return nullptr;
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
  return allocate(bytes, alignment < kAlignment ? kAlignment : alignment);
}

}  // namespace

UCCS_SHMEM(void*, malloc, (size_t size)) { return allocate(size, kAlignment); }

UCCS_SHMEM(void*, malloc_with_hints, (size_t size, long hints)) {
  if ((hints & SHMEMX_MALLOC_NO_BARRIER) == 0) return allocate(size, kAlignment);
  return size != 0 ? core::heap_allocate(size, kAlignment) : nullptr;
}

UCCS_SHMEM(void*, calloc, (size_t count, size_t size)) {
  size_t bytes;
  if (__builtin_mul_overflow(count, size, &bytes)) bytes = SIZE_MAX;  // fails as exhausted
  if (bytes == 0) return nullptr;
  void* const block = core::heap_allocate(bytes, kAlignment);
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

extern "C" void* shmalloc(size_t size) { return allocate(size, kAlignment); }
extern "C" void shfree(void* ptr) { release(ptr, "shfree"); }
extern "C" void* shrealloc(void* ptr, size_t size) { return reallocate(ptr, size, "shrealloc"); }
extern "C" void* shmemalign(size_t alignment, size_t size) {
  return allocate_aligned(alignment, size, "shmemalign");
}
