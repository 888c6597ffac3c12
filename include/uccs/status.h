// SPDX-License-Identifier: BSD-3-Clause
/// The status codes that every UCCS call answers with.
#ifndef UCCS_STATUS_H
#define UCCS_STATUS_H

#include "uccs/export.h"

#ifdef __cplusplus
extern "C" {
#endif

/// 0 is success, positive values are not errors, negative values are.
/// Errors are grouped by what they destroy: nothing, the operation, the peer, the job.
typedef enum uccs_status {
  UCCS_OK = 0,
  /// The operation was started; its request says when it is done.
  UCCS_IN_PROGRESS = 1,
  /// Nothing happened because a bounded resource is full: make progress, then call again.
  UCCS_AGAIN = 2,

  /* The call was wrong; nothing happened and everything is as before. */
  UCCS_ERR_INVALID = -1,      ///< an argument is out of its range
  UCCS_ERR_UNSUPPORTED = -2,  ///< this build, resource or peer cannot do it
  UCCS_ERR_NO_MEMORY = -3,    ///< memory or the symmetric heap is exhausted
  UCCS_ERR_NOT_FOUND = -4,    ///< no such key, endpoint or handler
  UCCS_ERR_STATE = -5,        ///< not legal now (before init, after finalize, from a handler)
  UCCS_ERR_ADDRESS = -6,  ///< the address belongs to no region that the target can be reached at

  /* The operation is lost; the objects it used are still good. */
  UCCS_ERR_TRUNCATED = -16,  ///< a message was longer than the buffer given for it
  UCCS_ERR_TIMEOUT = -17,    ///< a time limit passed
  UCCS_ERR_CANCELED = -18,   ///< its request, endpoint or context was closed first

  /* The peer is lost. */
  UCCS_ERR_PEER_FAILED = -32,  ///< the target EC ended or became unreachable

  /* The job is lost. */
  UCCS_ERR_RTE = -48,      ///< the launcher is missing, unusable or gone
  UCCS_ERR_SYSTEM = -49,   ///< the operating system refused (errno was logged)
  UCCS_ERR_INTERNAL = -50  ///< an invariant of UCCS is broken: please report it
} uccs_status_t;

/// The one-line meaning of `status`. Never NULL; the string is static. Thread safe, at any time.
UCCS_API const char* uccs_status_string(uccs_status_t status);

#ifdef __cplusplus
}
#endif
#endif
