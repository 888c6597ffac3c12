// SPDX-License-Identifier: BSD-3-Clause
#include "comparison.hpp"

#include <stdlib.h>

#include <algorithm>

namespace uccs::perf {
namespace {

constexpr double kTarget = 0.95;
constexpr double kTargetAtCores = 1.0;
constexpr double kTargetScaling = 0.9;  // of the number of CPUs: 1.8 on two

constexpr size_t kSamplesMin = 8;  // as many as a worker has places
constexpr double kOvertime = 1.5;  // of its share of the time; then few samples must do
constexpr double kPrecise = 0.01;  // half of the interval; then nothing more is to be learnt

/// A ratio that is really 1.0 is measured below it half of the time, and two processes that do the
/// same differ by the luck of their pages. The benefit of the doubt is at least this and ends
/// here; beyond, a ratio whose interval reaches the target is uncertain.
constexpr double kDoubtMin = 0.01, kDoubtMax = 0.03;

/// An interval that reaches the target and begins below this share of it tells nothing.
constexpr double kKnown = 0.9;

struct Entry {
  const char* what;
  Kind kind;
  size_t bytes;
  bool is_of_networks = false;  ///< compared over them, too
};
constexpr Entry kOperations[] = {
    {"put", Kind::kPut, 8, true},
    {"put", Kind::kPut, 2048},
    {"get", Kind::kGet, 8, true},
    {"get", Kind::kGet, 2048},
    {"fetch-add", Kind::kAtomic, 8, true},
    {"am", Kind::kAm, 8, true},
    {"am", Kind::kAm, 2048, true},
    {"send", Kind::kSend, 8, true},
    {"shmem p", Kind::kShmemPut, 8, true},
    {"shmem ctx p", Kind::kContextPut, 8, true},
    {"shmem fetch-add", Kind::kShmemAdd, 8},
};

/// A window over a network takes so much longer, and a burst is to have some.
constexpr int kNetBurstFactor = 8;

Burst burst_of(Kind kind, size_t bytes, int workers) {
  Burst burst;
  burst.kind = kind;
  burst.bytes = bytes;
  burst.workers = workers;
  return burst;
}

}  // namespace

std::vector<Comparison> comparisons(int threads, int cpus, const std::string& only, bool is_net) {
  std::vector<Comparison> all;
  const double target = threads == cpus && !is_net ? kTargetAtCores : kTarget;
  const int turns = (threads + cpus - 1) / cpus;
  for (const Entry& entry : kOperations) {
    if (is_net && !entry.is_of_networks) continue;
    Burst burst = burst_of(entry.kind, entry.bytes, threads);
    // Where there is no CPU for every end, the two of a pair take turns on one: else a pair goes
    // on only when the scheduler happens to run both, which says nothing about threads.
    burst.shares_cpu = has_receivers(burst) && 2 * threads > cpus;
    all.push_back({entry.what,
                   "threads/processes",
                   target,
                   1,
                   threads,
                   (has_receivers(burst) ? 2 * turns : turns) * (is_net ? kNetBurstFactor : 1),
                   {{Layout::kThreads, burst}, {Layout::kProcesses, burst}}});
  }
  if (!only.empty()) std::erase_if(all, [&](const Comparison& one) { return one.what != only; });
  if (is_net) return all;
  for (const bool is_put : {true, false}) {
    const Burst shared = burst_of(is_put ? Kind::kShmemPut : Kind::kShmemAdd, 8, threads);
    const Burst own = burst_of(is_put ? Kind::kContextPut : Kind::kContextAdd, 8, threads);
    all.push_back({is_put ? "shmem p" : "shmem fetch-add",
                   "default/own context",
                   kTarget,
                   1,
                   threads,
                   turns,
                   {{Layout::kThreads, shared}, {Layout::kThreads, own}}});
  }
  if (threads == cpus && threads > 1) {
    Burst many = burst_of(Kind::kAm, 8, threads), one = burst_of(Kind::kAm, 8, 1);
    many.shares_cpu = one.shares_cpu = true;
    all.push_back({"am injection",
                   std::to_string(threads) + " pairs/1 pair",
                   kTargetScaling * threads,
                   static_cast<double>(threads),
                   threads,
                   2,
                   {{Layout::kThreads, many}, {Layout::kThreads, one}}});
  }
  if (!only.empty()) std::erase_if(all, [&](const Comparison& one) { return one.what != only; });
  return all;
}

void Samples::add(const Outcome& side0, const Outcome& side1) {
  if (!(side0.per_cpu_second > 0 && side1.per_cpu_second > 0)) return;  // never ran
  rates_[0].push_back(side0.per_cpu_second);
  rates_[1].push_back(side1.per_cpu_second);
  jobs_.back().push_back(side0.per_cpu_second / side1.per_cpu_second);
  wall_ratios_.push_back(side0.per_wall_second / side1.per_wall_second);
}

bool Samples::are_enough(double time_used, int wanted) const {
  const std::vector<double>& ratios = jobs_.back();
  if (wanted > 0) return ratios.size() >= static_cast<size_t>(wanted);
  if (time_used >= kOvertime) return !ratios.empty();
  if (ratios.size() < kSamplesMin) return false;
  if (time_used >= 1) return true;
  const Interval interval = median_interval(ratios);
  return ratios.size() % 8 == 0 && interval.high - interval.low < 2 * kPrecise;
}

std::vector<std::string> parity_columns() {
  return {"what", "bytes", "threads", "compared",   "Mop/s",  "Mop/s of other", "ratio",
          "low",  "high",  "target",  "wall ratio", "bursts", "verdict"};
}

std::vector<std::string> Samples::cells(const Comparison& what) const {
  std::vector<double> ratios;  // of the jobs
  for (const auto& job : jobs_)
    if (!job.empty()) ratios.push_back(median(job));
  const double ratio = median(ratios) * what.scale;
  const Interval interval = median_interval(ratios);
  const double low = interval.low * what.scale, high = interval.high * what.scale;
  const double doubt = std::clamp(high - ratio, kDoubtMin * what.scale, kDoubtMax * what.scale);
  const bool is_known = low >= kKnown * what.target || high < what.target;
  const char* verdict = !is_known                      ? "UNCERTAIN"
                        : ratio + doubt >= what.target ? "PASS"
                        : high < what.target           ? "FALLS SHORT"
                                                       : "UNCERTAIN";
  return {what.what,
          std::to_string(what.sides[0].burst.bytes),
          std::to_string(what.threads),
          what.against,
          number_text(median(rates_[0]) * 1e-6),
          number_text(median(rates_[1]) * 1e-6),
          number_text(ratio),
          number_text(low),
          number_text(high),
          number_text(what.target),
          number_text(median(wall_ratios_)),
          std::to_string(wall_ratios_.size()),
          verdict};
}

std::vector<std::string> cells_of(size_t index, const Outcome& side0, const Outcome& side1) {
  return {std::to_string(index), std::to_string(side0.per_cpu_second),
          std::to_string(side0.per_wall_second), std::to_string(side1.per_cpu_second),
          std::to_string(side1.per_wall_second)};
}

bool read_cells(const std::vector<std::string>& cells, size_t* index_out, Outcome* side0_out,
                Outcome* side1_out) {
  if (cells.size() != 5) return false;
  *index_out = static_cast<size_t>(atol(cells[0].c_str()));
  *side0_out = {atof(cells[1].c_str()), atof(cells[2].c_str())};
  *side1_out = {atof(cells[3].c_str()), atof(cells[4].c_str())};
  return true;
}

}  // namespace uccs::perf
