// SPDX-License-Identifier: BSD-3-Clause
/// The runtime environment: who am I in my job, where do the others run, and slow, dependable ways
/// to exchange bytes before (and beside) the fast ones. Everything goes over the launcher; where
/// that is not ours, over the process of its rank 0, and fails with UCCS_ERR_PEER_FAILED once that
/// has ended.
///
/// All calls are thread safe. One thread of the library, started by the first call that needs it,
/// talks to the launcher; callers hand it their commands and wait for the results. A child that a
/// process of the job forks is no EC, and must not call anything here before it executes a program.
#ifndef UCCS_RTE_H
#define UCCS_RTE_H

#include <stddef.h>
#include <stdint.h>

#include "uccs/status.h"

#ifdef __cplusplus
extern "C" {
#endif

#define RTE_KEY_MAX 255        ///< longest key, in bytes without the NUL
#define RTE_DATA_MAX 65536     ///< largest datum or message, in bytes
#define RTE_ANY_EC (-1)        ///< receive from whoever sends
#define RTE_ANY_TAG (-1)       ///< receive whatever the tag
#define RTE_UNKNOWN (-1)       ///< a place that cannot be told
#define RTE_FOREVER INT64_MAX  ///< no time limit

typedef enum rte_endianness { RTE_LITTLE_ENDIAN = 0, RTE_BIG_ENDIAN = 1 } rte_endianness_t;

/// Where an EC runs. A place is RTE_UNKNOWN when the EC may run on several, when it has not started
/// yet, or when hwloc is not installed. `socket`, `core` and `numa` are hwloc's logical numbers.
typedef struct rte_locality {
  int node;                     ///< 0..nodes-1; ECs of equal node can map each other's memory
  int socket;                   ///< package within the node
  int core;                     ///< physical core within the node
  int numa;                     ///< NUMA node within the node
  rte_endianness_t endianness;  ///< byte order of the node
  char architecture[32];        ///< as `uname -m` says: "x86_64", "aarch64"
  char host[64];                ///< name of the node
} rte_locality_t;

/// An out-of-band message in flight.
typedef struct rte_request rte_request_t;

/// What a receive brought.
typedef struct rte_message {
  int ec;        ///< the sender
  int tag;       ///< its tag
  size_t bytes;  ///< its whole length, also when the buffer was too short
} rte_message_t;

/// Joins the job that the launcher started, or makes a job of one without launcher. Reference
/// counted: every successful call needs its rte_finalize. A launcher that is there and cannot be
/// used ends the process with a message that says how to start it instead. Returns UCCS_OK.
/// Collective: no. Blocks: no; exchanges no message and starts no thread.
/// Legal state: at any time, also again after the last rte_finalize.
UCCS_API UCCS_NODISCARD uccs_status_t rte_init(void);

/// Ends what the matching rte_init began. The last call stops the library's thread; operations
/// still in flight end with UCCS_ERR_CANCELED, and must still be tested or waited for. Returns
/// UCCS_OK, or UCCS_ERR_STATE without a matching rte_init. Collective: no; what this EC has set
/// stays readable to others.
UCCS_API uccs_status_t rte_finalize(void);

/// The number of this EC, 0..rte_get_num_ecs()-1. Legal state: after rte_init; before it, -1.
UCCS_API int rte_get_my_ec(void);

/// The number of ECs of the job, at least 1. Legal state: after rte_init; before it, 0.
UCCS_API int rte_get_num_ecs(void);

/// The name of the backend in use: "single", "local" (uccsrun), "pmix" or "pmi". Static. Legal
/// state: after rte_init; before it, "".
UCCS_API const char* rte_get_backend(void);

/// Where EC `ec` runs.
/// - `ec`: 0..n-1.
/// - `locality_out`: written on success; not NULL.
/// Returns UCCS_OK, UCCS_ERR_INVALID, or UCCS_ERR_STATE before rte_init.
/// Collective: no; needs no cooperation of `ec`. Places follow its binding at the time of the call.
/// Cost: the first call loads hwloc and reads the machine's topology (milliseconds).
UCCS_API UCCS_NODISCARD uccs_status_t rte_get_locality(int ec, rte_locality_t* locality_out);

/// Publishes bytes under a key in the job's key-value store, where every EC can read them. Keys of
/// different ECs are different; setting a key again replaces its data.
/// - `key`: 1..RTE_KEY_MAX bytes, NUL-terminated.
/// - `data`: `bytes` bytes; may be NULL if `bytes` is 0.
/// - `bytes`: 0..RTE_DATA_MAX.
/// Completion: on return the data is stored, and `data` may be reused.
/// Returns UCCS_OK, UCCS_ERR_INVALID, UCCS_ERR_NO_MEMORY (this EC has stored more than 64 MiB),
/// UCCS_ERR_CANCELED (finalized meanwhile) or UCCS_ERR_STATE before rte_init.
/// Collective: no. Blocks: for one round trip to the launcher.
UCCS_API UCCS_NODISCARD uccs_status_t rte_srs_set_data(const char* key, const void* data,
                                                       size_t bytes);

/// Reads what EC `ec` published under `key`, and waits until it has.
/// - `ec`: 0..n-1, this EC included.
/// - `key`: 1..RTE_KEY_MAX bytes, NUL-terminated.
/// - `data_out`: room for `capacity` bytes; may be NULL if `capacity` is 0.
/// - `bytes_out`: set to the whole length on UCCS_OK and UCCS_ERR_TRUNCATED; may be NULL.
/// - `timeout_ns`: how long to wait, in nanoseconds >= 0; 0 asks once, RTE_FOREVER has no limit.
/// Returns UCCS_OK, UCCS_ERR_TRUNCATED (the first `capacity` bytes were written), UCCS_ERR_TIMEOUT,
/// UCCS_ERR_PEER_FAILED (`ec` ended without publishing it), UCCS_ERR_INVALID, UCCS_ERR_CANCELED
/// or UCCS_ERR_STATE.
/// Collective: no. Blocks: yes, without using the CPU.
UCCS_API UCCS_NODISCARD uccs_status_t rte_srs_get_data(int ec, const char* key, void* data_out,
                                                       size_t capacity, size_t* bytes_out,
                                                       int64_t timeout_ns);

/// Waits until every EC of the job has called it as often as this one. What any EC published before
/// is then there for all.
/// Returns UCCS_OK, UCCS_ERR_PEER_FAILED (an EC has ended, so it can never complete),
/// UCCS_ERR_CANCELED or UCCS_ERR_STATE.
/// Collective: over all ECs, one thread each. Blocks: yes, without using the CPU.
UCCS_API UCCS_NODISCARD uccs_status_t rte_fence(void);

/// Starts to send bytes to EC `ec` out of band. Messages with one sender, receiver and tag arrive
/// in the order of their calls.
/// - `ec`: 0..n-1, this EC included.
/// - `tag`: >= 0.
/// - `data`: `bytes` bytes, unchanged until the request is done; may be NULL if `bytes` is 0.
/// - `bytes`: 0..RTE_DATA_MAX.
/// - `request_out`: to be given to rte_test or rte_wait; not NULL.
/// Completion: when the launcher holds the message; that says nothing about its receiver. A
/// receiver that does not receive holds its senders back once 4 MiB wait for it. Returns UCCS_OK
/// (started), UCCS_ERR_INVALID, UCCS_ERR_NO_MEMORY, UCCS_ERR_SYSTEM or UCCS_ERR_STATE. The request
/// ends with UCCS_OK, UCCS_ERR_PEER_FAILED or UCCS_ERR_CANCELED. Collective: no. Blocks: no.
UCCS_API UCCS_NODISCARD uccs_status_t rte_send_nb(int ec, int tag, const void* data, size_t bytes,
                                                  rte_request_t** request_out);

/// Starts to receive a message that was sent to this EC. Receives that match the same messages get
/// them in the order of their calls.
/// - `ec`: its sender, 0..n-1, or RTE_ANY_EC.
/// - `tag`: >= 0, or RTE_ANY_TAG.
/// - `buffer`: room for `capacity` bytes, not to be touched until the request is done; may be NULL
/// if
///   `capacity` is 0.
/// - `request_out`: to be given to rte_test or rte_wait; not NULL.
/// Returns as rte_send_nb. The request ends with UCCS_OK, UCCS_ERR_TRUNCATED (the first `capacity`
/// bytes were written, the rest is lost), UCCS_ERR_PEER_FAILED (`ec` has ended) or
/// UCCS_ERR_CANCELED.
/// Collective: no. Blocks: no.
UCCS_API UCCS_NODISCARD uccs_status_t rte_recv_nb(int ec, int tag, void* buffer, size_t capacity,
                                                  rte_request_t** request_out);

/// Whether a request is done. One thread at a time per request, not only the one that started it.
/// - `request`: from rte_send_nb or rte_recv_nb; freed when the call returns anything but
///   UCCS_IN_PROGRESS.
/// - `message_out`: of a receive that ended with UCCS_OK or UCCS_ERR_TRUNCATED, what came; may be
/// NULL. Returns UCCS_IN_PROGRESS, or what the request ended with. Blocks: no. Legal state: also
/// after rte_finalize.
UCCS_API UCCS_NODISCARD uccs_status_t rte_test(rte_request_t* request, rte_message_t* message_out);

/// As rte_test, but waits until the request is done, and so always frees it. Blocks: yes, without
/// using the CPU.
UCCS_API UCCS_NODISCARD uccs_status_t rte_wait(rte_request_t* request, rte_message_t* message_out);

/// Ends all processes of the job. Open streams of this process are flushed, atexit functions do not
/// run.
/// - `status`: the exit status of the job, 0..255.
/// - `message`: printed by the launcher, with the number of this EC; up to 1024 bytes; may be NULL.
/// Never returns. Threads: any, also while others are stuck in calls of this header.
/// Legal state: at any time; before rte_init it ends this process alone.
#if defined(__GNUC__)
__attribute__((noreturn))
#endif
UCCS_API void
rte_abort(int status, const char* message);

#ifdef __cplusplus
}
#endif
#endif
