// SPDX-License-Identifier: BSD-3-Clause
/// Puts and gets of one word, and their syncs, compiled into the program. Included by `gasnet.h`
/// when UCCS_GASNET_INLINE is defined before it. What is not a word of constant size, or not
/// mapped, goes to the library. Programs compiled so belong to the version of the library they were
/// compiled with.
#ifndef UCCS_GASNET_INLINE_H
#define UCCS_GASNET_INLINE_H

#include "uccs/gasnet_extended.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Memory of a node that loads and stores reach here, as the node itself sees it. Constant after
/// gasnet_attach.
typedef struct uccs_gasnet_peer {
  uintptr_t low;
  uintptr_t bytes;  ///< 0: nothing is reached
  uintptr_t delta;  ///< where `low` is mapped here, minus `low` (wraps)
  uintptr_t unused;
} uccs_gasnet_peer_t;

typedef struct uccs_gasnet_map {
  const uccs_gasnet_peer_t* peers;
  uint32_t nodes;  ///< 0 before gasnet_attach
} uccs_gasnet_map_t;

/// A pointer and not the object, so that a copy relocation in the executable copies a constant.
UCCS_DATA extern const uccs_gasnet_map_t* const uccs_gasnet_map;

/// Where `address` of `node` is mapped here, NULL when it is not. About 10 instructions.
static inline void* uccs_gasnet_reach(const uccs_gasnet_map_t* map, gasnet_node_t node,
                                      const void* address) {
  const uccs_gasnet_peer_t* peer;
  void* reached;
  if (node >= map->nodes) return NULL;
  peer = &map->peers[node];
  if ((uintptr_t)address - peer->low >= peer->bytes) return NULL;
  reached = (void*)((uintptr_t)address + peer->delta);
#if defined(__GNUC__)
  if (reached == NULL) __builtin_unreachable(); /* spares the caller the test of the result */
#endif
  return reached;
}

#if defined(UCCS_GASNET_INLINE) && defined(__GNUC__)

#define UCCS_GASNET_HOT static inline __attribute__((always_inline))
/* A put that is done but for the fence of its sync. */
#define UCCS_GASNET_STORED ((gasnet_handle_t)(uintptr_t)1)

UCCS_GASNET_HOT int uccs_gasnet_is_word(size_t bytes) {
  return bytes == 8 || bytes == 4 || bytes == 2 || bytes == 1;
}
/* Words move whole: they may be flags. The size is a constant, so one line of each remains. */
UCCS_GASNET_HOT void uccs_gasnet_store(void* to, gasnet_register_value_t value, size_t bytes) {
  if (bytes == 8) __atomic_store_n((uint64_t*)to, (uint64_t)value, __ATOMIC_RELAXED);
  if (bytes == 4) __atomic_store_n((uint32_t*)to, (uint32_t)value, __ATOMIC_RELAXED);
  if (bytes == 2) __atomic_store_n((uint16_t*)to, (uint16_t)value, __ATOMIC_RELAXED);
  if (bytes == 1) __atomic_store_n((uint8_t*)to, (uint8_t)value, __ATOMIC_RELAXED);
}
UCCS_GASNET_HOT gasnet_register_value_t uccs_gasnet_load(const void* from, size_t bytes) {
  if (bytes == 8)
    return (gasnet_register_value_t)__atomic_load_n((const uint64_t*)from, __ATOMIC_ACQUIRE);
  if (bytes == 4) return __atomic_load_n((const uint32_t*)from, __ATOMIC_ACQUIRE);
  if (bytes == 2) return __atomic_load_n((const uint16_t*)from, __ATOMIC_ACQUIRE);
  return __atomic_load_n((const uint8_t*)from, __ATOMIC_ACQUIRE);
}
UCCS_GASNET_HOT gasnet_register_value_t uccs_gasnet_read(const void* from, size_t bytes) {
  uint64_t eight;
  uint32_t four;
  uint16_t two;
  if (bytes == 8) return __builtin_memcpy(&eight, from, 8), (gasnet_register_value_t)eight;
  if (bytes == 4) return __builtin_memcpy(&four, from, 4), four;
  if (bytes == 2) return __builtin_memcpy(&two, from, 2), two;
  return *(const uint8_t*)from;
}
UCCS_GASNET_HOT void uccs_gasnet_write(void* to, gasnet_register_value_t value, size_t bytes) {
  const uint64_t eight = value;
  const uint32_t four = (uint32_t)value;
  const uint16_t two = (uint16_t)value;
  if (bytes == 8) __builtin_memcpy(to, &eight, 8);
  if (bytes == 4) __builtin_memcpy(to, &four, 4);
  if (bytes == 2) __builtin_memcpy(to, &two, 2);
  if (bytes == 1) *(uint8_t*)to = (uint8_t)value;
}
/* A put is complete when the CPU's store buffer has drained. */
UCCS_GASNET_HOT void uccs_gasnet_complete_stores(void) {
#if defined(__x86_64__)
  __asm__ volatile("lock orq $0, (%%rsp)" ::: "memory", "cc");
#else
  __atomic_thread_fence(__ATOMIC_SEQ_CST);
#endif
}

/* Result type, name, parameters of a value put: FAST after the store, the library otherwise. */
#define UCCS_GASNET_PUT(TYPE, NAME, FAST, SLOW)                                                 \
  UCCS_GASNET_HOT TYPE uccs_inline_##NAME(gasnet_node_t node, void* dest, void* src,            \
                                          size_t nbytes) {                                      \
    if (__builtin_constant_p(nbytes) && uccs_gasnet_is_word(nbytes)) {                          \
      void* const to = uccs_gasnet_reach(uccs_gasnet_map, node, dest);                          \
      if (to) {                                                                                 \
        uccs_gasnet_store(to, uccs_gasnet_read(src, nbytes), nbytes);                           \
        FAST;                                                                                   \
      }                                                                                         \
    }                                                                                           \
    SLOW NAME(node, dest, src, nbytes);                                                         \
  }                                                                                             \
  UCCS_GASNET_HOT TYPE uccs_inline_##NAME##_val(gasnet_node_t node, void* dest,                 \
                                                gasnet_register_value_t value, size_t nbytes) { \
    if (__builtin_constant_p(nbytes) && uccs_gasnet_is_word(nbytes)) {                          \
      void* const to = uccs_gasnet_reach(uccs_gasnet_map, node, dest);                          \
      if (to && ((uintptr_t)to & (nbytes - 1)) == 0) {                                          \
        uccs_gasnet_store(to, value, nbytes);                                                   \
        FAST;                                                                                   \
      }                                                                                         \
    }                                                                                           \
    SLOW NAME##_val(node, dest, value, nbytes);                                                 \
  }
UCCS_GASNET_PUT(void, gasnet_put, uccs_gasnet_complete_stores(); return, )
UCCS_GASNET_PUT(gasnet_handle_t, gasnet_put_nb, return UCCS_GASNET_STORED, return )
UCCS_GASNET_PUT(void, gasnet_put_nbi, return, )

#define UCCS_GASNET_GET(TYPE, NAME, FAST, SLOW)                                      \
  UCCS_GASNET_HOT TYPE uccs_inline_##NAME(void* dest, gasnet_node_t node, void* src, \
                                          size_t nbytes) {                           \
    if (__builtin_constant_p(nbytes) && uccs_gasnet_is_word(nbytes)) {               \
      const void* const from = uccs_gasnet_reach(uccs_gasnet_map, node, src);        \
      if (from) {                                                                    \
        uccs_gasnet_write(dest, uccs_gasnet_load(from, nbytes), nbytes);             \
        FAST;                                                                        \
      }                                                                              \
    }                                                                                \
    SLOW NAME(dest, node, src, nbytes);                                              \
  }
UCCS_GASNET_GET(void, gasnet_get, return, )
UCCS_GASNET_GET(gasnet_handle_t, gasnet_get_nb, return GASNET_INVALID_HANDLE, return )
UCCS_GASNET_GET(void, gasnet_get_nbi, return, )

UCCS_GASNET_HOT gasnet_register_value_t uccs_inline_gasnet_get_val(gasnet_node_t node, void* src,
                                                                   size_t nbytes) {
  if (__builtin_constant_p(nbytes) && uccs_gasnet_is_word(nbytes)) {
    const void* const from = uccs_gasnet_reach(uccs_gasnet_map, node, src);
    if (from && ((uintptr_t)from & (nbytes - 1)) == 0) return uccs_gasnet_load(from, nbytes);
  }
  return gasnet_get_val(node, src, nbytes);
}

UCCS_GASNET_HOT void uccs_inline_gasnet_wait_syncnb(gasnet_handle_t handle) {
  if (handle == UCCS_GASNET_STORED)
    uccs_gasnet_complete_stores();
  else if (handle != GASNET_INVALID_HANDLE)
    gasnet_wait_syncnb(handle);
}

#undef UCCS_GASNET_PUT
#undef UCCS_GASNET_GET

#define gasnet_put(node, dest, src, nbytes) uccs_inline_gasnet_put(node, dest, src, nbytes)
#define gasnet_put_nb(node, dest, src, nbytes) uccs_inline_gasnet_put_nb(node, dest, src, nbytes)
#define gasnet_put_nbi(node, dest, src, nbytes) uccs_inline_gasnet_put_nbi(node, dest, src, nbytes)
#define gasnet_put_val(node, dest, value, nbytes) \
  uccs_inline_gasnet_put_val(node, dest, value, nbytes)
#define gasnet_put_nb_val(node, dest, value, nbytes) \
  uccs_inline_gasnet_put_nb_val(node, dest, value, nbytes)
#define gasnet_put_nbi_val(node, dest, value, nbytes) \
  uccs_inline_gasnet_put_nbi_val(node, dest, value, nbytes)
#define gasnet_get(dest, node, src, nbytes) uccs_inline_gasnet_get(dest, node, src, nbytes)
#define gasnet_get_nb(dest, node, src, nbytes) uccs_inline_gasnet_get_nb(dest, node, src, nbytes)
#define gasnet_get_nbi(dest, node, src, nbytes) uccs_inline_gasnet_get_nbi(dest, node, src, nbytes)
#define gasnet_get_val(node, src, nbytes) uccs_inline_gasnet_get_val(node, src, nbytes)
#define gasnet_wait_syncnb(handle) uccs_inline_gasnet_wait_syncnb(handle)

#endif

#ifdef __cplusplus
}
#endif
#endif
