// SPDX-License-Identifier: BSD-3-Clause
/// Active messages. Include `uccs/uccs.h` in programs.
#ifndef UCCS_AM_H
#define UCCS_AM_H

#include "uccs/types.h"

#ifdef __cplusplus
extern "C" {
#endif

/// A message as its callback sees it. Valid during the callback only, but for the payload of a
/// large one, which lies where the sender put it.
typedef struct uccs_am {
  uccs_context_t context;
  int source;          ///< EC that sent it
  int source_lane;     ///< lane of the thread that sent it: where a reply goes
  int lane;            ///< lane it arrived at
  int id;              ///< handler id
  const void* header;  ///< the bytes of a short message, the header of a medium or large one
  size_t header_bytes;
  void* payload;  ///< of a medium or large one, NULL of a short one; aligned to 8 bytes if medium
  size_t bytes;   ///< of the payload
} uccs_am_t;

/// Called once per message. Callbacks of one handler may run in several threads at once. A callback
/// may reply to a request once, post one-sided operations, sends and messages (and must take
/// UCCS_AGAIN for an answer), test requests; it must not wait.
typedef void (*uccs_am_callback_t)(const uccs_am_t* message, void* user);

/// Where a callback may run.
typedef enum uccs_am_class {
  UCCS_AM_USER = 0,  ///< in user threads that make progress
  UCCS_AM_PROTOCOL =
      1  ///< in any thread that makes progress, UCCS's own included: short, needs no resource
} uccs_am_class_t;

/// Sets the handler of `id` on this EC.
/// `id`: 0..UCCS_AM_IDS-1. `callback`: NULL removes the handler. `user`: passed on, may be NULL.
/// A message whose id has no handler ends the job with a message: register everywhere, then
/// synchronise, then send.
/// Returns UCCS_OK or UCCS_ERR_INVALID. Local. Threads: any, while no message of this id is under
/// way.
UCCS_API UCCS_NODISCARD uccs_status_t uccs_am_register(uccs_context_t context, int id,
                                                       uccs_am_callback_t callback,
                                                       uccs_am_class_t am_class, void* user);

/// What holds for all calls below.
/// Messages between two ECs are delivered once each; two messages may overtake each other when
/// several threads take part. Requests and replies have separate inboxes, so replies always get
/// through. Completion: the source is free; for large messages also: the payload is at the target.
/// Returns: see request.h. UCCS_ERR_INVALID when a size or the id is out of range.
/// Threads: any. Progress: runs no callbacks and does not block; legal in callbacks.

/// Sends a request with `bytes` (0..UCCS_AM_SHORT_MAX) at `data`, which are the callback's header.
/// Cost: about 100 instructions, one atomic; no lock, no allocation, one cache line moves.
UCCS_API UCCS_NODISCARD uccs_status_t uccs_am_short_nb(uccs_endpoint_t endpoint, int id,
                                                       const void* data, size_t bytes,
                                                       uccs_request_t* request_out);

/// Sends a request with a header (0..UCCS_AM_HEADER_MAX bytes) and a payload
/// (0..UCCS_AM_MEDIUM_MAX), which the callback reads from a buffer of UCCS.
UCCS_API UCCS_NODISCARD uccs_status_t uccs_am_medium_nb(uccs_endpoint_t endpoint, int id,
                                                        const void* header, size_t header_bytes,
                                                        const void* payload, size_t bytes,
                                                        uccs_request_t* request_out);

/// Puts `bytes` of payload to `dest` of `region` at the target, as uccs_put_contiguous_large_nb
/// does; then delivers the message. The header is free on return.
UCCS_API UCCS_NODISCARD uccs_status_t uccs_am_large_nb(uccs_endpoint_t endpoint, int id,
                                                       const void* header, size_t header_bytes,
                                                       uccs_region_t region, void* dest,
                                                       const void* payload, size_t bytes,
                                                       uccs_request_t* request_out);

/// Replies to the request that the calling callback was given; at most one reply each. The
/// arguments are those of the calls above. Never answers UCCS_AGAIN: when the requester's inbox for
/// replies is full, waits until it makes progress and runs reply callbacks of this EC meanwhile, so
/// hold no lock that those take. Returns UCCS_OK; UCCS_ERR_INVALID; UCCS_ERR_STATE when `message`
/// is itself a reply or has been replied to; UCCS_ERR_ADDRESS. All sources are free on return.
UCCS_API UCCS_NODISCARD uccs_status_t uccs_am_reply_short(const uccs_am_t* message, int id,
                                                          const void* data, size_t bytes);
UCCS_API UCCS_NODISCARD uccs_status_t uccs_am_reply_medium(const uccs_am_t* message, int id,
                                                           const void* header, size_t header_bytes,
                                                           const void* payload, size_t bytes);
/// `region`: symmetric memory on this node; UCCS_ERR_ADDRESS otherwise (private memory of a peer
/// cannot be written without waiting for it).
UCCS_API UCCS_NODISCARD uccs_status_t uccs_am_reply_large(const uccs_am_t* message, int id,
                                                          const void* header, size_t header_bytes,
                                                          uccs_region_t region, void* dest,
                                                          const void* payload, size_t bytes);

#ifdef __cplusplus
}
#endif
#endif
