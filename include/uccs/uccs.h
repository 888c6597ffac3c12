// SPDX-License-Identifier: BSD-3-Clause
/// UCCS: one communication substrate for partitioned-global-address-space models.
///
/// A program makes a *context*, *endpoints* to the ECs it talks to, and posts operations on them:
///
///     uccs_context_t context;
///     if (uccs_context_create(NULL, &context) != UCCS_OK) return 1;
///     uccs_endpoint_t peer;
///     if (uccs_endpoint_create(context, 1, UCCS_LANE_ANY, &peer) != UCCS_OK) return 1;
///     static long counter;  // globals are symmetric: every EC has one
///     uccs_request_t request;
///     uccs_status_t status = uccs_atomic_add_int64_nb(peer, UCCS_REGION_SYMMETRIC, &counter, 1,
///     &request);
///     ...
///     uccs_context_destroy(context);
///
/// Compile with `oshcc`, start with `uccsrun -n 4 ./program`. All calls are thread safe unless
/// their text says otherwise; all calls but creation and destruction are bounded in memory and
/// answer UCCS_AGAIN rather than queue without limit.
#ifndef UCCS_UCCS_H
#define UCCS_UCCS_H

#include "uccs/am.h"
#include "uccs/atomic.h"
#include "uccs/context.h"
#include "uccs/group.h"
#include "uccs/message.h"
#include "uccs/region.h"
#include "uccs/request.h"
#include "uccs/rma.h"
#include "uccs/status.h"
#include "uccs/types.h"

#endif
