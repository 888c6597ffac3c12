// SPDX-License-Identifier: BSD-3-Clause
/// Two-sided messages. Include `uccs/uccs.h` in programs.
#ifndef UCCS_MESSAGE_H
#define UCCS_MESSAGE_H

#include "uccs/types.h"

#ifdef __cplusplus
extern "C" {
#endif

/// A receive matches a message when it names the message's lane, its source (or UCCS_EC_ANY), and
/// its tag in the bits of the mask: (tag ^ wanted) & mask == 0. Messages of one EC to one lane that
/// match the same receive are received in the order in which a thread sent them. The receives of a
/// lane are tried in the order in which they were posted.
#define UCCS_TAG_EXACT UINT64_MAX
#define UCCS_TAG_ANY UINT64_C(0)

/// What was received or found.
typedef struct uccs_message_info {
  int source;    ///< EC that sent it
  uint64_t tag;  ///< its tag, all bits
  size_t bytes;  ///< its length, which may be more than the buffer took
} uccs_message_info_t;

/// What holds for the sends.
/// `endpoint`: an EC and lane (UCCS_LANE_ANY: lane 0). `tag`: any 64 bits.
/// Completion: the source is free. Messages up to 8 KiB are copied at once and do not wait for a
/// receive; longer ones are copied by the receiver straight from the source where it can reach it.
/// An inbox holds a bounded number of messages (8192 a lane) that no receive has asked for; then
/// sends to it answer UCCS_AGAIN. Returns: see request.h; UCCS_ERR_INVALID when a size is out of
/// range. Threads: any. Progress: runs no callbacks, does not block; legal in callbacks.

/// Sends 0..UCCS_SEND_SHORT_MAX bytes. Cost: about 100 instructions; one cache line moves.
UCCS_API UCCS_NODISCARD uccs_status_t uccs_send_contiguous_short_nb(uccs_endpoint_t endpoint,
                                                                    uint64_t tag,
                                                                    const void* source,
                                                                    size_t bytes,
                                                                    uccs_request_t* request_out);
/// Sends any number of bytes.
UCCS_API UCCS_NODISCARD uccs_status_t uccs_send_contiguous_nb(uccs_endpoint_t endpoint,
                                                              uint64_t tag, const void* source,
                                                              size_t bytes,
                                                              uccs_request_t* request_out);
/// Sends `count` pieces as one message. The list, too, stays until completion.
UCCS_API UCCS_NODISCARD uccs_status_t uccs_send_nb(uccs_endpoint_t endpoint, uint64_t tag,
                                                   const uccs_piece_t pieces[], size_t count,
                                                   uccs_request_t* request_out);

/// Receives one message into `dest`.
/// `lane`: where it was sent to; UCCS_LANE_ANY means lane 0. `source`: an EC or UCCS_EC_ANY.
/// `tag`, `mask`: see above. `bytes`: room at dest; a longer message is cut off and
/// the request ends with UCCS_ERR_TRUNCATED. `info_out`: written at completion, may be NULL.
/// `request_out`: not NULL.
/// Completion: dest and *info_out are written; both belong to the receive until then.
/// Returns UCCS_OK when the message was there already; UCCS_ERR_TRUNCATED likewise, when it was cut
/// off; UCCS_IN_PROGRESS, UCCS_AGAIN; UCCS_ERR_INVALID for a lane or source out of range. Threads:
/// any. Progress: runs no callbacks, does not block. Cost: grows with the number of messages
/// waiting.
UCCS_API UCCS_NODISCARD uccs_status_t uccs_recv_nb(uccs_context_t context, int lane, int source,
                                                   uint64_t tag, uint64_t mask, void* dest,
                                                   size_t bytes, uccs_message_info_t* info_out,
                                                   uccs_request_t* request_out);

/// Looks for a message that a receive with these arguments would match; leaves it there.
/// `info_out`: written when there is one, may be NULL.
/// Returns UCCS_OK when there is one, UCCS_AGAIN when not, UCCS_ERR_INVALID.
/// Threads: any; another thread may receive the message first. Progress: runs callbacks, does not
/// block.
UCCS_API UCCS_NODISCARD uccs_status_t uccs_probe(uccs_context_t context, int lane, int source,
                                                 uint64_t tag, uint64_t mask,
                                                 uccs_message_info_t* info_out);

/// Ends a receive that has matched nothing yet.
/// `request`: of uccs_recv_nb. When it returns UCCS_OK the request is null and the buffer is the
/// caller's again. Returns UCCS_OK, or UCCS_ERR_STATE when a message has been matched: wait for it.
/// Threads: as uccs_test.
UCCS_API UCCS_NODISCARD uccs_status_t uccs_recv_cancel(uccs_request_t* request);

#ifdef __cplusplus
}
#endif
#endif
