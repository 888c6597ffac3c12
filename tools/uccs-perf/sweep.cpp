// SPDX-License-Identifier: BSD-3-Clause
#include "sweep.hpp"

#include <algorithm>
#include <memory>

#include "collective.hpp"
#include "team.hpp"

namespace uccs::perf {
namespace {

/// One size of one operation: what all workers do `count` times, and what the time it took means.
class Case {
 public:
  Case(Team& team, const Options& options, size_t bytes)
      : team_(team), options_(options), bytes_(bytes) {
    if (is_collective(options.operation))
      collective_ = std::make_unique<Collective>(options.operation, bytes, team.procs());
  }

  /// Nanoseconds of the slowest worker.
  double time(int count) {
    return team_.run([this, count](Worker& worker) { repeat(worker, count); });
  }
  double figure(int count);

 private:
  void repeat(Worker& worker, int count);
  void one_by_one(Worker& worker, int count);
  void in_windows(Worker& worker, int count);
  void beside_computing(Worker& worker, int count, double compute_ns);
  bool sends() const { return team_.is_first() || options_.mode == Mode::kBidirectional; }
  bool receives() const {
    return team_.procs() == 1 || !team_.is_first() || options_.mode == Mode::kBidirectional;
  }

  Team& team_;
  const Options& options_;
  size_t bytes_;
  std::unique_ptr<Collective> collective_;
};

void Case::repeat(Worker& worker, int count) {
  if (collective_) {
    for (int i = 0; i < count; ++i) collective_->call();
  } else if (options_.mode == Mode::kLatency) {
    one_by_one(worker, count);
  } else if (options_.mode == Mode::kOverlap) {
    beside_computing(worker, count, 0);
  } else {
    in_windows(worker, count);
  }
}

void Case::one_by_one(Worker& worker, int count) {
  if (options_.operation == Operation::kSend) {
    for (int i = 0; i < count; ++i) {
      if (team_.procs() == 1) {
        exchange(worker, bytes_, 1, true, true);
      } else {
        exchange(worker, bytes_, 1, team_.is_first(), !team_.is_first());
        exchange(worker, bytes_, 1, !team_.is_first(), team_.is_first());
      }
    }
    return;
  }
  if (team_.is_first())
    for (int i = 0; i < count; ++i) issue_blocking(worker, options_.operation, bytes_);
  if (options_.operation == Operation::kAm && receives())
    await_requests(worker, static_cast<uint64_t>(count));
}

void Case::in_windows(Worker& worker, int count) {
  for (int i = 0; i < count; ++i) {
    if (options_.operation != Operation::kSend) {
      if (sends()) issue(worker, options_.operation, bytes_, kWindow);
      continue;
    }
    exchange(worker, bytes_, kWindow, sends(), receives());
    if (sends() == receives()) continue;
    if (sends()) receive_token(worker);  // the next window finds its receives posted
    if (receives()) send_token(worker);
  }
  if (options_.operation == Operation::kAm && receives())
    await_requests(worker, static_cast<uint64_t>(count) * kWindow);
}

/// Posts, computes, waits, `count` times. Who only receives does so.
void Case::beside_computing(Worker& worker, int count, double compute_ns) {
  for (int i = 0; i < count; ++i) {
    if (options_.operation == Operation::kSend && !sends()) {
      exchange(worker, bytes_, 1, false, true);
      send_token(worker);
      continue;
    }
    if (!sends()) return;
    uccs_request_t request = UCCS_REQUEST_NULL;
    post(worker, options_.operation, bytes_, &request);
    if (compute_ns > 0)
      for (const uint64_t end = now_ns() + static_cast<uint64_t>(compute_ns); now_ns() < end;) {
      }
    UCCS_PERF_CHECK(uccs_wait(&request));
    if (options_.operation == Operation::kSend) receive_token(worker);
  }
}

double Case::figure(int count) {
  const double pairs = std::max(1, team_.procs() / 2) * team_.threads();
  const double both = options_.mode == Mode::kBidirectional && team_.procs() > 1 ? 2 : 1;
  const double ns = time(count);
  const double operations = pairs * both * count * kWindow;
  switch (options_.mode) {
    case Mode::kLatency: {
      const bool is_round_trip =
          (options_.operation == Operation::kAm || options_.operation == Operation::kSend) &&
          team_.procs() > 1;
      return ns / count / (is_round_trip ? 2 : 1);
    }
    case Mode::kRate:
      return operations / ns * 1e9;
    case Mode::kOverlap: {
      const double each = ns / count;
      const double beside =
          team_.run([&](Worker& worker) { beside_computing(worker, count, each); });
      return std::clamp(100 * (1 - (beside - each * count) / ns), 0.0, 100.0);
    }
    default:
      return operations * static_cast<double>(bytes_) / ns * 1e3;
  }
}

const char* unit_of(Mode mode) {
  switch (mode) {
    case Mode::kLatency:
      return "ns";
    case Mode::kRate:
      return "op/s";
    case Mode::kOverlap:
      return "%";
    default:
      return "MB/s";
  }
}

std::vector<double> measure(Case& one, const Options& options) {
  const int repetitions = options.repetitions ? options.repetitions : kRepetitionsDefault;
  const int count = calibrate([&](int n) { return one.time(n); },
                              options.burst_ms > 0 ? options.burst_ms : kBurstMsDefault);
  std::vector<double> figures;
  for (int r = 0; r < kWarmUps + repetitions; ++r) {
    const double figure = one.figure(count);
    if (r >= kWarmUps) figures.push_back(figure);
  }
  return figures;
}

}  // namespace

Table sweep(const Options& options) {
  std::vector<size_t> sizes = options.sizes;
  if (sizes.empty()) sizes = {8};
  const bool has_size = options.operation != Operation::kBarrier;
  const int threads = options.threads.empty() ? 1 : options.threads[0];
  Team team(threads, *std::max_element(sizes.begin(), sizes.end()), options.is_bound);
  Progress progress(options.shows_progress && team.me() == 0);
  Table table;
  table.columns = {"what", "mode",   "procs", "threads", "bytes",
                   "unit", "median", "min",   "max",     "repetitions"};
  for (size_t i = 0; i < sizes.size(); ++i) {
    progress.show(std::string(name_of(options.operation)) + ", " + size_text(sizes[i]) + " bytes",
                  i, sizes.size());
    Case one(team, options, sizes[i]);
    const std::vector<double> figures = measure(one, options);
    const auto [low, high] = std::minmax_element(figures.begin(), figures.end());
    table.rows.push_back({name_of(options.operation), name_of(options.mode),
                          std::to_string(team.procs()), std::to_string(threads),
                          has_size ? std::to_string(sizes[i]) : "", unit_of(options.mode),
                          number_text(median(figures)), number_text(*low), number_text(*high),
                          std::to_string(figures.size())});
  }
  return table;
}

}  // namespace uccs::perf
