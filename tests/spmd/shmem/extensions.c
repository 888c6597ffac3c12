// SPDX-License-Identifier: BSD-3-Clause
/* What UCCS has beside the standard. */
#include <shmemx.h>

#include "common.h"

enum { kMaxPes = 8, kBlock = 100 };

static unsigned char in[kMaxPes * kBlock], out[kMaxPes * kBlock];
static size_t in_offsets[kMaxPes], in_sizes[kMaxPes], out_offsets[kMaxPes], out_sizes[kMaxPes];
static uint64_t signal;
static long pSync[SHMEM_ALLTOALL_SYNC_SIZE];

/* Member i gives member j (7 i + 3 j) % 31 bytes of value 16 i + j, from the end of its buffer. */
static size_t given(int i, int j) { return (size_t)(7 * i + 3 * j) % 31; }

static void prepare(int rank, int size) {
  size_t at = sizeof in;
  for (int j = 0; j < size; ++j) {
    in_sizes[j] = given(rank, j);
    at -= in_sizes[j];
    in_offsets[j] = at;
    memset(in + at, 16 * rank + j, in_sizes[j]);
    out_offsets[j] = (size_t)j * kBlock + 1;
    out_sizes[j] = 999;
  }
  memset(out, 0xff, sizeof out);
}

static void verify(int rank, int size) {
  for (int i = 0; i < size; ++i) {
    CHECK(out_sizes[i] == given(i, rank));
    const unsigned char* const at = out + out_offsets[i];
    CHECK(at[-1] == 0xff && at[out_sizes[i]] == 0xff);
    for (size_t b = 0; b < out_sizes[i]; ++b) CHECK(at[b] == 16 * i + rank);
  }
}

static void check_places(int me, int n) {
  int pes[kMaxPes] = {-1};
  const int count = shmemx_local_npes();
  CHECK(count == shmem_team_n_pes(SHMEMX_TEAM_NODE) && count <= n);
  shmemx_local_pes(pes, kMaxPes);
  int found = 0;
  for (int i = 0; i < count; ++i) {
    CHECK(shmem_ptr(in, pes[i]) != NULL);
    found += pes[i] == me;
  }
  CHECK(found == 1);
  shmemx_locality_t mine, theirs;
  CHECK(shmemx_pe_locality(me, &mine) == 0 && strcmp(mine.host, shmemx_nodename()) == 0);
  CHECK(shmemx_pe_locality(-1, &theirs) == -1 && shmemx_pe_locality(n, &theirs) == -1);
  CHECK(shmemx_pe_distance(me) == SHMEMX_DISTANCE_SELF && shmemx_pe_distance(n) == -1);
  for (int pe = 0; pe < n; ++pe) {
    const int is_near = shmem_ptr(in, pe) != NULL;
    CHECK(shmemx_pe_locality(pe, &theirs) == 0 && (theirs.node == mine.node) == is_near);
    CHECK(theirs.core >= SHMEMX_PLACE_UNKNOWN && theirs.socket >= SHMEMX_PLACE_UNKNOWN);
    const int distance = shmemx_pe_distance(pe);
    CHECK(pe == me || is_near || distance == SHMEMX_DISTANCE_REMOTE);
    CHECK(pe == me || !is_near ||
          (distance >= SHMEMX_DISTANCE_CORE && distance <= SHMEMX_DISTANCE_NODE));
    if (is_near && theirs.core != SHMEMX_PLACE_UNKNOWN && theirs.core == mine.core)
      CHECK(distance <= SHMEMX_DISTANCE_CORE);
  }
}

int main(void) {
  shmem_init();
  const int me = shmem_my_pe(), n = shmem_n_pes(), next = (me + 1) % n;
  for (int round = 0; round < 20; ++round) {
    prepare(me, n);
    shmemx_alltoallv(out, out_offsets, out_sizes, in, in_offsets, in_sizes, 0, 0, n, pSync);
    verify(me, n);
  }
  shmem_team_t backward;
  CHECK(shmem_team_split_strided(SHMEM_TEAM_WORLD, n - 1, -1, n, NULL, 0, &backward) == 0);
  prepare(n - 1 - me, n);
  shmemx_team_alltoallv(out, out_offsets, out_sizes, in, in_offsets, in_sizes, backward, NULL);
  verify(n - 1 - me, n);
  shmem_team_destroy(backward);
  if (me % 2 == 0) {
    prepare(me / 2, (n + 1) / 2);
    shmemx_alltoallv(out, out_offsets, out_sizes, in, in_offsets, in_sizes, 0, 1, (n + 1) / 2,
                     pSync);
    verify(me / 2, (n + 1) / 2);
  }

  check_places(me, n);
  const double before = shmemx_wtime();
  CHECK(shmemx_nodename()[0] != '\0');
  CHECK(shmemx_wtime() >= before && shmem_team_n_pes(SHMEMX_TEAM_NODE) >= 1);
  char* block = shmem_malloc_with_hints(1000, SHMEMX_MALLOC_NO_BARRIER);
  CHECK(block && shmemx_malloc_usable_size(block) == 1000);
  CHECK(shmemx_malloc_usable_size(block + 10) == 990 && shmemx_malloc_usable_size(&signal) == 0);
  shmem_barrier_all();
  shmemx_putmem_signal(block, "over there", 11, &signal, 3, next);
  CHECK(shmem_signal_wait_until(&signal, SHMEM_CMP_NE, 0) == 3 && !strcmp(block, "over there"));
  CHECK(shmemx_quiet_test() == 1 && shmemx_ctx_fence_test(SHMEM_CTX_DEFAULT) == 1);
  CHECK(shmemx_fence_test() == 1 && shmemx_ctx_quiet_test(SHMEM_CTX_DEFAULT) == 1);
  shmemx_local_complete();
  shmemx_ctx_local_complete(SHMEM_CTX_DEFAULT);
  shmem_barrier_all();
  double parts[4] = {1, 2, 3, 4}, back[4] = {0, 0, 0, 0};
  shmemx_double_ibput((double*)block, parts, 3, 2, 2, 2, next); /* elements 0, 1, 3, 4 */
  shmemx_ctx_ibget64(SHMEM_CTX_DEFAULT, back, block, 2, 3, 2, 2, next);
  CHECK(memcmp(parts, back, sizeof parts) == 0);
  shmemx_signal_set(&signal, 0, me);
  shmemx_ctx_signal_add(SHMEM_CTX_DEFAULT, &signal, 5, me);
  CHECK(shmem_signal_fetch(&signal) == 5);
  static int sum = -1, own;
  own = me + 1;
  CHECK(shmemx_int_sum_inscan(SHMEM_TEAM_WORLD, &sum, &own, 1) == 0);
  CHECK(sum == (me + 1) * (me + 2) / 2);
  CHECK(shmemx_sum_exscan(SHMEM_TEAM_WORLD, &sum, &own, 1) == 0 && sum == me * (me + 1) / 2);
  shmem_free(block);
  shmem_finalize();
  return 0;
}
