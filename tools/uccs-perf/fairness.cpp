// SPDX-License-Identifier: BSD-3-Clause
#include "fairness.hpp"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include <algorithm>

#include "common.hpp"
#include "job.hpp"

namespace uccs::perf {
namespace {

/// Callbacks of one thread over all runs of its job.
struct Share {
  int threads = 0, thread = 0;
  std::vector<double> callbacks;
};

std::vector<Share> shares_of(const Table& runs) {
  std::vector<Share> shares;
  for (const auto& row : runs.rows) {
    const int threads = atoi(row[0].c_str()), thread = atoi(row[3].c_str());
    const auto found = std::find_if(shares.begin(), shares.end(), [&](const Share& share) {
      return share.threads == threads && share.thread == thread;
    });
    Share& share = found == shares.end() ? shares.emplace_back() : *found;
    share.threads = threads;
    share.thread = thread;
    share.callbacks.push_back(atof(row[4].c_str()));
  }
  return shares;
}

Table summary_of(const Table& runs, int messages) {
  Table summary;
  summary.columns = {"threads", "thread", "runs",    "messages", "even share",
                     "mean",    "std",    "minimum", "maximum"};
  for (const Share& share : shares_of(runs)) {
    const auto& all = share.callbacks;
    const auto n = static_cast<double>(all.size());
    double sum = 0, squares = 0;
    for (const double x : all) sum += x;
    for (const double x : all) squares += (x - sum / n) * (x - sum / n);
    summary.rows.push_back({std::to_string(share.threads), std::to_string(share.thread),
                            std::to_string(all.size()), std::to_string(messages),
                            number_text(static_cast<double>(messages) / share.threads),
                            number_text(sum / n), number_text(sqrt(squares / n)),
                            number_text(*std::min_element(all.begin(), all.end())),
                            number_text(*std::max_element(all.begin(), all.end()))});
  }
  return summary;
}

}  // namespace

int fairness(const Options& options, const std::vector<std::string>& arguments) {
  const std::vector<int> threads = options.threads.empty() ? std::vector<int>{8} : options.threads;
  const Machine machine = this_machine();
  print_machine(machine);
  Progress progress(options.shows_progress);
  Table runs;
  runs.columns = {"threads", "run", "messages", "thread", "callbacks", "ns per message"};
  for (size_t i = 0; i < threads.size(); ++i) {
    progress.show("fairness of " + std::to_string(threads[i]) + " threads", i, threads.size());
    std::vector<std::string> inner = arguments;
    inner.push_back("--inner");
    inner.push_back("--threads=" + std::to_string(threads[i]));
    for (auto& row : run_job(2, inner, {}))
      if (row.size() == runs.columns.size()) runs.rows.push_back(std::move(row));
  }
  progress.clear();
  summary_of(runs, options.messages).print();
  write_csv(options.csv, machine, options.command, runs);
  write_json(options.json, machine, options.command, runs);
  return 0;
}

}  // namespace uccs::perf
