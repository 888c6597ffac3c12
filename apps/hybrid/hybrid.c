// SPDX-License-Identifier: BSD-3-Clause
// Two models in one program: OpenSHMEM holds the data, GASNet's messages do the work on it.
//
// Every PE has a share of a histogram in OpenSHMEM's symmetric heap. Samples go, in packets, by
// active message to the owner of their bin, which counts them and replies; then an OpenSHMEM
// reduction checks the sum, and a GASNet put moves the largest bin to node 0's segment. Each model
// has a context of its own; the processes, their numbers and the memory are shared.
//
//   gasnet-cc hybrid.c -o hybrid && uccsrun -n 4 ./hybrid [gasnet-first]
#define GASNET_SEQ 1
#include <gasnet.h>
#include <shmem.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

enum { kCount = 200, kCounted = 201, kBinsEach = 64, kPacket = 100, kPackets = 50 };

static long* bins;  // OpenSHMEM's: this PE's share
static int answers;
static long own_sum, sum;  // symmetric

static void on_count(gasnet_token_t token, void* samples, size_t bytes) {
  const uint16_t* bin = samples;
  for (size_t i = 0; i < bytes / sizeof *bin; ++i) ++bins[bin[i]];
  gasnet_AMReplyShort0(token, kCounted);
}
static void on_counted(gasnet_token_t token) {
  (void)token;
  ++answers;
}

static void start_gasnet(int* argc, char*** argv) {
  gasnet_handlerentry_t handlers[] = {{kCount, (void (*)())on_count},
                                      {kCounted, (void (*)())on_counted}};
  if (gasnet_init(argc, argv) != GASNET_OK ||
      gasnet_attach(handlers, 2, (uintptr_t)16 * GASNET_PAGESIZE, 0) != GASNET_OK)
    gasnet_exit(1);
}

static void fail(const char* what) {
  fprintf(stderr, "FAILED: PE %d: %s\n", shmem_my_pe(), what);
  gasnet_exit(1);
}

int main(int argc, char** argv) {
  // Either may come first, as long as it is the same on all PEs.
  const int gasnet_first = argc > 1 && strcmp(argv[1], "gasnet-first") == 0;
  if (gasnet_first) start_gasnet(&argc, &argv);
  shmem_init();
  if (!gasnet_first) start_gasnet(&argc, &argv);
  const int me = shmem_my_pe(), n = shmem_n_pes();
  if ((int)gasnet_mynode() != me || (int)gasnet_nodes() != n)
    fail("the models disagree on who it is");

  bins = shmem_calloc(kBinsEach, sizeof *bins);
  if (!bins) fail("no memory for the bins");
  shmem_barrier_all();  // all bins are zero

  uint16_t packet[kPacket];
  uint64_t state = 12345 + (uint64_t)me;
  for (int p = 0; p < kPackets; ++p) {
    for (int i = 0; i < kPacket; ++i) {
      state = state * 6364136223846793005u + 1442695040888963407u;
      packet[i] = (uint16_t)(state >> 40) % kBinsEach;
    }
    gasnet_AMRequestMedium0((gasnet_node_t)((me + p) % n), kCount, packet, sizeof packet);
  }
  GASNET_BLOCKUNTIL(answers == kPackets);
  shmem_barrier_all();  // waits in OpenSHMEM run GASNet's handlers, too

  for (int b = 0; b < kBinsEach; ++b) own_sum += bins[b];
  if (shmem_long_sum_reduce(SHMEM_TEAM_WORLD, &sum, &own_sum, 1) != 0) fail("the reduction");
  if (sum != (long)n * kPackets * kPacket) fail("samples are lost");

  // The largest bin of each PE, put into node 0's GASNet segment, read there by OpenSHMEM's owner.
  gasnet_seginfo_t segment;
  if (gasnet_getSegmentInfo(&segment, 1) != GASNET_OK) fail("no segment");
  long largest = 0;
  for (int b = 0; b < kBinsEach; ++b)
    if (bins[b] > largest) largest = bins[b];
  gasnet_put(0, (long*)segment.addr + me, &largest, sizeof largest);
  gasnet_barrier_notify(0, GASNET_BARRIERFLAG_ANONYMOUS);
  if (gasnet_barrier_wait(0, GASNET_BARRIERFLAG_ANONYMOUS) != GASNET_OK) fail("the barrier");
  for (int pe = 0; me == 0 && pe < n; ++pe) {
    long theirs = 0;
    for (int b = 0; b < kBinsEach; ++b) {
      const long bin = shmem_long_g(&bins[b], pe);
      if (bin > theirs) theirs = bin;
    }
    if (((long*)segment.addr)[pe] != theirs) fail("OpenSHMEM and GASNet see different bins");
  }
  shmem_free(bins);
  if (me == 0) puts("VERIFIED");
  shmem_finalize();
  gasnet_exit(0);
}
