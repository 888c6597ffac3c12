// SPDX-License-Identifier: BSD-3-Clause
#include "models/shmem/check_far.hpp"

#include "base/log.hpp"
#include "core/remote.hpp"
#include "core/request.hpp"
#include "models/shmem/waiting.hpp"
#include "uccs/rma.h"

namespace uccs::shmem {

void fetch(const char* call, void* out, const void* mine, size_t bytes, int ec) {
  core::Endpoint* const from = core::remote_endpoint(ec);
  uccs_request_t request = UCCS_REQUEST_NULL;
  Waiting waiting(call);
  uccs_status_t status;
  while ((status = uccs_get_contiguous_nb(from, UCCS_REGION_SYMMETRIC, out, mine, bytes,
                                          &request)) == UCCS_AGAIN)
    waiting.pause();
  if (status == UCCS_IN_PROGRESS && request != UCCS_REQUEST_NULL)
    while ((status = core::look(&request)) == UCCS_IN_PROGRESS) waiting.pause();
  if (status < 0)
    base::fatal("%s: what PE %d on %s is in cannot be read: %s", call, ec, core::host_of(ec),
                uccs_status_string(status));
}

}  // namespace uccs::shmem
