// SPDX-License-Identifier: BSD-3-Clause
// C++ threads that communicate: a histogram over all PEs. Each thread draws numbers and counts them
// in the bin's home by a remote atomic, through the default context, which needs no preparation.
//
//   oshc++ -std=c++17 threads_shmem.cpp -o threads_shmem -pthread && oshrun -n 2 ./threads_shmem 4
#include <shmem.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <numeric>
#include <thread>
#include <vector>

namespace {

constexpr int kBinsPerPe = 64;
constexpr int kDraws = 5000;

// A generator good enough for bins, and the same everywhere (Steele and others, SplitMix64).
std::uint64_t next(std::uint64_t& state) {
  std::uint64_t z = state += 0x9e3779b97f4a7c15;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
  z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
  return z ^ (z >> 31);
}

template <typename Count>
void draw(int pe, int thread, int bins, Count count) {
  std::uint64_t state = static_cast<std::uint64_t>(pe) << 32 | static_cast<std::uint64_t>(thread);
  for (int i = 0; i < kDraws; ++i)
    count(static_cast<int>(next(state) % static_cast<std::uint64_t>(bins)));
}

// What the histogram must be, computed here from everybody's seeds.
bool is_right(const long* mine, int me, int pes, int threads) {
  const int bins = pes * kBinsPerPe;
  std::vector<long> expected(static_cast<std::size_t>(bins));
  for (int pe = 0; pe < pes; ++pe)
    for (int t = 0; t < threads; ++t)
      draw(pe, t, bins, [&](int bin) { ++expected[static_cast<std::size_t>(bin)]; });
  for (int i = 0; i < kBinsPerPe; ++i)
    if (mine[i] != expected[static_cast<std::size_t>(me * kBinsPerPe + i)]) return false;
  return true;
}

}  // namespace

int main(int argc, char** argv) {
  const int threads = argc > 1 ? std::atoi(argv[1]) : 4;
  int provided;
  if (shmem_init_thread(SHMEM_THREAD_MULTIPLE, &provided) || provided < SHMEM_THREAD_MULTIPLE) {
    std::fprintf(stderr, "threads_shmem: threads may not communicate here\n");
    return 1;
  }
  const int me = shmem_my_pe(), pes = shmem_n_pes();
  if (threads < 1 || threads > 256) {
    if (me == 0) std::fprintf(stderr, "usage: threads_shmem [threads, 1 to 256]\n");
    shmem_global_exit(2);
  }
  auto* bins = static_cast<long*>(shmem_calloc(kBinsPerPe, sizeof(long)));
  std::vector<std::thread> team;
  for (int t = 0; t < threads; ++t)
    team.emplace_back([=] {
      draw(me, t, pes * kBinsPerPe,
           [=](int bin) { shmem_long_atomic_inc(&bins[bin % kBinsPerPe], bin / kBinsPerPe); });
      shmem_quiet();
    });
  for (std::thread& thread : team) thread.join();
  shmem_barrier_all();
  const bool is_good = is_right(bins, me, pes, threads);
  if (!is_good) std::printf("PE %d: FAILED, its bins hold other numbers\n", me);
  if (me == 0 && is_good)
    std::printf("VERIFIED: %d PEs x %d C++ threads, %ld draws\n", pes, threads,
                static_cast<long>(pes) * threads * kDraws);
  shmem_free(bins);
  shmem_finalize();
  return is_good ? 0 : 1;
}
