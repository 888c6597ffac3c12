// SPDX-License-Identifier: BSD-3-Clause
// FT of the NAS parallel benchmarks, with the grid exchanged in three ways.
#include <stdbool.h>
#include <stdlib.h>

#include "comm.h"
#include "options.h"
#include "report.h"
#include "solve.h"

enum { kExitWrongOption = 2 };

// Runs what `options` ask for; false if anything failed. Collective.
static bool run(const Options* options) {
  const bool speaks = comm_my_pe() == 0;
  Solver solver;
  if (!solver_create(&solver, options->problem, options->exchanges, options->num_exchanges,
                     options->window)) {
    return false;
  }
  Result results[kNumExchanges];
  bool good = true;
  for (int i = 0; i < options->num_exchanges; ++i) {
    results[i] = solver_run(&solver, options->exchanges[i]);
    if (!speaks) continue;
    report_line(kCommTitle, options->problem, comm_num_pes(), &results[i]);
    good = good && results[i].verified;
  }
  if (speaks && options->json != NULL) {
    good = report_json(options->json, kCommTitle, options->problem, comm_num_pes(), results,
                       options->num_exchanges) &&
           good;
  }
  solver_destroy(&solver);
  return comm_max(good ? 0 : 1) == 0;
}

int main(int argc, char** argv) {
  comm_start(&argc, &argv);
  Options options;
  const OptionsOutcome outcome = options_read(argc, argv, comm_my_pe() == 0, &options);
  int status = outcome == kOptionsBad ? kExitWrongOption : EXIT_SUCCESS;
  if (outcome == kOptionsRun && !run(&options)) status = EXIT_FAILURE;
  comm_stop();
  return status;
}
