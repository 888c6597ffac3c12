// SPDX-License-Identifier: BSD-3-Clause
#include "models/shmem/check_rma.hpp"

#include <cstring>

#include "base/log.hpp"
#include "core/direct.hpp"
#include "models/shmem/rma.hpp"

namespace uccs::shmem {
namespace {

/// Bytes from the first block to the last; 0 without blocks.
size_t extent_of(size_t block, size_t blocks, ptrdiff_t stride, size_t element) {
  if (block == 0 || blocks == 0) return 0;
  size_t elements;
  if (__builtin_mul_overflow(blocks - 1, static_cast<size_t>(stride), &elements) ||
      __builtin_add_overflow(elements, block, &elements))
    return SIZE_MAX;
  return bytes_of(elements, element);
}

void check_stride(const char* call, const char* name, ptrdiff_t stride, size_t block) {
  const size_t least = block > 0 ? block : 1;
  if (stride < 1 || static_cast<size_t>(stride) < least)
    base::fatal("%s: %s is %td: a stride counts elements from block to block and is at least %zu",
                call, name, stride, least);
}

/// The standard's name of the word that an atomic or a signal works on.
const char* name_of_word(const char* call) {
  if (strstr(call, "signal") != nullptr) return "sig_addr";
  const char* const end = strstr(call, "_fetch");
  const bool only_reads =
      end != nullptr && (end[sizeof "_fetch" - 1] == '\0' || strcmp(end, "_fetch_nbi") == 0);
  return only_reads ? "source" : "dest";
}

/// What this thread put last: a put with a signal checks the two against each other.
thread_local Span last_put = {};

}  // namespace

void* Access::reach(const Span& symmetric, const Span& local, size_t alignment, int pe) {
  ec_ = check_pe(call_, *entry_.context(), pe);
  check_symmetric(call_, symmetric, alignment);
  check_local(call_, local);
  check_disjoint(call_, symmetric, ec_, local);
  if (symmetric.bytes == 0) return nullptr;
  note_nbi(*entry_.context(), call_);
  return core::translate(symmetric.address, ec_);
}

void* Access::reach_put(void* dest, const void* source, size_t count, size_t element, int pe) {
  const size_t bytes = bytes_of(count, element);
  last_put = {"dest", dest, bytes};
  return reach({"dest", dest, bytes}, {"source", source, bytes}, element, pe);
}

const void* Access::reach_get(void* dest, const void* source, size_t count, size_t element,
                              int pe) {
  const size_t bytes = bytes_of(count, element);
  return reach({"source", source, bytes}, {"dest", dest, bytes}, element, pe);
}

void* Access::reach_word(const char* name, const void* symmetric, size_t bytes, int pe) {
  if (strstr(call_, "put") != nullptr && strstr(call_, "_signal") != nullptr)
    check_disjoint(call_, {name, symmetric, bytes}, last_put, false);
  return reach({name, symmetric, bytes}, {"", nullptr, 0}, bytes, pe);
}

void* Access::reach_blocks(bool is_put, const void* dest, const void* source, const Blocks& blocks,
                           size_t element, int pe) {
  check_stride(call_, "dst", blocks.dest_stride, blocks.block);
  check_stride(call_, "sst", blocks.source_stride, blocks.block);
  const Span to{"dest", dest, extent_of(blocks.block, blocks.blocks, blocks.dest_stride, element)};
  const Span from{"source", source,
                  extent_of(blocks.block, blocks.blocks, blocks.source_stride, element)};
  const Span& symmetric = is_put ? to : from;
  Span local = is_put ? from : to;
  check_local(call_, local);
  // Blocks may lie between each other's without sharing memory.
  if (to.bytes != from.bytes || symmetric.bytes != bytes_of(blocks.block * blocks.blocks, element))
    local.bytes = 0;
  return reach(symmetric, local, element, pe);
}

void* check_blocks(shmem_ctx_t ctx, bool is_put, const void* dest, const void* source,
                   const Blocks& blocks, size_t element, int* ec, const char* call) {
  Access access(ctx, call);
  void* const mapped = access.reach_blocks(is_put, dest, source, blocks, element, *ec);
  *ec = access.ec();
  return mapped;
}

void* guarded_word(shmem_ctx_t ctx, const void* symmetric, size_t bytes, int* ec,
                   const char* call) {
  Access access(ctx, call);
  void* const at = access.reach_word(name_of_word(call), symmetric, bytes, *ec);
  *ec = access.ec();
  return at;
}

void unmapped_put_bytes(shmem_ctx_t ctx, void* dest, const void* source, size_t bytes, int ec,
                        const char* call) {
  if (!is_guarded) return slow_put(ctx, dest, source, bytes, ec, call);
  Access access(ctx, call);
  if (void* const to = access.reach_put(dest, source, bytes, 1, ec))
    store_bytes(to, source, bytes);
  else
    slow_put(ctx, dest, source, bytes, access.ec(), call);
}

void unmapped_get_bytes(shmem_ctx_t ctx, void* dest, const void* source, size_t bytes, int ec,
                        const char* call) {
  if (!is_guarded) return slow_get(ctx, dest, source, bytes, ec, call);
  Access access(ctx, call);
  if (const void* const from = access.reach_get(dest, source, bytes, 1, ec))
    load_bytes(dest, from, bytes);
  else
    slow_get(ctx, dest, source, bytes, access.ec(), call);
}

}  // namespace uccs::shmem
