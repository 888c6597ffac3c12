// SPDX-License-Identifier: BSD-3-Clause
/// Completion of operations. Include `uccs/uccs.h` in programs.
#ifndef UCCS_REQUEST_H
#define UCCS_REQUEST_H

#include "uccs/types.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Every call whose name ends in `_nb` answers with one of
///   - UCCS_OK: the operation is complete; *request_out is UCCS_REQUEST_NULL and nothing was
///   allocated;
///   - UCCS_IN_PROGRESS: it was started; *request_out names it until a test or wait finds it done;
///   - UCCS_AGAIN: nothing happened because a bounded resource is full: make progress, then call
///   again;
///   - an error: nothing happened.
/// `request_out` may be NULL: the operation is then completed by uccs_flush, and an error of it
/// ends the job. A request may be tested by any thread, by one at a time. In the calls below
/// UCCS_REQUEST_NULL counts as complete.

/// Looks whether `*request` is complete and makes progress when it is not.
/// `request`: not NULL; set to UCCS_REQUEST_NULL when the operation is complete or lost.
/// Returns UCCS_OK, UCCS_IN_PROGRESS, or the error of the operation.
/// Threads: any. Progress: runs callbacks, does not block; from a callback it only looks.
UCCS_API UCCS_NODISCARD uccs_status_t uccs_test(uccs_request_t* request);

/// Waits until `*request` is complete.
/// Returns UCCS_OK, or the error of the operation; UCCS_ERR_STATE from a callback when it would
/// wait. Threads: any. Progress: runs callbacks, blocks.
UCCS_API UCCS_NODISCARD uccs_status_t uccs_wait(uccs_request_t* request);

/// As uccs_test for the first complete one of `count` requests.
/// `requests`: `count` handles; the one found becomes UCCS_REQUEST_NULL. Null handles are passed
/// over. `index_out`: which; `count` when all handles are null. Returns UCCS_OK or the error of
/// that operation (index_out is set), or UCCS_IN_PROGRESS (it is not).
UCCS_API UCCS_NODISCARD uccs_status_t uccs_test_any(uccs_request_t requests[], size_t count,
                                                    size_t* index_out);
/// As uccs_test_any, but waits.
UCCS_API UCCS_NODISCARD uccs_status_t uccs_wait_any(uccs_request_t requests[], size_t count,
                                                    size_t* index_out);

/// UCCS_OK when all of `count` requests are complete; they are null then. UCCS_IN_PROGRESS when one
/// is not; those that are complete are null already. An operation that was lost makes this return
/// its error (the first of several) once all are complete or lost.
UCCS_API UCCS_NODISCARD uccs_status_t uccs_test_all(uccs_request_t requests[], size_t count);
/// As uccs_test_all, but waits.
UCCS_API UCCS_NODISCARD uccs_status_t uccs_wait_all(uccs_request_t requests[], size_t count);

/// Finds all requests that are complete now.
/// `indices_out`: room for `count`; `done_out`: how many were found. They become null.
/// Returns UCCS_OK when at least one was found or all handles were null, UCCS_IN_PROGRESS when
/// none, or the error of the first found that was lost.
UCCS_API UCCS_NODISCARD uccs_status_t uccs_test_some(uccs_request_t requests[], size_t count,
                                                     size_t indices_out[], size_t* done_out);
/// As uccs_test_some, but waits for the first.
UCCS_API UCCS_NODISCARD uccs_status_t uccs_wait_some(uccs_request_t requests[], size_t count,
                                                     size_t indices_out[], size_t* done_out);

/// Completes all puts, gets, atomics and large messages posted on `count` endpoints, by any thread:
/// their data is visible at the target. Short and medium messages have left their source; whether
/// their callbacks have run is not known.
/// Returns UCCS_OK; UCCS_ERR_INVALID for a NULL array with count > 0; UCCS_ERR_STATE from a
/// callback when it would wait. Threads: any; operations that other threads post meanwhile may or
/// may not be covered. Progress: runs callbacks, blocks. Cost: a full memory fence when nothing is
/// under way.
UCCS_API uccs_status_t uccs_flush(const uccs_endpoint_t endpoints[], size_t count);

/// As uccs_flush for all endpoints of the context.
UCCS_API uccs_status_t uccs_context_flush(uccs_context_t context);

/// Orders: puts, atomics and messages that the calling thread posted before are delivered at each
/// EC before those it posts afterwards. Completes nothing else.
/// Returns UCCS_OK, or UCCS_ERR_STATE as uccs_flush. Threads: any. Progress: waits and runs
/// callbacks only while operations that a resource cannot order are under way. Cost: a store fence
/// otherwise.
UCCS_API uccs_status_t uccs_fence(uccs_context_t context);

#ifdef __cplusplus
}
#endif
#endif
