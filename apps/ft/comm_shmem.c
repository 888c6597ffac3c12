// SPDX-License-Identifier: BSD-3-Clause
#include <shmem.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "comm.h"

const char kCommTitle[] = "FT";

enum { kAlignment = 128 };

// Symmetric memory of the collectives.
static double* slots;  // [PE][kMaxSum]
static char* message;  // kMaxBroadcast bytes

void comm_start(int* argc, char*** argv) {
  (void)argc;
  (void)argv;
  shmem_init();
  slots = shmem_malloc((size_t)shmem_n_pes() * kMaxSum * sizeof *slots);
  message = shmem_malloc(kMaxBroadcast);
  if (slots == NULL || message == NULL) {
    comm_explain_shortage((size_t)shmem_n_pes() * kMaxSum * sizeof *slots + kMaxBroadcast);
    shmem_global_exit(EXIT_FAILURE);
  }
}

void comm_stop(void) {
  shmem_free(message);
  shmem_free(slots);
  shmem_finalize();
}

int comm_my_pe(void) { return shmem_my_pe(); }

int comm_num_pes(void) { return shmem_n_pes(); }

void* comm_allocate(size_t bytes) {
  void* memory = shmem_align(kAlignment, bytes);
  const int failed = comm_max(memory == NULL) > 0;
  if (!failed) return memory;
  if (memory != NULL) shmem_free(memory);
  return NULL;
}

void comm_free(void* memory) { shmem_free(memory); }

void comm_explain_shortage(size_t bytes) {
  const size_t mebibyte = 1024 * 1024;
  fprintf(stderr,
          "ft: PE %d: %zu bytes of symmetric memory are needed on each of %d PEs, and there is not "
          "as much; set SHMEM_SYMMETRIC_SIZE=%zuM or more\n",
          shmem_my_pe(), bytes, shmem_n_pes(), bytes / mebibyte + 2);
}

int comm_planes_in_flight(int num_planes) {
  // In the memory of this machine a put is a copy, complete when it returns. Over a network it
  // takes its time, and only a plane that nobody overwrites lets the next one be computed
  // meanwhile. More than two leave the cache before they are sent, and fill the queue of a slow
  // link, where the answers of the other direction wait, too.
  for (int pe = 0; pe < shmem_n_pes(); ++pe) {
    if (shmem_ptr(slots, pe) == NULL) return num_planes < 2 ? num_planes : 2;
  }
  return 1;
}

void comm_barrier(void) { shmem_barrier_all(); }

void comm_sum(double* values, int count) {
  shmem_double_put(slots + (size_t)shmem_my_pe() * kMaxSum, values, (size_t)count, 0);
  shmem_barrier_all();
  if (shmem_my_pe() == 0) {
    for (int i = 0; i < count; ++i) {
      values[i] = 0;
      for (int pe = 0; pe < shmem_n_pes(); ++pe) values[i] += slots[(size_t)pe * kMaxSum + i];
    }
  }
  shmem_barrier_all();
}

double comm_max(double value) {
  const int my_pe = shmem_my_pe();
  for (int pe = 0; pe < shmem_n_pes(); ++pe) shmem_double_p(slots + my_pe, value, pe);
  shmem_barrier_all();
  for (int pe = 0; pe < shmem_n_pes(); ++pe) value = slots[pe] > value ? slots[pe] : value;
  shmem_barrier_all();
  return value;
}

void comm_broadcast(void* data, size_t bytes) {
  if (shmem_my_pe() == 0) memcpy(message, data, bytes);
  shmem_barrier_all();
  shmem_getmem(data, message, bytes, 0);
  shmem_barrier_all();
}
