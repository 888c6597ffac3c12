// SPDX-License-Identifier: BSD-3-Clause
/* As probe.c for the header-inlined forms (opt-in macro SHMEMX_INLINE). */
#define SHMEMX_INLINE
#include <shmem.h>
#include <valgrind/callgrind.h>

enum { kCalls = 1000 };

#define MEASURE(name, statement)                \
  do {                                          \
    CALLGRIND_ZERO_STATS;                       \
    CALLGRIND_TOGGLE_COLLECT;                   \
    for (volatile int i = 0; i < kCalls; ++i) { \
      statement;                                \
    }                                           \
    CALLGRIND_TOGGLE_COLLECT;                   \
    CALLGRIND_DUMP_STATS_AT(name);              \
  } while (0)

int main(void) {
  shmem_init();
  const int peer = shmem_n_pes() - 1;
  long value = 1, *word = shmem_malloc(64);
  if (!word) shmem_global_exit(1);
  if (shmem_my_pe() == 0) {
    MEASURE("loop", __asm__ volatile("" ::: "memory"));
    MEASURE("inline long_p", shmem_long_p(word, 1, peer));
    MEASURE("inline long_put 1", shmem_long_put(word, &value, 1, peer));
    MEASURE("inline long_g", value = shmem_long_g(word, peer));
    MEASURE("inline fetch_add", value = shmem_long_atomic_fetch_add(word, 1, peer));
  }
  shmem_barrier_all();
  shmem_free(word);
  shmem_finalize();
  return 0;
}
