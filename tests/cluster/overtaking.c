// SPDX-License-Identifier: BSD-3-Clause
// Short operations overtake a long put to the same PE, which the link between the hosts makes take
// a second: they see memory as it was before its end. So does the quiet of another context.
#include <shmem.h>
#include <stdio.h>

enum { kLong = 6 << 20 };  // words of 8 bytes

static int fail(const char* what) {
  fprintf(stderr, "%s waited for the put\n", what);
  return 1;
}

int main(void) {
  shmem_init();
  const int me = shmem_my_pe(), other = shmem_n_pes() / 2;
  long* from = shmem_malloc(kLong * sizeof(long));
  long* to = shmem_calloc(kLong, sizeof(long));
  long* last = &to[kLong - 1];
  int wrong = 0;
  for (int i = 0; i < kLong; ++i) from[i] = i + 1;
  shmem_barrier_all();
  if (me == 0) {
    shmem_long_put_nbi(to, from, kLong, other);
    if (shmem_long_g(last, other) != 0) wrong = fail("a get");
    if (shmem_long_atomic_fetch(last, other) != 0) wrong = fail("an atomic");
    shmem_long_p(last, -1, other + 1);
    (void)shmem_long_g(last, other + 1);
    if (shmem_long_g(last, other) != 0) wrong = fail("a put to the next PE");
    shmem_ctx_t context;
    if (shmem_ctx_create(0, &context) != 0) shmem_global_exit(1);
    static long from_context;
    shmem_ctx_long_p(context, &from_context, 5, other);
    shmem_ctx_quiet(context);
    if (shmem_long_g(last, other) != 0) wrong = fail("the quiet of another context");
    if (shmem_long_g(&from_context, other) != 5) {
      fprintf(stderr, "the quiet of a context did not wait for its put\n");
      wrong = 1;
    }
    shmem_ctx_long_put_nbi(context, to, from, kLong, other + 1);
    shmem_ctx_quiet(context);
    if (shmem_long_g(last, other + 1) != kLong) {
      fprintf(stderr, "the quiet of a context did not wait for its long put\n");
      wrong = 1;
    }
    shmem_quiet();
    if (shmem_long_g(last, other) != kLong) {
      fprintf(stderr, "quiet did not wait for the put\n");
      wrong = 1;
    }
  }
  shmem_barrier_all();
  if (me == other)
    for (int i = 0; i < kLong; ++i)
      if (to[i] != i + 1) wrong = 1;
  if (wrong) shmem_global_exit(1);
  shmem_finalize();
  return 0;
}
