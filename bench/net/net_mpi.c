// SPDX-License-Identifier: BSD-3-Clause
/* The operations of net_shmem.c by MPI's one-sided calls: rank 0 works, rank 1 waits in a barrier.
 *
 *     mpiexec -n 2 net_mpi [seconds of a turn] [folder of pipes] */
#define _GNU_SOURCE
#include <mpi.h>

#include "operations.h"

static MPI_Win window;
static char *memory, *local;
static volatile long sink;
enum { kWords = kLargeBurst * kLarge, kFlag = kWords + kBurst * 8, kBytes = kFlag + 8 };

static void put_word(long value, MPI_Aint at) {
  static long held[kBurst];
  static int next = 0;
  long* from = &held[next++ % kBurst];
  *from = value;
  MPI_Put(from, 1, MPI_LONG, peer, at, 1, MPI_LONG, window);
}
static void put_quiet(void) {
  put_word(1, kWords);
  MPI_Win_flush(peer, window);
}
static void put_rate(void) {
  for (int i = 0; i < kBurst; ++i) put_word(i, kWords + i * 8);
  MPI_Win_flush(peer, window);
}
static void put_pages(void) {
  for (int i = 0; i < kPageBurst; ++i)
    MPI_Put(local + (size_t)i * kPage, kPage, MPI_CHAR, peer, (MPI_Aint)i * kPage, kPage, MPI_CHAR,
            window);
  MPI_Win_flush(peer, window);
}
static void put_large(void) {
  for (int i = 0; i < kLargeBurst; ++i)
    MPI_Put(local, kLarge, MPI_CHAR, peer, (MPI_Aint)i * kLarge, kLarge, MPI_CHAR, window);
  MPI_Win_flush(peer, window);
}
static void get(void) {
  long value;
  MPI_Get(&value, 1, MPI_LONG, peer, kWords, 1, MPI_LONG, window);
  MPI_Win_flush(peer, window);
  sink = value;
}
static void get_rate(void) {
  for (int i = 0; i < kBurst; ++i)
    MPI_Get((long*)local + i, 1, MPI_LONG, peer, kWords + i * 8, 1, MPI_LONG, window);
  MPI_Win_flush(peer, window);
}
static void get_large(void) {
  for (int i = 0; i < kLargeBurst; ++i)
    MPI_Get(local, kLarge, MPI_CHAR, peer, (MPI_Aint)i * kLarge, kLarge, MPI_CHAR, window);
  MPI_Win_flush(peer, window);
}
static void fetch_add(void) {
  const long one = 1;
  long old;
  MPI_Fetch_and_op(&one, &old, MPI_LONG, peer, kWords, MPI_SUM, window);
  MPI_Win_flush(peer, window);
  sink = old;
}
static void barrier(void) { MPI_Barrier(MPI_COMM_WORLD); }
/* MPI has nothing that waits for a word, so this probes to make progress. */
static void wait_for(long turn) {
  const volatile long* flag = (const volatile long*)(memory + kFlag);
  for (;;) {
    int found;
    MPI_Win_sync(window);
    if (*flag == turn) return;
    MPI_Iprobe(peer, 0, MPI_COMM_WORLD, &found, MPI_STATUS_IGNORE);
  }
}
static void ping_pong(void) {
  static long turn = 0;
  ++turn;
  if (me == 0) put_word(turn, kFlag), MPI_Win_flush_local(peer, window);
  wait_for(turn);
  if (me == 1) put_word(turn, kFlag), MPI_Win_flush_local(peer, window);
}
static void send_receive(void) {
  long value = 1;
  if (me == 0) MPI_Send(&value, 1, MPI_LONG, peer, 1, MPI_COMM_WORLD);
  MPI_Recv(&value, 1, MPI_LONG, peer, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  if (me == 1) MPI_Send(&value, 1, MPI_LONG, peer, 1, MPI_COMM_WORLD);
}

static long agree(long value) {
  MPI_Bcast(&value, 1, MPI_LONG, 0, MPI_COMM_WORLD);
  return value;
}

int main(int argc, char** argv) {
  seconds = argc > 1 ? atof(argv[1]) : 0.01;
  int size;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &me);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  if (size != 2) {
    fprintf(stderr, "net_mpi: starts with 2 ranks, not %d\n", size);
    MPI_Abort(MPI_COMM_WORLD, 2);
  }
  peer = 1 - me;
  MPI_Win_allocate(kBytes, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &window);
  memset(memory, 0, kBytes);
  local = malloc(kLarge);
  memset(local, 1, kLarge);
  MPI_Win_lock_all(MPI_MODE_NOCHECK, window);
  measure_all(argc > 2 ? argv[2] : NULL);
  MPI_Win_unlock_all(window);
  MPI_Win_free(&window);
  MPI_Finalize();
  return 0;
}
