// SPDX-License-Identifier: BSD-3-Clause
/* What the OpenSHMEM tests share: CHECK, values of any type, and the two forms of each routine. */
#ifndef TESTS_SPMD_SHMEM_COMMON_H
#define TESTS_SPMD_SHMEM_COMMON_H
#include <string.h>

#include "../mem/check.h"
#include "../rounds.h"

/* Bytes of a value that count: long double has padding. */
#define VALUE_BYTES(TYPE) (sizeof(TYPE) == 16 ? 10 : sizeof(TYPE))
#define SAME(TYPE, a, b) (memcmp((a), (b), VALUE_BYTES(TYPE)) == 0)

/* Element `i` of PE `pe`'s data: the edges first (zeros, all ones, top bit only, all but the top
 * bit: as numbers among others -1, the least and the greatest, NaN, -0.0), then a mixture. */
static inline void fill_value(void* value, size_t bytes, int pe, int i) {
  unsigned char* at = (unsigned char*)value;
  if (i < 4) {
    memset(at, i == 1 || i == 3 ? 0xff : 0, bytes);
    if (i == 2) at[bytes - 1] = 0x80;
    if (i == 3) at[bytes - 1] = 0x7f;
    return;
  }
  uint64_t state = (uint64_t)pe * 1000003u + (uint64_t)i * 7919u + 12345u;
  for (size_t b = 0; b < bytes; ++b) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    at[b] = (unsigned char)(state >> 56);
  }
}

#define FILL(array, count, pe)                                     \
  do {                                                             \
    for (int i_ = 0; i_ < (int)(count); ++i_)                      \
      fill_value((array) + i_, VALUE_BYTES((array)[0]), (pe), i_); \
  } while (0)

/* For macros over FORM, empty or ctx_: the parameter and the argument that the form has. */
#define CTX_PARAMETER_
#define CTX_PARAMETER_ctx_ shmem_ctx_t ctx,
#define CTX_ARGUMENT_
#define CTX_ARGUMENT_ctx_ ctx,
#define QUIET_ shmem_quiet()
#define QUIET_ctx_ shmem_ctx_quiet(ctx)
#define FENCE_ shmem_fence()
#define FENCE_ctx_ shmem_ctx_fence(ctx)

#endif
