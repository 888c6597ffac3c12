// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include <atomic>
#include <cstddef>
#include <cstdint>

#include "common.hpp"

namespace uccs::perf {

/// What the pairs of `parity` repeat in one burst.
enum class Kind : int {
  kPut,
  kGet,
  kAtomic,
  kAm,
  kSend,
  kShmemPut,
  kShmemAdd,
  kContextPut,
  kContextAdd
};

/// Who does: threads of one pair of processes, or pairs of processes.
enum class Layout : int { kThreads, kProcesses };

constexpr int kPairsMax = 64;

/// One burst. `workers` pairs run it; the others sleep.
struct Burst {
  Kind kind = Kind::kPut;
  bool is_over = false;     ///< no burst: go home
  bool shares_cpu = false;  ///< both ends of a pair on one CPU
  int workers = 0;
  uint32_t place = 0;  ///< which of its places a worker uses
  size_t bytes = 0;
  uint64_t duration_ns = 0;
};
inline bool has_receivers(const Burst& burst) {
  return burst.kind == Kind::kAm || burst.kind == Kind::kSend;
}

/// How a burst went.
struct Outcome {
  double per_cpu_second = 0;  ///< operations per second of CPU time that its workers used
  double per_wall_second = 0;
  double operations = 0;
};

/// How one thread starts bursts on threads of other processes: plain memory of EC 0 that all map,
/// and futexes, so that who does not take part costs nothing, not even a look.
class Board {
 public:
  static constexpr int kEcsMax = 2 + 2 * kPairsMax;

  /// `crew`: workers of each layout, both ends.
  explicit Board(int crew) : crew_(static_cast<uint32_t>(crew)) {}

  /// Runs one burst and returns how it went. For one thread, which is no worker.
  Outcome run(Layout layout, const Burst& burst);
  /// Says which process an EC is.
  void enlist(int ec, int pid) { pids_[ec].store(pid, std::memory_order_relaxed); }
  /// CPU time of the processes of a layout, with all their threads. Of those that use a network,
  /// others than the workers do a part of the work.
  uint64_t cpu_ns_of(Layout layout) const;

  /// Sends the workers of both layouts home.
  void finish();

  /// Waits for the next burst of `layout`. `seen`: how many the worker knows of.
  Burst await(Layout layout, uint32_t* seen);
  /// Waits for the other workers of the burst; returns the time at which to stop.
  uint64_t begin(const Burst& burst);
  /// What a worker that starts operations has done. Receivers know then what to wait for. `key`: of
  /// this burst and no other.
  void tell(int index, uint32_t key, uint64_t count);
  /// Whether sender `index` is done; then how much it sent in the burst.
  bool is_told(int index, uint32_t key, uint64_t* count_out) const;
  /// A worker of either end is done, or has seen that the burst is not for it: the next one must
  /// not begin before.
  void end(uint64_t cpu_ns);

 private:
  struct alignas(kApart) Told {
    std::atomic<uint64_t> count = 0;
    std::atomic<uint32_t> key = 0;
  };
  static uint32_t participants(const Burst& burst) {
    return static_cast<uint32_t>(burst.workers * (has_receivers(burst) ? 2 : 1));
  }

  uint32_t crew_;  ///< ECs are 2 and then crew_
  std::atomic<int> pids_[kEcsMax] = {};
  struct alignas(kApart) Turn {
    std::atomic<uint32_t> value = 0;  ///< futex
  } turns_[2];
  alignas(kApart) Burst burst_;
  alignas(kApart) std::atomic<uint32_t> ready_ = 0;
  std::atomic<uint64_t> start_ns_ = 0;
  alignas(kApart) std::atomic<uint32_t> done_ = 0;  ///< futex
  std::atomic<uint64_t> cpu_ns_ = 0;
  Told told_[kPairsMax];
};

}  // namespace uccs::perf
