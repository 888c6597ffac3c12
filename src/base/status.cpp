// SPDX-License-Identifier: BSD-3-Clause
#include "uccs/status.h"

extern "C" const char* uccs_status_string(uccs_status_t status) {
  switch (status) {
    case UCCS_OK:
      return "success";
    case UCCS_IN_PROGRESS:
      return "in progress";
    case UCCS_AGAIN:
      return "a resource is full for now; make progress and call again";
    case UCCS_ERR_INVALID:
      return "an argument is out of its range";
    case UCCS_ERR_UNSUPPORTED:
      return "not supported by this build, resource or peer";
    case UCCS_ERR_NO_MEMORY:
      return "out of memory";
    case UCCS_ERR_NOT_FOUND:
      return "not found";
    case UCCS_ERR_STATE:
      return "not legal in this state";
    case UCCS_ERR_ADDRESS:
      return "the address is in no region the target can be reached at";
    case UCCS_ERR_TRUNCATED:
      return "the message is longer than its buffer";
    case UCCS_ERR_TIMEOUT:
      return "the time limit passed";
    case UCCS_ERR_CANCELED:
      return "canceled, because its owner was closed first";
    case UCCS_ERR_PEER_FAILED:
      return "the peer ended or is unreachable";
    case UCCS_ERR_RTE:
      return "the launcher is missing, unusable or gone";
    case UCCS_ERR_SYSTEM:
      return "the operating system refused";
    case UCCS_ERR_INTERNAL:
      return "internal error, please report it";
  }
  return "unknown status";
}
