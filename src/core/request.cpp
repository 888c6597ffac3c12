// SPDX-License-Identifier: BSD-3-Clause
/// Tests and waits.
#include "core/request.hpp"

#include "core/progress.hpp"

namespace uccs::core {

uccs_status_t look(uccs_request_t* handle) {
  Request* request = *handle;
  if (!request) return UCCS_OK;
  // Acquire: pairs with `complete`; what the operation wrote is visible to the caller.
  if (request->state.load(std::memory_order_acquire) != Request::kDone) return UCCS_IN_PROGRESS;
  const uccs_status_t status = request->status;
  *handle = UCCS_REQUEST_NULL;
  request->home->pool.give_back(request);
  return status;
}

namespace {

/// Calls `attempt` until it does not answer UCCS_IN_PROGRESS, with progress on `context` between.
template <typename Attempt>
uccs_status_t repeat(Context* context, Attempt attempt) {
  uccs_status_t result = UCCS_IN_PROGRESS;
  const uccs_status_t waited = wait_until(context, [&] {
    result = attempt();
    return result != UCCS_IN_PROGRESS;
  });
  return waited == UCCS_OK ? result : waited;
}

/// A context that one of the requests belongs to; nullptr when all are null.
Context* context_of(const uccs_request_t requests[], size_t count) {
  for (size_t i = 0; i < count; ++i)
    if (requests[i]) return requests[i]->context;
  return nullptr;
}

/// One look with progress if it was in vain.
template <typename Attempt>
uccs_status_t once(Context* context, Attempt attempt) {
  const uccs_status_t first = attempt();
  if (first != UCCS_IN_PROGRESS || !context) return first;
  return progress(context, this_thread(context)) > 0 ? attempt() : first;
}

uccs_status_t look_any(uccs_request_t requests[], size_t count, size_t* index_out) {
  bool has_one = false;
  for (size_t i = 0; i < count; ++i) {
    if (!requests[i]) continue;
    has_one = true;
    const uccs_status_t status = look(&requests[i]);
    if (status == UCCS_IN_PROGRESS) continue;
    *index_out = i;
    return status;
  }
  if (has_one) return UCCS_IN_PROGRESS;
  *index_out = count;
  return UCCS_OK;
}

/// Handles stay until all operations are over, so that a repeated test still finds the error.
/// `*over` requests from the first are known to be.
uccs_status_t look_all(uccs_request_t requests[], size_t count, size_t* over) {
  for (; *over < count; ++*over) {
    const Request* request = requests[*over];
    if (request && request->state.load(std::memory_order_acquire) != Request::kDone)
      return UCCS_IN_PROGRESS;
  }
  uccs_status_t first = UCCS_OK;
  for (size_t i = 0; i < count; ++i) {
    const uccs_status_t status = look(&requests[i]);
    if (first == UCCS_OK) first = status;
  }
  return first;
}

uccs_status_t look_some(uccs_request_t requests[], size_t count, size_t indices_out[],
                        size_t* done_out) {
  uccs_status_t first = UCCS_OK;
  bool has_one = false;
  size_t done = 0;
  for (size_t i = 0; i < count; ++i) {
    if (!requests[i]) continue;
    has_one = true;
    const uccs_status_t status = look(&requests[i]);
    if (status == UCCS_IN_PROGRESS) continue;
    indices_out[done++] = i;
    if (first == UCCS_OK) first = status;
  }
  if (done == 0 && has_one) return UCCS_IN_PROGRESS;
  *done_out = done;
  return first;
}

}  // namespace
}  // namespace uccs::core

extern "C" {

using namespace uccs::core;

uccs_status_t uccs_test(uccs_request_t* request) {
  Context* context = *request ? (*request)->context : nullptr;
  return once(context, [&] { return look(request); });
}

uccs_status_t uccs_wait(uccs_request_t* request) {
  if (!*request) return UCCS_OK;
  return repeat((*request)->context, [&] { return look(request); });
}

uccs_status_t uccs_test_any(uccs_request_t requests[], size_t count, size_t* index_out) {
  return once(context_of(requests, count), [&] { return look_any(requests, count, index_out); });
}

uccs_status_t uccs_wait_any(uccs_request_t requests[], size_t count, size_t* index_out) {
  Context* context = context_of(requests, count);
  if (!context) return look_any(requests, count, index_out);
  return repeat(context, [&] { return look_any(requests, count, index_out); });
}

uccs_status_t uccs_test_all(uccs_request_t requests[], size_t count) {
  size_t over = 0;
  return once(context_of(requests, count), [&] { return look_all(requests, count, &over); });
}

uccs_status_t uccs_wait_all(uccs_request_t requests[], size_t count) {
  Context* context = context_of(requests, count);
  if (!context) return UCCS_OK;
  size_t over = 0;
  return repeat(context, [&] { return look_all(requests, count, &over); });
}

uccs_status_t uccs_test_some(uccs_request_t requests[], size_t count, size_t indices_out[],
                             size_t* done_out) {
  return once(context_of(requests, count),
              [&] { return look_some(requests, count, indices_out, done_out); });
}

uccs_status_t uccs_wait_some(uccs_request_t requests[], size_t count, size_t indices_out[],
                             size_t* done_out) {
  Context* context = context_of(requests, count);
  if (!context) return look_some(requests, count, indices_out, done_out);
  return repeat(context, [&] { return look_some(requests, count, indices_out, done_out); });
}

}  // extern "C"
