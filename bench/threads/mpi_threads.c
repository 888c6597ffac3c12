// SPDX-License-Identifier: BSD-3-Clause
/* What uccs-perf parity measures, with MPI: pairs of threads in two processes, or pairs of
 * processes. Every pair has a communicator and a window of its own, so that the library may keep
 * them apart. Prints operations per second of CPU time and of wall time.
 *
 * mpi_threads put|send THREADS MILLISECONDS, on 2 processes (threads) or 2 * t (THREADS = 1) */
#define _GNU_SOURCE
#include <mpi.h>
#include <pthread.h>
#include <sched.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { kWindow = 64, kMaxThreads = 64, kDone = 5, kData = 1, kToken = 2, kLast = 1 };

struct pair {
  MPI_Comm comm; /* sender is rank 0, receiver rank 1 */
  MPI_Win win;
  long* memory;
  int index;
  uint64_t count;
  double cpu_s;
  char padding[128];
};

static struct pair pairs[kMaxThreads];
static int rank, size, threads, is_sender, is_put;
static double deadline_s;

static double seconds(clockid_t clock) {
  struct timespec t;
  clock_gettime(clock, &t);
  return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static void put_window(struct pair* p) {
  static const long kValue = 1;
  for (int i = 0; i < kWindow; ++i) MPI_Put(&kValue, 1, MPI_LONG, 1, 0, 1, MPI_LONG, p->win);
  MPI_Win_flush(1, p->win);
}

static void send_window(struct pair* p, long value) {
  MPI_Request requests[kWindow];
  for (int i = 0; i < kWindow; ++i) MPI_Isend(&value, 1, MPI_LONG, 1, kData, p->comm, &requests[i]);
  MPI_Waitall(kWindow, requests, MPI_STATUSES_IGNORE);
  if (value != kLast) MPI_Recv(NULL, 0, MPI_BYTE, 1, kToken, p->comm, MPI_STATUS_IGNORE);
}

static void receive_windows(struct pair* p) {
  MPI_Request requests[kWindow];
  long values[kWindow];
  for (;;) {
    for (int i = 0; i < kWindow; ++i)
      MPI_Irecv(&values[i], 1, MPI_LONG, 0, kData, p->comm, &requests[i]);
    MPI_Waitall(kWindow, requests, MPI_STATUSES_IGNORE);
    if (values[kWindow - 1] == kLast) return;
    MPI_Send(NULL, 0, MPI_BYTE, 0, kToken, p->comm);
  }
}

static void* work(void* argument) {
  struct pair* p = argument;
  const int cpus = (int)sysconf(_SC_NPROCESSORS_ONLN);
  const int number = threads > 1 ? p->index : rank % (size / 2);
  cpu_set_t set;
  CPU_ZERO(&set);
  CPU_SET((number + (is_sender ? 0 : 1)) % cpus, &set);
  sched_setaffinity(0, sizeof set, &set);
  const double before = seconds(CLOCK_THREAD_CPUTIME_ID);
  if (is_sender) {
    do {
      is_put ? put_window(p) : send_window(p, 0);
      p->count += kWindow;
    } while (seconds(CLOCK_MONOTONIC) < deadline_s);
    if (!is_put) send_window(p, kLast);
  } else if (!is_put) {
    receive_windows(p);
  }
  p->cpu_s = seconds(CLOCK_THREAD_CPUTIME_ID) - before;
  return NULL;
}

/* Receivers of puts look for the end, which also moves puts that need the target's help, and give
 * the CPU away in between. */
static void await_senders(void) {
  const int half = size / 2;
  if (is_sender) {
    MPI_Send(NULL, 0, MPI_BYTE, rank + half, kDone, MPI_COMM_WORLD);
    return;
  }
  for (int is_there = 0; !is_there; sched_yield())
    MPI_Iprobe(rank - half, kDone, MPI_COMM_WORLD, &is_there, MPI_STATUS_IGNORE);
  MPI_Recv(NULL, 0, MPI_BYTE, rank - half, kDone, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

static void make_pairs(void) {
  const int half = size / 2;
  MPI_Comm two;
  MPI_Comm_split(MPI_COMM_WORLD, rank % half, rank, &two);
  for (int k = 0; k < threads; ++k) {
    struct pair* p = &pairs[k];
    p->index = k;
    MPI_Comm_dup(two, &p->comm);
    MPI_Win_allocate(4096, 1, MPI_INFO_NULL, p->comm, &p->memory, &p->win);
    MPI_Win_lock_all(MPI_MODE_NOCHECK, p->win);
  }
  MPI_Comm_free(&two);
}

static void free_pairs(void) {
  for (int k = 0; k < threads; ++k) {
    MPI_Win_unlock_all(pairs[k].win);
    MPI_Win_free(&pairs[k].win);
    MPI_Comm_free(&pairs[k].comm);
  }
}

int main(int argc, char** argv) {
  threads = argc > 2 ? atoi(argv[2]) : 1;
  const double duration_s = argc > 3 ? atof(argv[3]) * 1e-3 : 0.1;
  const int wanted = threads > 1 ? MPI_THREAD_MULTIPLE : MPI_THREAD_SINGLE;
  int provided;
  MPI_Init_thread(&argc, &argv, wanted, &provided);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  if (argc < 4 || provided < wanted || size % 2 || threads < 1 || threads > kMaxThreads) {
    if (rank == 0) fprintf(stderr, "mpi_threads: put|send THREADS MS, even processes\n");
    MPI_Abort(MPI_COMM_WORLD, 2);
  }
  is_put = strcmp(argv[1], "put") == 0;
  is_sender = rank < size / 2;
  make_pairs();
  MPI_Barrier(MPI_COMM_WORLD);
  deadline_s = seconds(CLOCK_MONOTONIC) + duration_s;
  pthread_t others[kMaxThreads];
  for (int k = 1; k < threads; ++k) pthread_create(&others[k], NULL, work, &pairs[k]);
  work(&pairs[0]);
  for (int k = 1; k < threads; ++k) pthread_join(others[k], NULL);
  await_senders();

  double mine[2] = {0, 0}, all[2];
  for (int k = 0; k < threads; ++k) {
    mine[0] += (double)pairs[k].count;
    mine[1] += pairs[k].cpu_s;
  }
  MPI_Reduce(mine, all, 2, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
  if (rank == 0) printf("%g %g\n", all[0] / all[1], all[0] / duration_s);
  free_pairs();
  MPI_Finalize();
  return 0;
}
