// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include <pthread.h>

#include <functional>
#include <memory>
#include <vector>

#include "worker.hpp"

namespace uccs::perf {

/// What a measurement does unless told otherwise.
constexpr int kWarmUps = 2;
constexpr int kRepetitionsDefault = 11;
constexpr double kBurstMsDefault = 10;

/// How often to repeat what `time_ns` times, so that it takes about `burst_ms`. The same on all ECs
/// when all know the slowest time, as Team::run gives it.
int calibrate(const std::function<double(int)>& time_ns, double burst_ms);

/// All threads of all processes that measure together: thread k of a process of the first half
/// with thread k of the process as far into the second half. Made and destroyed collectively.
class Team {
 public:
  Team(int threads, size_t bytes_max, bool is_bound);
  ~Team();
  Team(const Team&) = delete;
  Team& operator=(const Team&) = delete;

  int me() const { return me_; }
  int procs() const { return procs_; }
  int threads() const { return static_cast<int>(workers_.size()); }
  Worker& worker(int index) { return workers_[static_cast<size_t>(index)]; }
  /// Whether this process starts what its peer answers. A lone process does both.
  bool is_first() const { return me_ < (procs_ + 1) / 2; }

  /// Runs `body` in all workers of this process, the first in the calling thread; each begins when
  /// those of all processes are there. Returns how many nanoseconds the slowest of the whole job
  /// took. Collective.
  double run(const std::function<void(Worker&)>& body);

  /// Between workers of one process.
  void meet() { pthread_barrier_wait(&barrier_); }

 private:
  static void* thread_main(void* worker);
  void serve(Worker& worker);

  int me_ = 0, procs_ = 1;
  bool is_bound_;
  uccs_context_t context_ = nullptr;
  uccs_region_t region_ = nullptr;
  std::unique_ptr<Arrivals[]> arrivals_;
  std::vector<Worker> workers_;
  std::vector<std::byte*> memory_;
  std::vector<pthread_t> threads_;
  pthread_barrier_t barrier_;
  const std::function<void(Worker&)>* body_ = nullptr;  ///< nullptr: it is over
  std::vector<double> times_;
};

}  // namespace uccs::perf
