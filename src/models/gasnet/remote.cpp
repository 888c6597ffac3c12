// SPDX-License-Identifier: BSD-3-Clause
#include "models/gasnet/remote.hpp"

#include <string.h>

#include <algorithm>
#include <new>

#include "base/log.hpp"
#include "core/request.hpp"
#include "models/gasnet/waiting.hpp"

namespace uccs::gasnet {

/// One request of core. Completed ones are given back to core as soon as somebody looks, so that
/// handles which wait for their sync do not use up its pool.
struct Operation {
  uccs_request_t request = UCCS_REQUEST_NULL;
  Operation* next = nullptr;
};

namespace {

/// What a thread has under way. Made at its first slow operation.
class Operations {
 public:
  Operations() = default;
  ~Operations() {
    while (Operation* operation = free_) {
      free_ = operation->next;
      delete operation;
    }
    delete region;
  }
  Operations(const Operations&) = delete;
  Operations& operator=(const Operations&) = delete;

  Batch puts;
  Batch gets;
  Batch* region = nullptr;  ///< of the access region the thread is in, once it has operations

  void enter(Batch* batch, Operation* operation) {
    if (!batch->first) open(batch);
    operation->next = batch->first;
    batch->first = operation;
  }

  Operation* take() {
    Operation* operation = free_;
    if (operation) {
      free_ = operation->next;
    } else {
      operation = new (std::nothrow) Operation;
      if (!operation) base::fatal("out of memory for non-blocking operations of GASNet");
    }
    operation->request = UCCS_REQUEST_NULL;
    return operation;
  }
  void give_back(Operation* operation) {
    operation->next = free_;
    free_ = operation;
  }

  /// Takes what is complete out of the batch; true when nothing is left.
  bool drain(Batch* batch) {
    if (!batch->first) return true;
    for (Operation** at = &batch->first; Operation* operation = *at;) {
      const uccs_status_t status = core::look(&operation->request);
      if (status == UCCS_IN_PROGRESS) {
        at = &operation->next;
        continue;
      }
      if (status != UCCS_OK)
        base::fatal("a non-blocking operation of GASNet failed: %s", uccs_status_string(status));
      *at = operation->next;
      give_back(operation);
    }
    if (batch->first) return false;
    close(batch);
    return true;
  }
  void drain_all() {
    for (Batch* batch = opened_; batch;) {
      Batch* const next = batch->next;
      drain(batch);
      batch = next;
    }
  }

 private:
  void open(Batch* batch) {
    batch->previous = nullptr;
    batch->next = opened_;
    if (opened_) opened_->previous = batch;
    opened_ = batch;
  }
  void close(Batch* batch) {
    (batch->previous ? batch->previous->next : opened_) = batch->next;
    if (batch->next) batch->next->previous = batch->previous;
  }

  Batch* opened_ = nullptr;  ///< those that have operations
  Operation* free_ = nullptr;
};

thread_local constinit Operations* mine [[gnu::tls_model("initial-exec")]] = nullptr;
thread_local constinit bool is_in_region [[gnu::tls_model("initial-exec")]] = false;

Operations& operations() {
  if (!mine) {
    static thread_local Operations instance;
    mine = &instance;
  }
  return *mine;
}

Batch* new_batch() {
  auto* batch = new (std::nothrow) Batch;
  if (!batch) base::fatal("out of memory for non-blocking operations of GASNet");
  return batch;
}

/// Where an operation is entered.
Batch* batch_for(Sync sync, bool is_put) {
  if (sync != Sync::kImplicit) return new_batch();
  if (!is_in_region) return is_put ? &operations().puts : &operations().gets;
  Batch*& region = operations().region;
  if (!region) region = new_batch();
  return region;
}

/// Posts until core takes it, and enters what is not complete. Answers as core's call.
template <typename Post>
uccs_status_t post_into(const char* call, Batch* batch, Post post) {
  Operations& all = operations();
  Operation* operation = all.take();
  uccs_status_t status = post(&operation->request);
  if (status == UCCS_AGAIN) {
    Waiting waiting(call);
    do {
      all.drain_all();  // requests of core that are complete make room
      waiting.pause();
      status = post(&operation->request);
    } while (status == UCCS_AGAIN);
    waiting.end();
  }
  if (status == UCCS_IN_PROGRESS) {
    all.enter(batch, operation);
  } else {
    all.give_back(operation);
  }
  return status;
}

void wait_for_batch(const char* call, Batch* batch) {
  wait_for(call, [batch] { return operations().drain(batch); });
}

/// The answer of a call whose operation was entered in `batch`.
gasnet_handle_t conclude(const char* call, Sync sync, Batch* batch, bool must_wait) {
  if (sync == Sync::kBlocking || must_wait) wait_for_batch(call, batch);
  if (sync == Sync::kImplicit) return GASNET_INVALID_HANDLE;
  return finish_handle(batch) ? GASNET_INVALID_HANDLE : batch;
}

[[noreturn, gnu::cold]] void fail(const char* call, uint32_t node, const void* address,
                                  size_t bytes) {
  if (attached.map.nodes == 0)
    base::fatal("%s: called before gasnet_attach; call gasnet_init and gasnet_attach first", call);
  if (node >= attached.map.nodes)
    base::fatal("%s: there is no node %u: nodes are numbered 0 to %u", call, node,
                attached.map.nodes - 1);
  const gasnet_seginfo_t& segment = attached.segments[node];
  if (attached.is_everything)
    base::fatal("%s: node %u has no memory for %zu bytes at %p", call, node, bytes, address);
  base::fatal(
      "%s: %zu bytes at %p are not in the segment of node %u, which has %zu bytes at %p there",
      call, bytes, address, node, segment.size, segment.addr);
}

Remote remote_or_fail(const char* call, uint32_t node, const void* address, size_t bytes) {
  Remote remote;
  if (node >= attached.map.nodes || !find_remote(static_cast<int>(node), address, bytes, &remote))
    fail(call, node, address, bytes);
  return remote;
}

}  // namespace

bool find_remote(int node, const void* address, size_t bytes, Remote* remote_out) {
  if (attached.is_everything) {
    *remote_out = {attached.regions[node], const_cast<void*>(address)};
    return true;
  }
  const gasnet_seginfo_t& segment = attached.segments[node];
  const uintptr_t offset =
      reinterpret_cast<uintptr_t>(address) - reinterpret_cast<uintptr_t>(segment.addr);
  if (offset >= segment.size || bytes > segment.size - offset) return false;
  auto* own = static_cast<std::byte*>(attached.segments[gasnet_mynode()].addr);
  *remote_out = {UCCS_REGION_SYMMETRIC, own + offset};
  return true;
}

int refuse_address(const char* call, int node, const void* address, size_t bytes) {
  const gasnet_seginfo_t& segment = attached.segments[node];
  return refuse(
      GASNET_ERR_BAD_ARG, call,
      "%zu bytes at %p are not in the segment of node %d, which has %zu bytes at %p there", bytes,
      address, node, segment.size, segment.addr);
}

void put_and_wait(const char* call, int node, const Remote& dest, const void* source,
                  size_t bytes) {
  Batch* batch = new_batch();
  const uccs_status_t status = post_into(call, batch, [&](uccs_request_t* request) {
    return uccs_put_contiguous_nb(attached.endpoints[node], dest.region, dest.address, source,
                                  bytes, request);
  });
  if (status < 0) fail(call, static_cast<uint32_t>(node), dest.address, bytes);
  conclude(call, Sync::kBlocking, batch, true);
}

gasnet_handle_t slow_put(const char* call, Sync sync, uint32_t node, void* dest, const void* source,
                         size_t bytes, bool frees_source) {
  if (bytes == 0) return GASNET_INVALID_HANDLE;
  const Remote remote = remote_or_fail(call, node, dest, bytes);
  uccs_endpoint_t endpoint = attached.endpoints[node];
  const bool is_medium = frees_source && bytes <= UCCS_RMA_MEDIUM_MAX;
  Batch* batch = batch_for(sync, true);
  const uccs_status_t status = post_into(call, batch, [&](uccs_request_t* request) {
    return is_medium ? uccs_put_contiguous_medium_nb(endpoint, remote.region, remote.address,
                                                     source, bytes, request)
                     : uccs_put_contiguous_nb(endpoint, remote.region, remote.address, source,
                                              bytes, request);
  });
  if (status < 0) fail(call, node, dest, bytes);
  return conclude(call, sync, batch, frees_source && !is_medium);
}

gasnet_handle_t slow_get(const char* call, Sync sync, void* dest, uint32_t node, const void* source,
                         size_t bytes) {
  if (bytes == 0) return GASNET_INVALID_HANDLE;
  const Remote remote = remote_or_fail(call, node, source, bytes);
  Batch* batch = batch_for(sync, false);
  const uccs_status_t status = post_into(call, batch, [&](uccs_request_t* request) {
    return uccs_get_contiguous_nb(attached.endpoints[node], remote.region, dest, remote.address,
                                  bytes, request);
  });
  if (status < 0) fail(call, node, source, bytes);
  return conclude(call, sync, batch, false);
}

void slow_memset(const char* call, uint32_t node, void* dest, int value, size_t bytes) {
  if (bytes == 0) return;
  const Remote remote = remote_or_fail(call, node, dest, bytes);
  std::byte pattern[UCCS_RMA_MEDIUM_MAX];
  memset(pattern, value, std::min(bytes, sizeof pattern));
  for (size_t done = 0; done < bytes; done += sizeof pattern) {
    const Remote piece = {remote.region, static_cast<std::byte*>(remote.address) + done};
    put_and_wait(call, static_cast<int>(node), piece, pattern,
                 std::min(bytes - done, sizeof pattern));
  }
}

bool finish_handle(gasnet_handle_t handle) {
  auto* batch = static_cast<Batch*>(handle);
  if (!operations().drain(batch)) return false;
  delete batch;
  return true;
}

bool has_implicit() { return mine != nullptr; }
bool finish_puts() { return !mine || mine->drain(&mine->puts); }
bool finish_gets() { return !mine || mine->drain(&mine->gets); }

void begin_region() {
  if (is_in_region)
    base::fatal(
        "gasnet_begin_nbi_accessregion: this thread is in an access region already; they do not "
        "nest");
  is_in_region = true;
}

gasnet_handle_t end_region() {
  if (!is_in_region) base::fatal("gasnet_end_nbi_accessregion: this thread is in no access region");
  is_in_region = false;
  if (!mine || !mine->region) return stored_handle();
  Batch* const region = mine->region;
  mine->region = nullptr;
  return region;
}

}  // namespace uccs::gasnet
