// SPDX-License-Identifier: BSD-3-Clause
#include "parity.hpp"

#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>

#include "board.hpp"
#include "common.hpp"
#include "comparison.hpp"
#include "job.hpp"

namespace uccs::perf {
namespace {

constexpr double kSecondsDefault = 80, kSecondsDefaultNet = 120;

/// Jobs per number of threads. Where the pages of a process lie is luck that lasts as long as the
/// process (which lines fall into one set of a cache, and are taken for each other), so that one
/// job, however long, knows less than several.
constexpr size_t kRounds = 8;
/// Over networks, where each job takes seconds to start and caches matter less.
constexpr size_t kRoundsNet = 5;
/// Each process has ports for every thread there, and memory for every port.
constexpr int kThreadsMostNet = 4;

/// What processes that are to share no memory share all the same: a file in memory, by which bursts
/// are started.
std::string make_board() {
  const int file = memfd_create("uccs-perf", MFD_CLOEXEC);
  if (file < 0 || ftruncate(file, sizeof(Board)) != 0) {
    perror("uccs-perf: no memory that processes share");
    exit(1);
  }
  return "/proc/" + std::to_string(getpid()) + "/fd/" + std::to_string(file);
}

/// What has not passed by then is measured as long again, up to so many times. All its jobs count:
/// of forty rows at the very target some look short in eight jobs, and do not in more.
constexpr int kExtensions = 3;

/// 1, 2, 4, ... until CPUs are twice as many as needed, and at least 8.
std::vector<int> default_threads(bool is_net) {
  if (is_net) return {1, 2, kThreadsMostNet};
  std::vector<int> all;
  for (int t = 1; t <= std::min(kPairsMax, std::max(8, 2 * cpu_count())); t *= 2) all.push_back(t);
  if (std::find(all.begin(), all.end(), cpu_count()) == all.end() && cpu_count() <= kPairsMax)
    all.push_back(cpu_count());
  std::sort(all.begin(), all.end());
  return all;
}

/// One number of threads: what is compared, and what was found so far.
struct Level {
  int threads;
  std::vector<Comparison> comparisons;
  std::vector<Samples> samples;
  double seconds_of_job = 0;  ///< of one comparison
};

void run_job_of(Level& level, const std::vector<std::string>& arguments,
                const std::vector<std::string>& environment) {
  std::vector<std::string> inner = arguments;
  const double seconds = level.seconds_of_job * static_cast<double>(level.comparisons.size());
  // What comes last counts.
  for (const std::string& word :
       {std::string("--inner"), "--threads=" + std::to_string(level.threads),
        "--seconds=" + number_text(std::max(0.1, seconds))})
    inner.push_back(word);
  for (Samples& samples : level.samples) samples.begin_job();
  for (const auto& cells : run_job(parity_ecs(level.threads), inner, environment)) {
    size_t index;
    Outcome side0, side1;
    if (read_cells(cells, &index, &side0, &side1) && index < level.samples.size())
      level.samples[index].add(side0, side1);
  }
}

bool has_passed(const Level& level, size_t index) {
  return level.samples[index].cells(level.comparisons[index]).back() == "PASS";
}

/// Measures operation `what` of the level for another `kRounds` jobs.
void extend(Level& level, const std::string& what, const std::vector<std::string>& arguments) {
  Level part = {level.threads,
                comparisons(level.threads, cpu_count(), what, false),
                {},
                level.seconds_of_job};
  std::vector<size_t> indices;
  for (size_t i = 0; i < level.comparisons.size(); ++i)
    if (level.comparisons[i].what == what) indices.push_back(i);
  for (const size_t i : indices) part.samples.push_back(std::move(level.samples[i]));
  std::vector<std::string> inner = arguments;
  inner.push_back("--only=" + what);
  for (size_t round = 0; round < kRounds; ++round) run_job_of(part, inner, {});
  for (size_t i = 0; i < indices.size(); ++i)
    level.samples[indices[i]] = std::move(part.samples[i]);
}

/// Measures again what has not passed. False if all has.
bool extend(Level& level, Progress& progress, const std::vector<std::string>& arguments) {
  std::vector<std::string> again;
  for (size_t i = 0; i < level.comparisons.size(); ++i)
    if (const std::string& what = level.comparisons[i].what;
        !has_passed(level, i) && std::find(again.begin(), again.end(), what) == again.end())
      again.push_back(what);
  for (size_t i = 0; i < again.size(); ++i) {
    progress.show(again[i] + " with " + std::to_string(level.threads) + " threads again", i,
                  again.size());
    extend(level, again[i], arguments);
  }
  return !again.empty();
}

}  // namespace

int parity(const Options& options, const std::vector<std::string>& arguments) {
  const bool is_net = !options.net.empty();
  const double usual = is_net ? kSecondsDefaultNet : kSecondsDefault;
  const double seconds = options.seconds > 0 ? options.seconds : usual;
  std::vector<std::string> inner = arguments, environment;
  if (is_net) {
    environment = {"UCCS_NODE_SIZE=1", "UCCS_NET=" + options.net};
    inner.push_back("--board=" + make_board());
  }
  std::vector<Level> levels;
  for (const int t : options.threads.empty() ? default_threads(is_net) : options.threads) {
    Level level = {t, comparisons(t, cpu_count(), options.only, is_net), {}, 0};
    if (level.comparisons.empty())
      refuse("--only %s: nothing of this name is compared", options.only.c_str());
    level.samples.resize(level.comparisons.size());
    levels.push_back(std::move(level));
  }
  const Machine machine = this_machine();
  print_machine(machine);
  Progress progress(options.shows_progress);
  const size_t jobs = (is_net ? kRoundsNet : kRounds) * levels.size();
  for (Level& level : levels)
    level.seconds_of_job = seconds / static_cast<double>(jobs * level.comparisons.size());
  for (size_t job = 0; job < jobs; ++job) {
    Level& level = levels[job % levels.size()];
    progress.show("parity with " + std::to_string(level.threads) + " threads", job, jobs);
    run_job_of(level, inner, environment);
  }
  if (options.repetitions == 0 && !is_net)
    for (Level& level : levels)
      for (int i = 0; i < kExtensions && extend(level, progress, arguments); ++i) continue;
  progress.clear();

  Table table;
  table.columns = parity_columns();
  for (const Level& level : levels)
    for (size_t i = 0; i < level.comparisons.size(); ++i)
      table.rows.push_back(level.samples[i].cells(level.comparisons[i]));
  table.print();
  write_csv(options.csv, machine, options.command, table);
  write_json(options.json, machine, options.command, table);
  const auto count = [&](const char* verdict) {
    return std::count_if(table.rows.begin(), table.rows.end(),
                         [&](const auto& row) { return row.back() == verdict; });
  };
  const auto short_ones = count("FALLS SHORT"), uncertain = count("UNCERTAIN");
  printf("%zu comparisons, %td fall short of their targets\n", table.rows.size(), short_ones);
  if (uncertain > 0)
    printf("%td are uncertain: the machine is too busy; more --seconds may tell\n", uncertain);
  return short_ones ? 1 : 0;
}

}  // namespace uccs::perf
