// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include <cstddef>

#include "models/shmem/check.hpp"
#include "models/shmem/slow.hpp"

/// Puts, gets and atomics that found nothing mapped: looked at if the gate is shut, and then done
/// through core's mapping; the others, and PEs of other nodes, go on to slow.hpp. Names in the
/// messages are those of the standard's arguments.
namespace uccs::shmem {

/// One such operation in check mode: enters the routine, and tells where the target's copy is.
class Access {
 public:
  Access(shmem_ctx_t ctx, const char* call) : entry_(call, ctx), call_(call) {}

  /// Ends the job unless PE `pe` exists, `symmetric` has room for `count` elements, `local` can
  /// hold them, and the two share nothing. nullptr if there is nothing to do in mapped memory.
  void* reach_put(void* dest, const void* source, size_t count, size_t element, int pe);
  const void* reach_get(void* dest, const void* source, size_t count, size_t element, int pe);

  /// The same for one symmetric object of `bytes`, aligned to its size.
  void* reach_word(const char* name, const void* symmetric, size_t bytes, int pe);

  /// The same for blocks with strides; `is_put` says which side is symmetric.
  void* reach_blocks(bool is_put, const void* dest, const void* source, const Blocks& blocks,
                     size_t element, int pe);

  /// `pe` as EC, once an operation was checked.
  int ec() const { return ec_; }

 private:
  void* reach(const Span& symmetric, const Span& local, size_t alignment, int pe);

  Entry entry_;
  const char* call_;
  int ec_ = -1;
};

[[gnu::cold]] void* guarded_word(shmem_ctx_t ctx, const void* symmetric, size_t bytes, int* ec,
                                 const char* call);
/// Where an atomic is done that found nothing mapped, aligned to its size; nullptr: on another
/// node. `ec` is the PE as it was passed, and the EC afterwards.
inline void* unmapped_word(shmem_ctx_t ctx, const void* symmetric, size_t bytes, int* ec,
                           const char* call) {
  return is_guarded ? guarded_word(ctx, symmetric, bytes, ec, call) : nullptr;
}

/// Checks blocks with strides as a whole call does; `ec` is the PE as it was passed, and the EC
/// afterwards.
void* check_blocks(shmem_ctx_t ctx, bool is_put, const void* dest, const void* source,
                   const Blocks& blocks, size_t element, int* ec, const char* call);

}  // namespace uccs::shmem
