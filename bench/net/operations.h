// SPDX-License-Identifier: BSD-3-Clause
/* What net_shmem.c and net_mpi.c measure, so that their lines mean the same: operations between two
 * processes, of which 0 works and 1 waits in a barrier, or does the same. The program that includes
 * this defines those that are declared here. */
#pragma once
#include "lines.h"

static int me, peer;
static double seconds; /* of a turn */

static long agree(long value); /* process 0's, in both */
#ifdef MPI_VERSION
static void send_receive(void);
#endif
static void ping_pong(void);
static void put_quiet(void);
static void put_rate(void);
static void put_pages(void);
static void put_large(void);
static void get(void);
static void get_rate(void);
static void get_large(void);
static void fetch_add(void);
static void barrier(void);

static struct line lines[] = {
#ifdef MPI_VERSION
    {"send_receive", 8, send_receive, 2, 1, 0},
#endif
    {"ping_pong", 8, ping_pong, 2, 1, 0},
    {"put_quiet", 8, put_quiet, 1, 0, 0},
    {"put_rate", 8, put_rate, kBurst, 0, 0},
    {"put", kPage, put_pages, kPageBurst, 0, 0},
    {"put", kLarge, put_large, kLargeBurst, 0, 0},
    {"put_both", kLarge, put_large, kLargeBurst, 1, 0},
    {"get", 8, get, 1, 0, 0},
    {"get_rate", 8, get_rate, kBurst, 0, 0},
    {"get", kLarge, get_large, kLargeBurst, 0, 0},
    {"fetch_add", 8, fetch_add, 1, 0, 0},
    {"barrier", 0, barrier, 1, 1, 0}};

static double time_calls(void (*call)(void), long calls) {
  const double begin = now_ns();
  for (long i = 0; i < calls; ++i) call();
  return (now_ns() - begin) / (double)calls;
}

static double turn(struct line* line) {
  double ns = 0;
  barrier();
  if (me == 0 || line->together) {
    if (line->calls == 0) line->calls = 8;
    time_calls(line->call, calls_to_warm(line->calls));
    ns = time_calls(line->call, line->calls);
    const long calls = calls_for(seconds, ns);
    line->calls = line->together ? agree(calls) : calls;
  }
  barrier();
  return ns / line->per;
}

static void measure_all(const char* folder) {
  take_turns(lines, sizeof lines / sizeof *lines, me, folder, turn);
}
