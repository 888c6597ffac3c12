// SPDX-License-Identifier: BSD-3-Clause
/* What net_shmem.c and net_mpi.c measure, so that their lines mean the same: operations between two
 * processes, of which 0 works and 1 waits in a barrier, or does the same. The program that includes
 * this defines those that are declared here. */
#pragma once
#include "lines.h"

static int me, peer;
static long agree(long value); /* process 0's, in both */
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

/* `per` operations are in one call; `together`: process 1 calls it as well. */
static void measure(const char* name, size_t bytes, void (*call)(void), int per, int together,
                    double seconds) {
  double times[kRounds];
  barrier();
  if (me == 0 || together) {
    time_calls(call, 5);
    long calls = calls_for(seconds, time_calls(call, per > 1 ? 3 : 30));
    if (together) calls = agree(calls);
    for (int i = 0; i < kRounds; ++i) times[i] = time_calls(call, calls);
    if (me == 0) print_line(name, bytes, times, per);
  }
  barrier();
}

static void measure_all(double seconds) {
  measure("ping_pong", 8, ping_pong, 2, 1, seconds);
  measure("put_quiet", 8, put_quiet, 1, 0, seconds);
  measure("put_rate", 8, put_rate, kBurst, 0, seconds);
  measure("put", kPage, put_pages, kPageBurst, 0, seconds);
  measure("put", kLarge, put_large, kLargeBurst, 0, seconds);
  measure("put_both", kLarge, put_large, kLargeBurst, 1, seconds);
  measure("get", 8, get, 1, 0, seconds);
  measure("get_rate", 8, get_rate, kBurst, 0, seconds);
  measure("get", kLarge, get_large, kLargeBurst, 0, seconds);
  measure("fetch_add", 8, fetch_add, 1, 0, seconds);
  measure("barrier", 0, barrier, 1, 1, seconds);
}
