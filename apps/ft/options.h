// SPDX-License-Identifier: BSD-3-Clause
#ifndef FT_OPTIONS_H_
#define FT_OPTIONS_H_

#include <stdbool.h>

#include "exchange.h"
#include "problem.h"

enum { kNumExchanges = 3 };

typedef struct Options {
  const Problem* problem;
  const Exchange* exchanges[kNumExchanges];
  int num_exchanges;
  int window;        // planes in flight; 0: what the communication library prefers
  const char* json;  // path, or NULL
} Options;

typedef enum OptionsOutcome { kOptionsRun, kOptionsHelp, kOptionsBad } OptionsOutcome;

// Reads the command line. If `speaks`, prints the help or what is wrong with it.
OptionsOutcome options_read(int argc, char** argv, bool speaks, Options* options_out);

#endif  // FT_OPTIONS_H_
