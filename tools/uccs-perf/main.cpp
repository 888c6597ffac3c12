// SPDX-License-Identifier: BSD-3-Clause
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common.hpp"
#include "fairness.hpp"
#include "job.hpp"
#include "mask.hpp"
#include "options.hpp"
#include "parity.hpp"
#include "plot.hpp"
#include "sweep.hpp"
#include "uccs/rte.h"

namespace uccs::perf {
namespace {

constexpr int kProcsDefault = 2;

void report(const Options& options, const Machine& machine, const Table& table) {
  table.print();
  write_csv(options.csv, machine, options.command, table);
  write_json(options.json, machine, options.command, table);
}

/// An EC of a job: measures together with the others; EC 0 reports.
int measure(const Options& options) {
  check(rte_init(), "rte_init");
  const int procs = rte_get_num_ecs();
  const bool is_reporter = rte_get_my_ec() == 0;
  if (options.procs != 0 && options.procs != procs)
    refuse("--procs %d: the launcher started %d processes: leave --procs out", options.procs,
           procs);
  if (!is_collective(options.operation) && procs > 1 && procs % 2 != 0)
    refuse("%s: processes work in pairs: start an even number of them", name_of(options.operation));
  const Machine machine = this_machine();
  if (is_reporter) print_machine(machine);
  const Table table = sweep(options);
  if (is_reporter) report(options, machine, table);
  rte_finalize();
  return 0;
}

/// The subcommands that start jobs of their own and read what these write.
int study(Options options, const std::vector<std::string>& arguments) {
  const bool is_fairness = options.operation == Operation::kFairness;
  const bool is_mask = options.operation == Operation::kMask;
  if (options.is_inner) {
    (is_fairness ? fairness_job : is_mask ? mask_job : parity_job)(options);
    return 0;
  }
  if (is_launched())
    refuse("%s: starts its own jobs: start it without a launcher", name_of(options.operation));
  options.shows_progress = isatty(STDERR_FILENO);
  return (is_fairness ? fairness : is_mask ? mask : parity)(options, arguments);
}

int run(int argc, char** argv) {
  const Options options = parse_options(argc, argv);
  check_writable(options.csv);
  check_writable(options.json);
  std::vector<std::string> arguments(argv + 1, argv + argc);
  if (options.operation >= Operation::kParity) return study(options, arguments);
  if (is_launched()) return measure(options);
  if (isatty(STDERR_FILENO)) arguments.push_back("--show-progress");
  const int procs = options.procs ? options.procs : kProcsDefault;
  if (procs == 1) {
    check(rte_init(), "rte_init");
    return measure(options);
  }
  become_job(procs, arguments);
}

}  // namespace
}  // namespace uccs::perf

int main(int argc, char** argv) {
  if (argc > 1 && strcmp(argv[1], "plot") == 0) uccs::perf::become_plot(argv + 2);
  return uccs::perf::run(argc, argv);
}
