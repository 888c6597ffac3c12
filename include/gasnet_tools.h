// SPDX-License-Identifier: BSD-3-Clause
/// What clients of GASNet use beside it: timers, fences, atomics and a few facts about the machine,
/// under the names of the GASNet tools. Nothing here communicates; legal at any time, any thread.
#ifndef GASNET_TOOLS_H
#define GASNET_TOOLS_H

#include <stddef.h>
#include <stdint.h>

#include "uccs/status.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Time. A tick is a nanosecond of a clock that never goes back. */

typedef uint64_t gasnett_tick_t;
#define GASNETT_TICK_MIN ((gasnett_tick_t)0)
#define GASNETT_TICK_MAX ((gasnett_tick_t)-1)
/// The time now; about 20 ns.
UCCS_API gasnett_tick_t gasnett_ticks_now(void);
static inline uint64_t gasnett_ticks_to_ns(gasnett_tick_t ticks) { return ticks; }
static inline uint64_t gasnett_ticks_to_us(gasnett_tick_t ticks) { return ticks / 1000; }
/// The least difference between two times, and how long asking takes, in microseconds.
UCCS_API double gasnett_tick_granularity(void);
UCCS_API double gasnett_tick_overhead(void);
/// Waits without giving up the CPU.
UCCS_API void gasnett_nsleep(uint64_t nanoseconds);

/* Fences for the memory of this node: of stores, of loads, of both, and for the compiler alone. */

#define gasnett_local_wmb() __atomic_thread_fence(__ATOMIC_RELEASE)
#define gasnett_local_rmb() __atomic_thread_fence(__ATOMIC_ACQUIRE)
#define gasnett_local_mb() __atomic_thread_fence(__ATOMIC_SEQ_CST)
#define gasnett_compiler_fence() __atomic_signal_fence(__ATOMIC_SEQ_CST)

/* Atomics between the threads of this node, of 32 and 64 bits. `flags` say what else is ordered;
 * any but GASNETT_ATOMIC_NONE orders everything. */

#define GASNETT_ATOMIC_NONE 0
#define GASNETT_ATOMIC_RMB_PRE 1
#define GASNETT_ATOMIC_WMB_PRE 2
#define GASNETT_ATOMIC_MB_PRE 3
#define GASNETT_ATOMIC_RMB_POST 4
#define GASNETT_ATOMIC_WMB_POST 8
#define GASNETT_ATOMIC_MB_POST 12
#define GASNETT_ATOMIC_RMB_POST_IF_TRUE 16
#define GASNETT_ATOMIC_RMB_POST_IF_FALSE 32
#define GASNETT_ATOMIC_REL (GASNETT_ATOMIC_WMB_PRE | GASNETT_ATOMIC_RMB_PRE)
#define GASNETT_ATOMIC_ACQ (GASNETT_ATOMIC_RMB_POST | GASNETT_ATOMIC_WMB_POST)
#define GASNETT_ATOMIC_ACQ_IF_TRUE GASNETT_ATOMIC_RMB_POST_IF_TRUE
#define GASNETT_ATOMIC_ACQ_IF_FALSE GASNETT_ATOMIC_RMB_POST_IF_FALSE

/* <name>_t with init, read, set, increment, decrement, decrement_and_test (true at zero),
 * compare_and_swap (true when done), swap (the old value), add and subtract (the new value). */
#define UCCS_GASNETT_ATOMIC(NAME, UNSIGNED)                                                      \
  typedef struct {                                                                               \
    UNSIGNED value;                                                                              \
  } NAME##_t;                                                                                    \
  static inline UNSIGNED NAME##_read(NAME##_t* p, int flags) {                                   \
    return flags ? __atomic_load_n(&p->value, __ATOMIC_SEQ_CST)                                  \
                 : __atomic_load_n(&p->value, __ATOMIC_RELAXED);                                 \
  }                                                                                              \
  static inline void NAME##_set(NAME##_t* p, UNSIGNED value, int flags) {                        \
    if (flags)                                                                                   \
      __atomic_store_n(&p->value, value, __ATOMIC_SEQ_CST);                                      \
    else                                                                                         \
      __atomic_store_n(&p->value, value, __ATOMIC_RELAXED);                                      \
  }                                                                                              \
  static inline UNSIGNED NAME##_add(NAME##_t* p, UNSIGNED operand, int flags) {                  \
    return flags ? __atomic_add_fetch(&p->value, operand, __ATOMIC_SEQ_CST)                      \
                 : __atomic_add_fetch(&p->value, operand, __ATOMIC_RELAXED);                     \
  }                                                                                              \
  static inline UNSIGNED NAME##_subtract(NAME##_t* p, UNSIGNED operand, int flags) {             \
    return NAME##_add(p, (UNSIGNED)0 - operand, flags);                                          \
  }                                                                                              \
  static inline void NAME##_increment(NAME##_t* p, int flags) { (void)NAME##_add(p, 1, flags); } \
  static inline void NAME##_decrement(NAME##_t* p, int flags) {                                  \
    (void)NAME##_subtract(p, 1, flags);                                                          \
  }                                                                                              \
  static inline int NAME##_decrement_and_test(NAME##_t* p, int flags) {                          \
    return NAME##_subtract(p, 1, flags) == 0;                                                    \
  }                                                                                              \
  static inline UNSIGNED NAME##_swap(NAME##_t* p, UNSIGNED value, int flags) {                   \
    return flags ? __atomic_exchange_n(&p->value, value, __ATOMIC_SEQ_CST)                       \
                 : __atomic_exchange_n(&p->value, value, __ATOMIC_RELAXED);                      \
  }                                                                                              \
  static inline int NAME##_compare_and_swap(NAME##_t* p, UNSIGNED old_value, UNSIGNED new_value, \
                                            int flags) {                                         \
    return flags ? __atomic_compare_exchange_n(&p->value, &old_value, new_value, 0,              \
                                               __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST)               \
                 : __atomic_compare_exchange_n(&p->value, &old_value, new_value, 0,              \
                                               __ATOMIC_RELAXED, __ATOMIC_RELAXED);              \
  }
UCCS_GASNETT_ATOMIC(gasnett_atomic, uint32_t)
UCCS_GASNETT_ATOMIC(gasnett_atomic32, uint32_t)
UCCS_GASNETT_ATOMIC(gasnett_atomic64, uint64_t)
#undef UCCS_GASNETT_ATOMIC

typedef uint32_t gasnett_atomic_val_t;
typedef int32_t gasnett_atomic_sval_t;
#define GASNETT_ATOMIC_MAX UINT32_MAX
#define GASNETT_ATOMIC_SIGNED_MAX INT32_MAX
#define GASNETT_ATOMIC_SIGNED_MIN INT32_MIN
#define gasnett_atomic_signed(value) ((gasnett_atomic_sval_t)(value))
#define gasnett_atomic_init(initial) \
  { (initial) }
#define gasnett_atomic32_init(initial) gasnett_atomic_init(initial)
#define gasnett_atomic64_init(initial) gasnett_atomic_init(initial)

/* The machine and the compiler. */

#define GASNETT_CACHE_LINE_BYTES 64
#define GASNETT_PAGESIZE 4096
#define GASNETT_PREDICT_TRUE(condition) __builtin_expect(!!(condition), 1)
#define GASNETT_PREDICT_FALSE(condition) __builtin_expect(!!(condition), 0)

/// CPUs that this process may use, at least 1.
UCCS_API int gasnett_cpu_count(void);
/// Bytes of memory that the machine has.
UCCS_API uint64_t gasnett_getPhysMemSz(int fail_if_unknown);
/// The machine's name. Static.
UCCS_API const char* gasnett_gethostname(void);
/// Lets others run on this CPU.
UCCS_API void gasnett_sched_yield(void);
/// Writes out what stdout and stderr hold.
UCCS_API void gasnett_flush_streams(void);

#ifdef __cplusplus
}
#endif
#endif
