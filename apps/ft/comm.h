// SPDX-License-Identifier: BSD-3-Clause
// What FT needs from a communication library beside the exchange itself. comm_shmem.c implements it
// with OpenSHMEM; another library implements the same functions and reuses all other files.
#ifndef FT_COMM_H_
#define FT_COMM_H_

#include <stddef.h>

// What the lines of output start with.
extern const char kCommTitle[];

// Collective over all PEs, first and last of all calls.
void comm_start(int* argc, char*** argv);
void comm_stop(void);

int comm_my_pe(void);
int comm_num_pes(void);

// Memory that the exchange can send from and receive into, aligned to 128 bytes. Collective, with
// the same `bytes` on all PEs. NULL on every PE if one of them has not enough.
void* comm_allocate(size_t bytes);
void comm_free(void* memory);

// What the user can do when comm_allocate(bytes) has failed, on one line of stderr.
void comm_explain_shortage(size_t bytes);

// How many planes it is best to have in flight of the `num_planes` planes a PE sends in one
// exchange. Sources that are reused early stay in the cache; those that are not never have to be
// waited for.
int comm_planes_in_flight(int num_planes);

// Collectives over all PEs. The results of sum are valid on PE 0 only; count is at most kMaxSum.
enum { kMaxSum = 64 };
void comm_barrier(void);
void comm_sum(double* values, int count);
double comm_max(double value);

// Copies PE 0's `bytes` bytes, at most kMaxBroadcast, to all PEs.
enum { kMaxBroadcast = 64 * 1024 };
void comm_broadcast(void* data, size_t bytes);

#endif  // FT_COMM_H_
