// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include <cstddef>

#include "uccs/status.h"

namespace uccs::core {

/// This process in its job. Constant between `job_start` and `job_stop`.
struct Job {
  int me = 0;
  int size = 1;
  bool is_started = false;
  bool is_spread = false;  ///< over several nodes
};
extern Job job;

/// Brings up identity, memory and the shared-memory transport: node segment, static data, symmetric
/// heap. Reference counted; quick and local but for one agreement with the node's first EC.
/// Called by every model's init and by uccs_context_create. Thread safe.
///
/// `has_threads`: of the program, several communicate through the model. Whoever starts the job
/// first decides whether each of them then has a way to the network of its own.
uccs_status_t job_start(bool has_threads);

/// Ends what the matching job_start began; the last one synchronises nothing (models do) and
/// releases the heap.
void job_stop();

/// The symmetric heap. All three must be called by all ECs in the same order with the same
/// arguments; they do not synchronise (the caller adds the barriers its standard asks for).
/// Exhaustion: nullptr, and one line that names the sizes and SHMEM_SYMMETRIC_SIZE.
void* heap_allocate(size_t bytes, size_t alignment);
void* heap_reallocate(void* block,
                      size_t bytes);  ///< moves local contents; nullptr leaves block as is
bool heap_free(void* block);          ///< false: not a live allocation

/// Bytes of the live allocation that holds `address`, counted from `address` to its end; 0 if none.
size_t heap_bytes_from(const void* address);

/// The symmetric heap in bytes; guards and rounding count as used.
struct HeapUse {
  size_t total, available, largest;  ///< `largest` is that of one free range
};
HeapUse heap_use();
/// The live allocation that holds `address`; false outside of any.
struct HeapBlock {
  void* start;
  size_t bytes;  ///< asked for
};
bool find_heap_block(const void* address, HeapBlock* block_out);

/// True if an allocation of `bytes`, of the least alignment, would succeed.
bool heap_has_room(size_t bytes);

/// Ends the job if some EC wrote past the end of a block (found in check mode only).
void check_heap_guards();

/// Internal symmetric memory (zero at first, never freed): same rules, for lanes and group scratch.
void* internal_allocate(size_t bytes, size_t alignment);

/// Why `translate` said no for an operation that had to succeed: ends the job with a message that
/// names this EC, the call, the argument and what is legal.
[[noreturn]] void fail_translate(const char* call, const void* symmetric, int ec);

/// The same for an argument that is not symmetric.
[[noreturn]] void fail_symmetric(const char* call, const char* argument, const void* address);

/// True for addresses in the heap or the executable's writable data.
bool is_symmetric(const void* address);

}  // namespace uccs::core
