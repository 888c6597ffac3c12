// SPDX-License-Identifier: BSD-3-Clause
/// The calls that send GASNet active messages, for 0 to 16 arguments each. Include `gasnet.h` in
/// programs.
///
///     gasnet_AMRequestShort<M>(dest, handler, arguments...)
///     gasnet_AMRequestMedium<M>(dest, handler, source, nbytes, arguments...)
///     gasnet_AMRequestLong<M>(dest, handler, source, nbytes, dest_addr, arguments...)
///     gasnet_AMRequestLongAsync<M>(dest, handler, source, nbytes, dest_addr, arguments...)
///     gasnet_AMReplyShort<M>(token, handler, arguments...), and so Medium and Long
///
/// They return GASNET_OK; GASNET_ERR_NOT_INIT before gasnet_attach; GASNET_ERR_BAD_ARG for a node,
/// handler, size or address out of range, a request from a handler, or a second reply. The source
/// is free on return. A handler that the target has not registered ends the job there.
/// Threads: any. Progress: requests run handlers now and then, and block while the target's inbox
/// is full; replies always get through.
#ifndef UCCS_GASNET_AM_H
#define UCCS_GASNET_AM_H

#include "gasnet.h"

#ifdef __cplusplus
extern "C" {
#endif

/* All of the calls above come down to these; `arguments` is an array of `count`. */
UCCS_API int uccs_gasnet_request_short(gasnet_node_t dest, gasnet_handler_t handler,
                                       const gasnet_handlerarg_t* arguments, int count);
UCCS_API int uccs_gasnet_request_medium(gasnet_node_t dest, gasnet_handler_t handler,
                                        const void* source, size_t nbytes,
                                        const gasnet_handlerarg_t* arguments, int count);
UCCS_API int uccs_gasnet_request_long(gasnet_node_t dest, gasnet_handler_t handler,
                                      const void* source, size_t nbytes, void* dest_addr,
                                      const gasnet_handlerarg_t* arguments, int count);
UCCS_API int uccs_gasnet_reply_short(gasnet_token_t token, gasnet_handler_t handler,
                                     const gasnet_handlerarg_t* arguments, int count);
UCCS_API int uccs_gasnet_reply_medium(gasnet_token_t token, gasnet_handler_t handler,
                                      const void* source, size_t nbytes,
                                      const gasnet_handlerarg_t* arguments, int count);
UCCS_API int uccs_gasnet_reply_long(gasnet_token_t token, gasnet_handler_t handler,
                                    const void* source, size_t nbytes, void* dest_addr,
                                    const gasnet_handlerarg_t* arguments, int count);

/* The M parameters, and the M arguments, each with what separates it from its neighbours. */
#define UCCS_GASNET_PARAMETERS_0
#define UCCS_GASNET_ARGUMENTS_0
#define UCCS_GASNET_PARAMETERS_1 UCCS_GASNET_PARAMETERS_0, gasnet_handlerarg_t a0
#define UCCS_GASNET_ARGUMENTS_1 UCCS_GASNET_ARGUMENTS_0 a0,
#define UCCS_GASNET_PARAMETERS_2 UCCS_GASNET_PARAMETERS_1, gasnet_handlerarg_t a1
#define UCCS_GASNET_ARGUMENTS_2 UCCS_GASNET_ARGUMENTS_1 a1,
#define UCCS_GASNET_PARAMETERS_3 UCCS_GASNET_PARAMETERS_2, gasnet_handlerarg_t a2
#define UCCS_GASNET_ARGUMENTS_3 UCCS_GASNET_ARGUMENTS_2 a2,
#define UCCS_GASNET_PARAMETERS_4 UCCS_GASNET_PARAMETERS_3, gasnet_handlerarg_t a3
#define UCCS_GASNET_ARGUMENTS_4 UCCS_GASNET_ARGUMENTS_3 a3,
#define UCCS_GASNET_PARAMETERS_5 UCCS_GASNET_PARAMETERS_4, gasnet_handlerarg_t a4
#define UCCS_GASNET_ARGUMENTS_5 UCCS_GASNET_ARGUMENTS_4 a4,
#define UCCS_GASNET_PARAMETERS_6 UCCS_GASNET_PARAMETERS_5, gasnet_handlerarg_t a5
#define UCCS_GASNET_ARGUMENTS_6 UCCS_GASNET_ARGUMENTS_5 a5,
#define UCCS_GASNET_PARAMETERS_7 UCCS_GASNET_PARAMETERS_6, gasnet_handlerarg_t a6
#define UCCS_GASNET_ARGUMENTS_7 UCCS_GASNET_ARGUMENTS_6 a6,
#define UCCS_GASNET_PARAMETERS_8 UCCS_GASNET_PARAMETERS_7, gasnet_handlerarg_t a7
#define UCCS_GASNET_ARGUMENTS_8 UCCS_GASNET_ARGUMENTS_7 a7,
#define UCCS_GASNET_PARAMETERS_9 UCCS_GASNET_PARAMETERS_8, gasnet_handlerarg_t a8
#define UCCS_GASNET_ARGUMENTS_9 UCCS_GASNET_ARGUMENTS_8 a8,
#define UCCS_GASNET_PARAMETERS_10 UCCS_GASNET_PARAMETERS_9, gasnet_handlerarg_t a9
#define UCCS_GASNET_ARGUMENTS_10 UCCS_GASNET_ARGUMENTS_9 a9,
#define UCCS_GASNET_PARAMETERS_11 UCCS_GASNET_PARAMETERS_10, gasnet_handlerarg_t a10
#define UCCS_GASNET_ARGUMENTS_11 UCCS_GASNET_ARGUMENTS_10 a10,
#define UCCS_GASNET_PARAMETERS_12 UCCS_GASNET_PARAMETERS_11, gasnet_handlerarg_t a11
#define UCCS_GASNET_ARGUMENTS_12 UCCS_GASNET_ARGUMENTS_11 a11,
#define UCCS_GASNET_PARAMETERS_13 UCCS_GASNET_PARAMETERS_12, gasnet_handlerarg_t a12
#define UCCS_GASNET_ARGUMENTS_13 UCCS_GASNET_ARGUMENTS_12 a12,
#define UCCS_GASNET_PARAMETERS_14 UCCS_GASNET_PARAMETERS_13, gasnet_handlerarg_t a13
#define UCCS_GASNET_ARGUMENTS_14 UCCS_GASNET_ARGUMENTS_13 a13,
#define UCCS_GASNET_PARAMETERS_15 UCCS_GASNET_PARAMETERS_14, gasnet_handlerarg_t a14
#define UCCS_GASNET_ARGUMENTS_15 UCCS_GASNET_ARGUMENTS_14 a14,
#define UCCS_GASNET_PARAMETERS_16 UCCS_GASNET_PARAMETERS_15, gasnet_handlerarg_t a15
#define UCCS_GASNET_ARGUMENTS_16 UCCS_GASNET_ARGUMENTS_15 a15,

#define UCCS_GASNET_LONG(KIND, M)                                                            \
  static inline int gasnet_AMRequest##KIND##M(gasnet_node_t dest, gasnet_handler_t handler,  \
                                              void* source, size_t nbytes,                   \
                                              void* dest_addr UCCS_GASNET_PARAMETERS_##M) {  \
    const gasnet_handlerarg_t arguments[] = {UCCS_GASNET_ARGUMENTS_##M 0};                   \
    return uccs_gasnet_request_long(dest, handler, source, nbytes, dest_addr, arguments, M); \
  }
#define UCCS_GASNET_MESSAGES(M)                                                                   \
  static inline int gasnet_AMRequestShort##M(                                                     \
      gasnet_node_t dest, gasnet_handler_t handler UCCS_GASNET_PARAMETERS_##M) {                  \
    const gasnet_handlerarg_t arguments[] = {UCCS_GASNET_ARGUMENTS_##M 0};                        \
    return uccs_gasnet_request_short(dest, handler, arguments, M);                                \
  }                                                                                               \
  static inline int gasnet_AMRequestMedium##M(gasnet_node_t dest, gasnet_handler_t handler,       \
                                              void* source,                                       \
                                              size_t nbytes UCCS_GASNET_PARAMETERS_##M) {         \
    const gasnet_handlerarg_t arguments[] = {UCCS_GASNET_ARGUMENTS_##M 0};                        \
    return uccs_gasnet_request_medium(dest, handler, source, nbytes, arguments, M);               \
  }                                                                                               \
  UCCS_GASNET_LONG(Long, M)                                                                       \
  UCCS_GASNET_LONG(LongAsync, M)                                                                  \
  static inline int gasnet_AMReplyShort##M(gasnet_token_t token,                                  \
                                           gasnet_handler_t handler UCCS_GASNET_PARAMETERS_##M) { \
    const gasnet_handlerarg_t arguments[] = {UCCS_GASNET_ARGUMENTS_##M 0};                        \
    return uccs_gasnet_reply_short(token, handler, arguments, M);                                 \
  }                                                                                               \
  static inline int gasnet_AMReplyMedium##M(gasnet_token_t token, gasnet_handler_t handler,       \
                                            void* source,                                         \
                                            size_t nbytes UCCS_GASNET_PARAMETERS_##M) {           \
    const gasnet_handlerarg_t arguments[] = {UCCS_GASNET_ARGUMENTS_##M 0};                        \
    return uccs_gasnet_reply_medium(token, handler, source, nbytes, arguments, M);                \
  }                                                                                               \
  static inline int gasnet_AMReplyLong##M(gasnet_token_t token, gasnet_handler_t handler,         \
                                          void* source, size_t nbytes,                            \
                                          void* dest_addr UCCS_GASNET_PARAMETERS_##M) {           \
    const gasnet_handlerarg_t arguments[] = {UCCS_GASNET_ARGUMENTS_##M 0};                        \
    return uccs_gasnet_reply_long(token, handler, source, nbytes, dest_addr, arguments, M);       \
  }

UCCS_GASNET_MESSAGES(0)
UCCS_GASNET_MESSAGES(1)
UCCS_GASNET_MESSAGES(2)
UCCS_GASNET_MESSAGES(3)
UCCS_GASNET_MESSAGES(4)
UCCS_GASNET_MESSAGES(5)
UCCS_GASNET_MESSAGES(6)
UCCS_GASNET_MESSAGES(7)
UCCS_GASNET_MESSAGES(8)
UCCS_GASNET_MESSAGES(9)
UCCS_GASNET_MESSAGES(10)
UCCS_GASNET_MESSAGES(11)
UCCS_GASNET_MESSAGES(12)
UCCS_GASNET_MESSAGES(13)
UCCS_GASNET_MESSAGES(14)
UCCS_GASNET_MESSAGES(15)
UCCS_GASNET_MESSAGES(16)

#undef UCCS_GASNET_MESSAGES
#undef UCCS_GASNET_LONG

#ifdef __cplusplus
}
#endif
#endif
