// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include "models/gasnet/job.hpp"

/// What happens when loads and stores do not reach a node's memory: operations of the substrate,
/// which may complete later. Everything here is per thread, as GASNet's handles are.
namespace uccs::gasnet {

/// Remote memory as core wants it named.
struct Remote {
  uccs_region_t region;
  void* address;
};

/// Where `bytes` (1 or more) at `address` of `node` are; false when that is no memory of it that
/// peers reach.
bool find_remote(int node, const void* address, size_t bytes, Remote* remote_out);

/// For calls that return an error: GASNET_ERR_BAD_ARG, logged.
[[gnu::cold]] int refuse_address(const char* call, int node, const void* address, size_t bytes);

struct Operation;

/// Operations that complete together: what a handle stands for. Empty is complete.
struct Batch {
  Operation* first = nullptr;
  Batch* next = nullptr;  ///< among the thread's that are not empty
  Batch* previous = nullptr;
};

/// Puts of any size, complete on return.
void put_and_wait(const char* call, int node, const Remote& dest, const void* source, size_t bytes);

/// How a slow operation is to be completed.
enum class Sync : uint8_t {
  kBlocking,  ///< on return
  kHandle,    ///< the answer is the handle
  kImplicit   ///< with the thread's implicit ones, or the access region it is in
};

/// Does what the fast path could not, or ends the job with the reason. `frees_source`: the source
/// is free on return.
[[gnu::cold]] gasnet_handle_t slow_put(const char* call, Sync sync, uint32_t node, void* dest,
                                       const void* source, size_t bytes, bool frees_source);
[[gnu::cold]] gasnet_handle_t slow_get(const char* call, Sync sync, void* dest, uint32_t node,
                                       const void* source, size_t bytes);
/// Complete on return.
[[gnu::cold]] void slow_memset(const char* call, uint32_t node, void* dest, int value,
                               size_t bytes);

/// A put that is done but for the fence of its sync: the handle of all fast puts.
inline gasnet_handle_t stored_handle() { return reinterpret_cast<gasnet_handle_t>(1); }

/// A handle that is neither invalid nor stored_handle() is a Batch. True: complete, and freed.
bool finish_handle(gasnet_handle_t handle);

/// The thread's implicit operations, by kind.
bool has_implicit();  ///< ever had any: else the next two are true
bool finish_puts();
bool finish_gets();

void begin_region();
gasnet_handle_t end_region();

}  // namespace uccs::gasnet
