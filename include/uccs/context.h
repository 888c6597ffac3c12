// SPDX-License-Identifier: BSD-3-Clause
/// Resources, contexts, endpoints and lanes. Include `uccs/uccs.h` in programs.
#ifndef UCCS_CONTEXT_H
#define UCCS_CONTEXT_H

#include "uccs/types.h"

#ifdef __cplusplus
extern "C" {
#endif

/// A device or mechanism that a context can use.
typedef struct uccs_resource {
  char name[16];         ///< for uccs_context_attributes_t::resource
  char description[80];  ///< one line
  int has_put_get;       ///< moves memory without the target's help
  int has_atomics;       ///< updates memory without the target's help
  int is_same_node;      ///< reaches ECs of this node only
  size_t medium_max;     ///< largest payload that travels through its buffers, in bytes
} uccs_resource_t;

/// Lists the resources of this build and machine, the preferred ones first.
/// `resources_out`: `capacity` elements, may be NULL when capacity is 0. `count_out`: how many
/// there are, which may be more than capacity. Returns UCCS_OK, or UCCS_ERR_INVALID when count_out
/// is NULL. Threads: any. Legal at any time. Cost: a table copy.
UCCS_API UCCS_NODISCARD uccs_status_t uccs_resource_query(uccs_resource_t* resources_out,
                                                          size_t capacity, size_t* count_out);

/// What the program promises about threads that call UCCS on a context.
typedef enum uccs_thread_level {
  UCCS_THREAD_MULTIPLE = 0,  ///< any number at any time
  UCCS_THREAD_SINGLE = 1     ///< one at a time: the program serialises them
} uccs_thread_level_t;

/// Who runs callbacks and advances operations.
typedef enum uccs_progress_mode {
  UCCS_PROGRESS_CONFIGURED = 0,  ///< as the variable UCCS_PROGRESS says (polling unless set)
  UCCS_PROGRESS_POLLING = 1,     ///< threads that call UCCS
  UCCS_PROGRESS_THREAD = 2  ///< one more thread too; it sleeps when idle, runs no user callback
} uccs_progress_mode_t;

/// How a context is made; all zero is the default.
typedef struct uccs_context_attributes {
  uccs_thread_level_t thread_level;
  uccs_progress_mode_t progress;
  int lanes;             ///< inboxes, 1..64; 0: as UCCS_LANES says
  int channels;          ///< injection paths, 1..1024; 0: as UCCS_CHANNELS says
  const char* resource;  ///< use this resource only; NULL: the first that reaches the peer
  /// 1: operations on ECs of other nodes may be held back and travel together, until a flush, a
  /// fence, the end of the context, or some milliseconds are over: puts, gets and atomics of up to
  /// 2 KiB in symmetric memory that are posted without request, and short active messages to any
  /// lane. Results of gets and atomics come with the flush. 0: all leave at once.
  int aggregate;
} uccs_context_attributes_t;

/// What a context is like.
typedef struct uccs_context_info {
  int ec;        ///< this EC's number
  int num_ecs;   ///< ECs of the job
  int lanes;     ///< inboxes of every EC in this context
  int channels;  ///< most channels of this EC
} uccs_context_info_t;

/// Makes a context and starts the job's memory if nobody did. Messages that peers send before this
/// EC has made its part wait in its inbox.
/// `attributes`: NULL for the default; lanes and channels are alike on all ECs. `context_out`: the
/// context, to be given back with uccs_context_destroy.
/// Returns UCCS_OK; UCCS_ERR_INVALID for attributes out of range or unlike those of another EC;
/// UCCS_ERR_NOT_FOUND for an unknown resource; UCCS_ERR_NO_MEMORY for more than 16 live contexts.
/// Collective over the job: all ECs make and destroy their contexts in the same order; waits for
/// nobody. Threads: one at a time. Not from a callback.
UCCS_API UCCS_NODISCARD uccs_status_t
uccs_context_create(const uccs_context_attributes_t* attributes, uccs_context_t* context_out);

/// Ends a context after all ECs have called this: completes what is under way, delivers all active
/// messages that were posted, those that callbacks post meanwhile included, drops what nobody has
/// received, then frees its endpoints and regions that are still there.
/// `context`: may be NULL (nothing happens). Its requests are void afterwards.
/// Returns UCCS_OK, or UCCS_ERR_STATE from a callback of the context.
/// Collective over the job; waits for all. Threads: one, and no other uses the context any more.
/// Progress: runs callbacks.
UCCS_API uccs_status_t uccs_context_destroy(uccs_context_t context);

/// Describes a context. Threads: any. Cost: a few loads.
/// Returns UCCS_OK, or UCCS_ERR_INVALID when an argument is NULL.
UCCS_API UCCS_NODISCARD uccs_status_t uccs_context_query(uccs_context_t context,
                                                         uccs_context_info_t* info_out);

/// Makes the handle to EC `ec`.
/// `ec`: 0..num_ecs-1, this EC included. `lane`: 0..lanes-1 names one inbox of the target;
/// UCCS_LANE_ANY lets active messages go to lanes of threads that poll over there, spread so that
/// threads which send at once use different ones and all receivers get their share; sends go to
/// lane 0. `endpoint_out`: give it back with uccs_endpoint_destroy, or it goes with its context.
/// Returns UCCS_OK, UCCS_ERR_INVALID for a number out of range, UCCS_ERR_UNSUPPORTED when no
/// resource of the context reaches the EC, UCCS_ERR_NO_MEMORY. Threads: any; an endpoint may be
/// used by any number of threads, and threads that share none share nothing. Cost: one small
/// allocation; nothing is sent.
UCCS_API UCCS_NODISCARD uccs_status_t uccs_endpoint_create(uccs_context_t context, int ec, int lane,
                                                           uccs_endpoint_t* endpoint_out);

/// Gives the handle back after completing what is under way on it.
/// `endpoint`: may be NULL. Threads: one, and no other uses the endpoint any more.
/// Progress: may wait and run callbacks. Returns UCCS_OK, or UCCS_ERR_STATE from a callback while
/// operations on it are under way.
UCCS_API uccs_status_t uccs_endpoint_destroy(uccs_endpoint_t endpoint);

/// Makes `lane` the calling thread's own in this context: its progress calls serve this lane, its
/// messages name it as their source, so replies come back to it, and user callbacks of the lane
/// run in the threads bound to it alone. Other threads visit the lane rarely and run its
/// protocol callbacks only.
/// `lane`: 0..lanes-1, or UCCS_LANE_ANY to belong to none, as every thread does at first: such a
/// thread is at home in the lane of its channel's number, shares the lanes that are nobody's home,
/// and looks after others' every UCCS_POLL_MASK + 1 polls when they do not. Ends with the thread.
/// Returns UCCS_OK or UCCS_ERR_INVALID. Threads: any; several may bind to one lane.
UCCS_API UCCS_NODISCARD uccs_status_t uccs_lane_bind(uccs_context_t context, int lane);

/// A lane for a key: the same for the same key, evenly spread. For messages about one object that
/// are to run in one thread. `lanes`: 1..64, as uccs_context_query says. Threads: any.
UCCS_API int uccs_lane_by_hash(uint64_t key, int lanes);

/// Makes progress: delivers messages that have arrived, runs callbacks, advances operations.
/// Returns how many messages and steps it handled; 0 means there was nothing to do.
/// Threads: any number at once; they share the work and never wait for each other.
/// Progress: runs callbacks, does not block. From a callback it does nothing and returns 0.
/// Cost when there is nothing to do: a look at the thread's own lane and a pause, or a yield on a
/// CPU that others wait for.
UCCS_API int uccs_progress(uccs_context_t context);

#ifdef __cplusplus
}
#endif
#endif
