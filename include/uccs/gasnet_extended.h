// SPDX-License-Identifier: BSD-3-Clause
/// Puts, gets and their completion: the extended API of GASNet. Include `gasnet.h` in programs.
///
/// What holds for all calls. `node` and the remote address name memory in that node's segment, at
/// the address that the *node* sees (gasnet_getSegmentInfo); local memory may be any. 0 bytes do
/// nothing. Source and destination do not overlap. Sizes of 1, 2, 4 and 8 bytes at aligned
/// addresses move whole. Wrong nodes and addresses end the job with a message.
/// Threads: any. Progress: runs no handlers when the target is mapped, which it is on one node
/// unless everything is reached (GASNET_SEGMENT_EVERYTHING); then blocking and sync calls do.
/// Legal state: after gasnet_attach, not in handlers.
#ifndef UCCS_GASNET_EXTENDED_H
#define UCCS_GASNET_EXTENDED_H

#include "gasnet.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Blocking (3.2). A put is visible to everybody on return. */

UCCS_API void gasnet_get(void* dest, gasnet_node_t node, void* src, size_t nbytes);
UCCS_API void gasnet_put(gasnet_node_t node, void* dest, void* src, size_t nbytes);
UCCS_API void gasnet_get_bulk(void* dest, gasnet_node_t node, void* src, size_t nbytes);
UCCS_API void gasnet_put_bulk(gasnet_node_t node, void* dest, void* src, size_t nbytes);
UCCS_API void gasnet_memset(gasnet_node_t node, void* dest, int val, size_t nbytes);

/* Non-blocking with a handle (3.3.2). The handle belongs to the calling thread and goes to exactly
 * one successful sync. The source of a _bulk put stays unchanged until then. */

UCCS_API gasnet_handle_t gasnet_get_nb(void* dest, gasnet_node_t node, void* src, size_t nbytes);
UCCS_API gasnet_handle_t gasnet_put_nb(gasnet_node_t node, void* dest, void* src, size_t nbytes);
UCCS_API gasnet_handle_t gasnet_get_nb_bulk(void* dest, gasnet_node_t node, void* src,
                                            size_t nbytes);
UCCS_API gasnet_handle_t gasnet_put_nb_bulk(gasnet_node_t node, void* dest, void* src,
                                            size_t nbytes);
UCCS_API gasnet_handle_t gasnet_memset_nb(gasnet_node_t node, void* dest, int val, size_t nbytes);

/// Waits for, or looks at, one operation; GASNET_INVALID_HANDLE is complete. The try calls return
/// GASNET_OK or GASNET_ERR_NOT_READY.
UCCS_API void gasnet_wait_syncnb(gasnet_handle_t handle);
UCCS_API int gasnet_try_syncnb(gasnet_handle_t handle);
/// The same for all of `numhandles` operations; those that are complete become
/// GASNET_INVALID_HANDLE in the array.
UCCS_API void gasnet_wait_syncnb_all(gasnet_handle_t* handles, size_t numhandles);
UCCS_API int gasnet_try_syncnb_all(gasnet_handle_t* handles, size_t numhandles);
/// The same for at least one of the valid handles; none valid counts as complete.
UCCS_API void gasnet_wait_syncnb_some(gasnet_handle_t* handles, size_t numhandles);
UCCS_API int gasnet_try_syncnb_some(gasnet_handle_t* handles, size_t numhandles);

/* Non-blocking without handle (3.3.4): the syncs below are for all that the thread has started. */

UCCS_API void gasnet_get_nbi(void* dest, gasnet_node_t node, void* src, size_t nbytes);
UCCS_API void gasnet_put_nbi(gasnet_node_t node, void* dest, void* src, size_t nbytes);
UCCS_API void gasnet_get_nbi_bulk(void* dest, gasnet_node_t node, void* src, size_t nbytes);
UCCS_API void gasnet_put_nbi_bulk(gasnet_node_t node, void* dest, void* src, size_t nbytes);
UCCS_API void gasnet_memset_nbi(gasnet_node_t node, void* dest, int val, size_t nbytes);

UCCS_API void gasnet_wait_syncnbi_gets(void);
UCCS_API void gasnet_wait_syncnbi_puts(void);
UCCS_API void gasnet_wait_syncnbi_all(void);
UCCS_API int gasnet_try_syncnbi_gets(void);
UCCS_API int gasnet_try_syncnbi_puts(void);
UCCS_API int gasnet_try_syncnbi_all(void);

/// What the thread starts without handle between these two gets one handle together, and is not
/// waited for by the syncs above. They do not nest (that ends the job).
UCCS_API void gasnet_begin_nbi_accessregion(void);
UCCS_API gasnet_handle_t gasnet_end_nbi_accessregion(void);

/* Values in registers (3.4): the `nbytes` (1..SIZEOF_GASNET_REGISTER_VALUE_T) low bytes. */

UCCS_API void gasnet_put_val(gasnet_node_t node, void* dest, gasnet_register_value_t value,
                             size_t nbytes);
UCCS_API gasnet_handle_t gasnet_put_nb_val(gasnet_node_t node, void* dest,
                                           gasnet_register_value_t value, size_t nbytes);
UCCS_API void gasnet_put_nbi_val(gasnet_node_t node, void* dest, gasnet_register_value_t value,
                                 size_t nbytes);
UCCS_API gasnet_register_value_t gasnet_get_val(gasnet_node_t node, void* src, size_t nbytes);
UCCS_API gasnet_valget_handle_t gasnet_get_nb_val(gasnet_node_t node, void* src, size_t nbytes);
UCCS_API gasnet_register_value_t gasnet_wait_syncnb_valget(gasnet_valget_handle_t handle);

#ifdef __cplusplus
}
#endif
#endif
