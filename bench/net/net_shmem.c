// SPDX-License-Identifier: BSD-3-Clause
/* One-sided operations between two PEs over a network: PE 0 works, PE 1 waits in a barrier.
 *
 *     oshrun -n 2 net_shmem [seconds of a turn] [folder of pipes]
 *
 * OpenSHMEM 1.4 only: the same source runs on every library; compare.py does that. */
#define _GNU_SOURCE
#include <shmem.h>

#include "operations.h"

static char *remote, *local;
static long *words, *flag, *agreed;
static volatile long sink;

static void put_quiet(void) {
  shmem_long_p(words, 1, peer);
  shmem_quiet();
}
static void put_rate(void) {
  for (int i = 0; i < kBurst; ++i) shmem_long_p(&words[i], i, peer);
  shmem_quiet();
}
static void put_pages(void) {
  for (int i = 0; i < kPageBurst; ++i)
    shmem_putmem_nbi(remote + (size_t)i * kPage, local + (size_t)i * kPage, kPage, peer);
  shmem_quiet();
}
static void put_large(void) {
  for (int i = 0; i < kLargeBurst; ++i)
    shmem_putmem_nbi(remote + (size_t)i * kLarge, local, kLarge, peer);
  shmem_quiet();
}
static void get(void) { sink = shmem_long_g(words, peer); }
static void get_rate(void) {
  for (int i = 0; i < kBurst; ++i) shmem_long_get_nbi((long*)local + i, &words[i], 1, peer);
  shmem_quiet();
}
static void get_large(void) {
  for (int i = 0; i < kLargeBurst; ++i)
    shmem_getmem_nbi(local, remote + (size_t)i * kLarge, kLarge, peer);
  shmem_quiet();
}
static void fetch_add(void) { sink = shmem_long_atomic_fetch_add(words, 1, peer); }
static void barrier(void) { shmem_barrier_all(); }
static void ping_pong(void) {
  static long turn = 0;
  ++turn;
  if (me == 0) shmem_long_p(flag, turn, peer);
  shmem_long_wait_until(flag, SHMEM_CMP_EQ, turn);
  if (me == 1) shmem_long_p(flag, turn, peer);
}

static long agree(long value) {
  *agreed = value;
  shmem_barrier_all();
  if (me == 1) value = shmem_long_g(agreed, 0);
  shmem_barrier_all();
  return value;
}

int main(int argc, char** argv) {
  seconds = argc > 1 ? atof(argv[1]) : 0.01;
  shmem_init();
  me = shmem_my_pe(), peer = 1 - me;
  if (shmem_n_pes() != 2) {
    fprintf(stderr, "net_shmem: starts with 2 PEs, not %d\n", shmem_n_pes());
    shmem_global_exit(2);
  }
  remote = shmem_malloc((size_t)kLargeBurst * kLarge), local = shmem_malloc(kLarge);
  words = shmem_malloc(kBurst * sizeof *words);
  flag = shmem_malloc(sizeof *flag), agreed = shmem_malloc(sizeof *agreed);
  *flag = 0;
  memset(words, 0, kBurst * sizeof *words);
  memset(local, 1, kLarge);
  memset(remote, 2, (size_t)kLargeBurst * kLarge);
  measure_all(argc > 2 ? argv[2] : NULL);
  shmem_finalize();
  return 0;
}
