// SPDX-License-Identifier: BSD-3-Clause
/// How rarely threads look after lanes that are not their own: what it costs a message to a thread
/// that computes, and what it spares messages and transfers of threads that communicate.
#include "mask.hpp"

#include <string.h>

#include <algorithm>

#include "common.hpp"
#include "job.hpp"
#include "team.hpp"
#include "uccs/info.h"

namespace uccs::perf {
namespace {

constexpr const char* kSetting = "UCCS_POLL_MASK";
constexpr const char* kMasks[] = {"0", "1", "3", "7", "15", "31", "63", "127", "255", "511"};
constexpr size_t kBytes = 8;

bool is_setting(const std::string& name) {
  uccs_config_entry_t entry;
  for (size_t i = 0; uccs_config_get(i, &entry) == UCCS_OK; ++i)
    if (name == entry.name) return true;
  return false;
}

/// Thread 0 of process 0 asks the last thread of process 1, which sleeps; thread 0 there polls and
/// comes across the question.
void ask_sleeper(Team& team, Worker& worker, Worker& sleeper, int count) {
  if (worker.index != 0) return;
  if (team.is_first()) {
    const uccs_endpoint_t own = worker.peer;
    worker.peer = sleeper.peer;
    for (int i = 0; i < count; ++i) issue_blocking(worker, Operation::kAm, kBytes, kAskAnyThread);
    worker.peer = own;
    return;
  }
  sleeper.expected += static_cast<uint64_t>(count);
  const std::atomic<uint64_t>& requests = sleeper.arrivals[sleeper.lane].requests;
  while (requests.load(std::memory_order_relaxed) < sleeper.expected) look(worker);
}

/// All threads with their counterparts.
void ask_counterpart(Team& team, Worker& worker, int count) {
  if (team.is_first())
    for (int i = 0; i < count; ++i) issue_blocking(worker, Operation::kAm, kBytes);
  else
    await_requests(worker, static_cast<uint64_t>(count));
}

/// A transfer that has to be waited for polls meanwhile; where it is complete at once, as in shared
/// memory, one look stands for that.
void get_and_look(Team& team, Worker& worker, int count) {
  if (!team.is_first()) return;
  for (int i = 0; i < count; ++i) {
    issue_blocking(worker, Operation::kGet, kBytes);
    (void)uccs_progress(worker.context);
  }
}

struct Scene {
  const char* what;
  double trips;  ///< one-way trips of one repetition
  std::function<void(Worker&, int)> body;
};

void measure(Team& team, const Options& options, const Scene& scene, const std::string& value) {
  const int repetitions = options.repetitions ? options.repetitions : kRepetitionsDefault;
  const auto time = [&](int count) {
    return team.run([&](Worker& worker) { scene.body(worker, count); });
  };
  const int count = calibrate(time, options.burst_ms > 0 ? options.burst_ms : kBurstMsDefault);
  std::vector<double> figures;
  for (int r = 0; r < kWarmUps + repetitions; ++r) {
    const double ns = time(count) / count / scene.trips;
    if (r >= kWarmUps) figures.push_back(ns);
  }
  if (team.me() != 0) return;
  const auto [low, high] = std::minmax_element(figures.begin(), figures.end());
  write_cells({value, scene.what, std::to_string(team.threads()), std::to_string(kBytes), "ns",
               number_text(median(figures)), number_text(*low), number_text(*high),
               std::to_string(figures.size())});
}

}  // namespace

int mask(const Options& options, const std::vector<std::string>& arguments) {
  const std::string setting = options.setting.empty() ? kSetting : options.setting;
  if (!is_setting(setting))
    refuse("mask: this build has no setting %s (uccs-info --config lists them)", setting.c_str());
  const int threads = options.threads.empty() ? 2 : options.threads[0];
  if (threads < 2) refuse("mask: it takes --threads 2 at least: one looks after another");
  std::vector<std::string> masks = options.masks;
  if (masks.empty()) masks.assign(std::begin(kMasks), std::end(kMasks));
  const Machine machine = this_machine();
  print_machine(machine);
  Progress progress(options.shows_progress);
  Table table;
  table.columns = {setting,  "what", "threads", "bytes",      "unit",
                   "median", "min",  "max",     "repetitions"};
  for (size_t i = 0; i < masks.size(); ++i) {
    progress.show(setting + "=" + masks[i], i, masks.size());
    std::vector<std::string> inner = arguments;
    for (const std::string& word :
         {std::string("--inner"), "--threads=" + std::to_string(threads), "--masks=" + masks[i]})
      inner.push_back(word);
    for (auto& row : run_job(2, inner, {setting + "=" + masks[i]}))
      if (row.size() == table.columns.size()) table.rows.push_back(std::move(row));
  }
  progress.clear();
  table.print();
  write_csv(options.csv, machine, options.command, table);
  write_json(options.json, machine, options.command, table);
  return 0;
}

void mask_job(const Options& options) {
  Team team(options.threads[0], kBytes, options.is_bound);
  Worker& sleeper = team.worker(team.threads() - 1);
  const Scene scenes[] = {
      {"am to a thread that polls", 2, [&](Worker& w, int n) { ask_counterpart(team, w, n); }},
      {"am to a thread that computes", 2,
       [&](Worker& w, int n) { ask_sleeper(team, w, sleeper, n); }},
      {"get and a look", 1, [&](Worker& w, int n) { get_and_look(team, w, n); }},
  };
  for (const Scene& scene : scenes) measure(team, options, scene, options.masks[0]);
}

}  // namespace uccs::perf
