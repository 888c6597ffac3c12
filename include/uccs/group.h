// SPDX-License-Identifier: BSD-3-Clause
/// Groups and collectives. Include `uccs/uccs.h` in programs.
#ifndef UCCS_GROUP_H
#define UCCS_GROUP_H

#include "uccs/types.h"

#ifdef __cplusplus
extern "C" {
#endif

/// All ECs of the job. Never NULL; valid while a context or another model's job is alive.
UCCS_API uccs_group_t uccs_group_world(void);

/// Makes the group of `size` members of `parent`: its ranks first, first + stride, ...
/// `stride`: not 0 unless size is 1; may be negative. `group_out`: the group, or NULL on ECs of the
/// parent that are no members.
/// Returns UCCS_OK; UCCS_ERR_INVALID or UCCS_ERR_NO_MEMORY, alike on all members of the parent.
/// Collective over the parent: same arguments everywhere. Threads: one of each EC. Not from a
/// callback.
UCCS_API UCCS_NODISCARD uccs_status_t uccs_group_create(uccs_group_t parent, int first, int stride,
                                                        int size, uccs_group_t* group_out);

/// A color that is in no group.
#define UCCS_NO_COLOR (-1)

/// Splits `parent` into one group for each `color`. In it members are ranked by `key`, those with
/// the same key as in the parent. `color`: at least 0, or UCCS_NO_COLOR. `key`: any number.
/// `group_out`: the caller's group; NULL with UCCS_NO_COLOR. Returns UCCS_OK; UCCS_ERR_INVALID (a
/// color below UCCS_NO_COLOR) or UCCS_ERR_NO_MEMORY, alike on all members of the parent. Collective
/// over the parent. Threads: one of each EC. Not from a callback. Cost: an allgather of 8 bytes;
/// where the members' ECs are not equally spaced, 12 bytes of memory per member and a table look-up
/// in place of a multiplication.
UCCS_API UCCS_NODISCARD uccs_status_t uccs_group_split(uccs_group_t parent, int color, int key,
                                                       uccs_group_t* group_out);

/// Gives a group back. Collective over the group. `group`: may be NULL; the world's stays.
UCCS_API uccs_status_t uccs_group_destroy(uccs_group_t group);

/// This EC's index in the group. Threads: any. Cost: a load.
UCCS_API int uccs_group_rank(uccs_group_t group);
/// Members of the group.
UCCS_API int uccs_group_size(uccs_group_t group);
/// The EC number of member `rank`; -1 when there is none.
UCCS_API int uccs_group_ec(uccs_group_t group, int rank);

/// What holds for the collectives below.
/// Every member calls the same ones in the same order with matching arguments, one thread of each
/// at a time; different groups are independent. Buffers may be any memory of the caller; symmetric
/// memory is quickest. Sources and destinations do not overlap unless a comment allows it.
/// Completion: on return, for the caller's buffers.
/// Returns UCCS_OK; UCCS_ERR_INVALID for arguments that are wrong in themselves.
/// Progress: blocks; makes progress on contexts and may run their callbacks. Not from a callback.

/// Returns when all members have arrived. Stores and completed puts made before by any of them are
/// visible to all. Completes no operation: flush first.
UCCS_API uccs_status_t uccs_barrier(uccs_group_t group);

/// `buffer` of member `root` goes to `buffer` of all others; `bytes` may be 0.
UCCS_API uccs_status_t uccs_bcast(uccs_group_t group, void* buffer, size_t bytes, int root);

/// Member i's `bytes` at `source` land at `dest` + i * bytes of every member.
UCCS_API uccs_status_t uccs_allgather(uccs_group_t group, void* dest, const void* source,
                                      size_t bytes);

/// Block j of `bytes` at member i's `source` becomes block i at member j's `dest`.
UCCS_API uccs_status_t uccs_alltoall(uccs_group_t group, void* dest, const void* source,
                                     size_t bytes);

/// Element types of reductions: X(constant, C type).
#define UCCS_REDUCE_INTEGER_TYPES(X) \
  X(INT8, int8_t)                    \
  X(INT16, int16_t)                  \
  X(INT32, int32_t)                  \
  X(INT64, int64_t) X(UINT8, uint8_t) X(UINT16, uint16_t) X(UINT32, uint32_t) X(UINT64, uint64_t)
#define UCCS_REDUCE_FLOAT_TYPES(X) X(FLOAT, float) X(DOUBLE, double)

#define UCCS_REDUCE_TYPE_CONSTANT(name, type) UCCS_TYPE_##name,
typedef enum uccs_type {
  UCCS_REDUCE_INTEGER_TYPES(UCCS_REDUCE_TYPE_CONSTANT)
      UCCS_REDUCE_FLOAT_TYPES(UCCS_REDUCE_TYPE_CONSTANT) UCCS_TYPE_COUNT
} uccs_type_t;
#undef UCCS_REDUCE_TYPE_CONSTANT

typedef enum uccs_reduce_op {
  UCCS_SUM,
  UCCS_PRODUCT,
  UCCS_MIN,
  UCCS_MAX,
  UCCS_AND,  ///< bitwise, integers only, like the next two
  UCCS_OR,
  UCCS_XOR,
  UCCS_REDUCE_OP_COUNT
} uccs_reduce_op_t;

/// dest[i] = source[i] of all members, combined, for `count` elements; the same bits on every
/// member. `dest` may be `source`. Integers wrap around. Returns also UCCS_ERR_UNSUPPORTED for a
/// bitwise operation on a floating type.
UCCS_API uccs_status_t uccs_allreduce(uccs_group_t group, void* dest, const void* source,
                                      size_t count, uccs_type_t type, uccs_reduce_op_t op);

#ifdef __cplusplus
}
#endif
#endif
