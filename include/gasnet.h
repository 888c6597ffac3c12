// SPDX-License-Identifier: BSD-3-Clause
/// GASNet-1 on UCCS: the core and the extended API of the GASNet specification, version 1.8.
/// docs/gasnet.md is the user's guide and says what each call costs.
///
/// Define one of GASNET_SEQ, GASNET_PARSYNC and GASNET_PAR before including (GASNET_PAR if you
/// define none), and at most one of GASNET_SEGMENT_FAST (the default), GASNET_SEGMENT_LARGE and
/// GASNET_SEGMENT_EVERYTHING. All files of a program define the same. Compile with `gasnet-cc`,
/// start with `uccsrun -n 4 ./program`.
#ifndef GASNET_H
#define GASNET_H

#include <stddef.h>
#include <stdint.h>

#include "uccs/status.h"

#if defined(GASNET_SEQ) + defined(GASNET_PARSYNC) + defined(GASNET_PAR) > 1
#error "define only one of GASNET_SEQ, GASNET_PARSYNC and GASNET_PAR"
#elif defined(GASNET_SEQ)
#define UCCS_GASNET_THREADS "SEQ"
#elif defined(GASNET_PARSYNC)
#define UCCS_GASNET_THREADS "PARSYNC"
#else
#ifndef GASNET_PAR
#define GASNET_PAR 1
#endif
#define UCCS_GASNET_THREADS "PAR"
#endif

#if defined(GASNET_SEGMENT_FAST) + defined(GASNET_SEGMENT_LARGE) + \
        defined(GASNET_SEGMENT_EVERYTHING) >                       \
    1
#error "define only one of GASNET_SEGMENT_FAST, GASNET_SEGMENT_LARGE and GASNET_SEGMENT_EVERYTHING"
#elif defined(GASNET_SEGMENT_EVERYTHING)
#define UCCS_GASNET_SEGMENT "EVERYTHING"
#define UCCS_GASNET_IS_EVERYTHING 1
#elif defined(GASNET_SEGMENT_LARGE)
#define UCCS_GASNET_SEGMENT "LARGE"
#define UCCS_GASNET_IS_EVERYTHING 0
#else
#ifndef GASNET_SEGMENT_FAST
#define GASNET_SEGMENT_FAST 1
#endif
#define UCCS_GASNET_SEGMENT "FAST"
#define UCCS_GASNET_IS_EVERYTHING 0
#endif

#ifdef __cplusplus
extern "C" {
#endif

#define GASNET_SPEC_VERSION_MAJOR 1
#define GASNET_SPEC_VERSION_MINOR 8
#define GASNET_VERSION GASNET_SPEC_VERSION_MAJOR
/// The release is UCCS's.
#define GASNET_RELEASE_VERSION_MAJOR 0
#define GASNET_RELEASE_VERSION_MINOR 1
#define GASNET_RELEASE_VERSION_PATCH 0
#define GASNET_CONDUIT_UCCS 1
#define GASNET_CONDUIT_NAME uccs
#define GASNET_CONDUIT_NAME_STR "uccs"
#define GASNET_CONFIG_STRING \
  "RELEASE=UCCS-0.1.0,SPEC=1.8,CONDUIT=uccs," UCCS_GASNET_THREADS "," UCCS_GASNET_SEGMENT

#define GASNET_MAXNODES 65535
/// The segment of each node has an address of its own.
#define GASNET_ALIGNED_SEGMENTS 0
#define GASNET_PAGESIZE 4096
/// Nodes of one machine map each other's segments; gasnet_init takes NULL.
#define GASNET_PSHM 1
#define GASNET_NULL_ARGV_OK 1

/// What core calls return; the extended API ends the job instead.
#define GASNET_OK 0
#define GASNET_ERR_NOT_INIT 10001          ///< gasnet_init or gasnet_attach is missing, or was done
#define GASNET_ERR_RESOURCE 10002          ///< memory or the communication system failed
#define GASNET_ERR_BAD_ARG 10003           ///< an argument is out of its range
#define GASNET_ERR_NOT_READY 10004         ///< not complete, or not to be had, yet
#define GASNET_ERR_BARRIER_MISMATCH 10005  ///< see gasnet_barrier_wait

typedef uint32_t gasnet_node_t;       ///< number of a node (an EC), from 0
typedef uint8_t gasnet_handler_t;     ///< index of a handler, 128..255
typedef int32_t gasnet_handlerarg_t;  ///< argument of a handler
typedef void* gasnet_token_t;         ///< a message, inside its handler
typedef void* gasnet_handle_t;        ///< a non-blocking operation
typedef uintptr_t gasnet_register_value_t;
typedef uintptr_t gasnet_valget_handle_t;
typedef void* gasnet_threadinfo_t;
#if UINTPTR_MAX > 0xffffffffu
#define SIZEOF_GASNET_REGISTER_VALUE_T 8
#else
#define SIZEOF_GASNET_REGISTER_VALUE_T 4
#endif
#define GASNET_INVALID_HANDLE ((gasnet_handle_t)0)

typedef struct {
  gasnet_handler_t index;  ///< 128..255, or 0: gasnet_attach chooses and writes it here
  void (*fnptr)();         ///< the function, whatever its prototype
} gasnet_handlerentry_t;

typedef struct {
  void* addr;
  uintptr_t size;  ///< in bytes
} gasnet_seginfo_t;

typedef struct {
  gasnet_node_t host;       ///< number of the machine that a node runs on, from 0
  gasnet_node_t supernode;  ///< number of the group of nodes that map each other's segments
  intptr_t offset;          ///< where its segment is mapped here, minus where it is there
} gasnet_nodeinfo_t;

/* Job control and environment (specification 2.1, 2.2). */

/// Behind gasnet_init. `is_everything`: the client reaches all memory of its peers.
UCCS_API int uccs_gasnet_init(int* argc, char*** argv, int is_everything);

/// Joins the job; the first call of a program. `argc`, `argv`: main's; left as they are; may be
/// NULL. Until gasnet_attach only gasnet_mynode, gasnet_nodes, gasnet_getMax*SegmentSize,
/// gasnet_getenv and gasnet_exit may be called.
/// Returns GASNET_OK, GASNET_ERR_NOT_INIT the second time, or GASNET_ERR_RESOURCE.
static inline int gasnet_init(int* argc, char*** argv) {
  return uccs_gasnet_init(argc, argv, UCCS_GASNET_IS_EVERYTHING);
}

/// Registers the handlers and makes the segment that peers reach.
/// `table`: `numentries` handlers, NULL when that is 0. `segsize`: bytes of this node's segment, a
/// multiple of GASNET_PAGESIZE, may be 0 and may differ between nodes; more than there is gives
/// what there is. `minheapoffset` is irrelevant here. Both are ignored when everything is reached.
/// The segment's contents are undefined; memory is taken when it is touched.
/// Returns GASNET_OK, GASNET_ERR_NOT_INIT (before gasnet_init or the second time),
/// GASNET_ERR_BAD_ARG, GASNET_ERR_RESOURCE. Collective over all nodes, and a barrier.
UCCS_API int gasnet_attach(gasnet_handlerentry_t* table, int numentries, uintptr_t segsize,
                           uintptr_t minheapoffset);

/// The largest segment that gasnet_attach can give to this node, and to the node that can have
/// least; multiples of GASNET_PAGESIZE. All ones when everything is reached.
UCCS_API uintptr_t gasnet_getMaxLocalSegmentSize(void);
UCCS_API uintptr_t gasnet_getMaxGlobalSegmentSize(void);

/// Ends the job with status `exitcode`. When all nodes call it the job ends cleanly; nodes that do
/// not within a moment get SIGQUIT if they handle it, and are ended. Any node, any thread, at any
/// time, handlers included. atexit functions do not run.
#if defined(__GNUC__)
__attribute__((noreturn))
#endif
UCCS_API void
gasnet_exit(int exitcode);

UCCS_API gasnet_node_t gasnet_mynode(void);
UCCS_API gasnet_node_t gasnet_nodes(void);

/// Writes where the segments of nodes 0..numentries-1 are, as far as there are so many.
/// Returns GASNET_OK, GASNET_ERR_NOT_INIT or GASNET_ERR_BAD_ARG. Not collective.
UCCS_API int gasnet_getSegmentInfo(gasnet_seginfo_t* seginfo_table, int numentries);

/// Writes how nodes 0..numentries-1 are reached, as far as there are so many. Newer than the
/// specification. With `offset`, a pointer into a peer's segment becomes one that works here, but
/// not when everything is reached or decorators look on (UCCS_WRAP): it is 0 then.
/// Returns GASNET_OK, GASNET_ERR_NOT_INIT or GASNET_ERR_BAD_ARG. Not collective.
UCCS_API int gasnet_getNodeInfo(gasnet_nodeinfo_t* nodeinfo_table, int numentries);

/// As getenv; the launcher gives all nodes its own environment.
UCCS_API char* gasnet_getenv(const char* name);

/// Name and meaning of a value that a core call returned. Static strings, for any value.
UCCS_API char* gasnet_ErrorName(int errval);
UCCS_API char* gasnet_ErrorDesc(int errval);

/* Active messages (2.3). The calls to send them, gasnet_AMRequestShort0 and so on, are in
 * uccs/gasnet_am.h. */

#define gasnet_AMMaxArgs() ((size_t)16)
#define gasnet_AMMaxMedium() ((size_t)8128)
#define gasnet_AMMaxLongRequest() ((size_t)1 << 31)
#define gasnet_AMMaxLongReply() \
  (UCCS_GASNET_IS_EVERYTHING ? gasnet_AMMaxMedium() : gasnet_AMMaxLongRequest())

/// Delivers what has arrived: runs handlers. Gives the CPU away when there is nothing to do for
/// long and nodes outnumber CPUs. In a handler it does nothing. Returns GASNET_OK or
/// GASNET_ERR_NOT_INIT.
UCCS_API int gasnet_AMPoll(void);

/// The node that sent the message which the calling handler was given. Returns GASNET_OK or
/// GASNET_ERR_BAD_ARG.
UCCS_API int gasnet_AMGetMsgSource(gasnet_token_t token, gasnet_node_t* srcindex);

/// One wait of GASNET_BLOCKUNTIL.
typedef struct {
  uint64_t opaque[8];
} uccs_gasnet_wait_t;
UCCS_API void uccs_gasnet_pause(uccs_gasnet_wait_t* wait);
UCCS_API void uccs_gasnet_resume(uccs_gasnet_wait_t* wait);

/// Runs handlers until `cond` holds, which only handlers make true. Spins, yields, then sleeps for
/// bounded times; what handlers wrote before they made it true is visible afterwards.
#define GASNET_BLOCKUNTIL(cond)                                     \
  do {                                                              \
    uccs_gasnet_wait_t uccs_wait_ = {{0, 0, 0, 0, 0, 0, 0, 0}};     \
    while (!(cond)) uccs_gasnet_pause(&uccs_wait_);                 \
    if (uccs_wait_.opaque[0] != 0) uccs_gasnet_resume(&uccs_wait_); \
    __atomic_thread_fence(__ATOMIC_ACQUIRE);                        \
  } while (0)

/* Atomicity control (2.4). Handlers run inside calls only, so interrupts need no holding. */

static inline void gasnet_hold_interrupts(void) {}
static inline void gasnet_resume_interrupts(void) {}

/// A lock that handlers may take. All zero is unlocked.
typedef struct {
  uint64_t opaque;
} gasnet_hsl_t;
#define GASNET_HSL_INITIALIZER \
  { 0 }
UCCS_API void gasnet_hsl_init(gasnet_hsl_t* hsl);
UCCS_API void gasnet_hsl_destroy(gasnet_hsl_t* hsl);
/// Locking twice in one thread, and unlocking what the thread does not hold, end the job.
UCCS_API void gasnet_hsl_lock(gasnet_hsl_t* hsl);
UCCS_API void gasnet_hsl_unlock(gasnet_hsl_t* hsl);
/// GASNET_OK, or GASNET_ERR_NOT_READY when the lock is held.
UCCS_API int gasnet_hsl_trylock(gasnet_hsl_t* hsl);

/* Barriers (3.5). One thread of each node at a time. */

#define GASNET_BARRIERFLAG_ANONYMOUS 1
#define GASNET_BARRIERFLAG_MISMATCH 2

/// Notes that this node has come to the barrier; does not wait. `flags`: 0: the barrier is called
/// `id`; GASNET_BARRIERFLAG_ANONYMOUS: it has no name; GASNET_BARRIERFLAG_MISMATCH: all nodes shall
/// see a mismatch. Twice without a wait between ends the job.
UCCS_API void gasnet_barrier_notify(int id, int flags);
/// Waits until all nodes have notified; runs handlers meanwhile. Returns GASNET_OK, or
/// GASNET_ERR_BARRIER_MISMATCH when two nodes used different names, a node asked for it, or `id`
/// and `flags` differ from those of this node's notify. Without a notify it ends the job.
UCCS_API int gasnet_barrier_wait(int id, int flags);
/// As gasnet_barrier_wait if all nodes have notified; otherwise GASNET_ERR_NOT_READY.
UCCS_API int gasnet_barrier_try(int id, int flags);
/// Notify and wait in one call.
UCCS_API int gasnet_barrier(int id, int flags);

/* Threads (3.6). Threads are told apart by the library at no cost, so these are hints for others.
 */

#define GASNET_GET_THREADINFO() ((gasnet_threadinfo_t)0)
#define GASNET_POST_THREADINFO(info) ((void)(info))
#define GASNET_BEGIN_FUNCTION() GASNET_POST_THREADINFO(GASNET_GET_THREADINFO())

#define GASNET_WAIT_SPIN 0       ///< keep the CPU, as long as there are CPUs enough
#define GASNET_WAIT_BLOCK 1      ///< give the CPU away at once
#define GASNET_WAIT_SPINBLOCK 2  ///< spin, then yield, then sleep: the default
/// How threads of this node wait in calls that block. Returns GASNET_OK or GASNET_ERR_BAD_ARG.
UCCS_API int gasnet_set_waitmode(int wait_mode);

#ifdef __cplusplus
}
#endif

#include "uccs/gasnet_am.h"
#include "uccs/gasnet_extended.h"
#ifdef UCCS_GASNET_INLINE
#include "uccs/gasnet_inline.h"
#endif

#endif
