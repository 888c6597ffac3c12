// SPDX-License-Identifier: BSD-3-Clause
#include "options.h"

#include <getopt.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const Exchange kExchanges[kNumExchanges] = {
    {"packed", true, exchange_packed},
    {"slabs", false, exchange_slabs},
    {"pencils", false, exchange_pencils},
};

static const char kHelp[] =
    "usage: ft [--class CLASS] [--exchange EXCHANGE] [--window N] [--json FILE]\n"
    "NAS parallel benchmark FT: solves a diffusion equation on a 3-D grid by Fourier transforms\n"
    "and checks the result.\n"
    "  --class CLASS        S, W, A, B or C: the size of the grid (default: S)\n"
    "  --exchange EXCHANGE  packed, slabs, pencils or all: how it is exchanged (default: all)\n"
    "  --window N           slabs and pencils: how many planes may be on their way at once\n"
    "                       (default: 1 if sending is copying in shared memory, otherwise 2;\n"
    "                       with MPI all)\n"
    "  --json FILE          also write the results to FILE\n"
    "  --help               print this\n"
    "exit status: 0 if all results are right, 1 if not or out of memory, 2 on a wrong option\n";

#define OPTION_NAMES "--class, --exchange, --window, --json and --help"

// The number that `text` is, or 0 if it is none from 1 to INT_MAX.
static int positive_number(const char* text) {
  char* end;
  const long number = strtol(text, &end, 10);
  return *text != '\0' && *end == '\0' && number > 0 && number <= INT_MAX ? (int)number : 0;
}

static bool choose_exchanges(const char* name, Options* options) {
  options->num_exchanges = 0;
  for (int i = 0; i < kNumExchanges; ++i) {
    if (strcmp(name, "all") == 0 || strcmp(name, kExchanges[i].name) == 0) {
      options->exchanges[options->num_exchanges++] = &kExchanges[i];
    }
  }
  return options->num_exchanges > 0;
}

OptionsOutcome options_read(int argc, char** argv, bool speaks, Options* options_out) {
  static const struct option kLong[] = {
      {"class", required_argument, NULL, 'c'},  {"exchange", required_argument, NULL, 'e'},
      {"window", required_argument, NULL, 'w'}, {"json", required_argument, NULL, 'j'},
      {"help", no_argument, NULL, 'h'},         {NULL, 0, NULL, 0},
  };
  Options options = {.problem = problem_find("S")};
  choose_exchanges("all", &options);
  opterr = 0;  // messages come from one PE only
  char wrong[256] = "";
  for (int choice;
       wrong[0] == '\0' && (choice = getopt_long(argc, argv, ":", kLong, NULL)) != -1;) {
    switch (choice) {
      case 'c':
        options.problem = problem_find(optarg);
        if (options.problem == NULL) {
          snprintf(wrong, sizeof wrong, "unknown class '%s'; classes are %s", optarg,
                   kProblemNames);
        }
        break;
      case 'e':
        if (!choose_exchanges(optarg, &options)) {
          snprintf(wrong, sizeof wrong,
                   "unknown exchange '%s'; exchanges are packed, slabs, pencils and all", optarg);
        }
        break;
      case 'w':
        options.window = positive_number(optarg);
        if (options.window == 0) {
          snprintf(wrong, sizeof wrong, "wrong window '%s'; it is a number of planes, from 1",
                   optarg);
        }
        break;
      case 'j':
        options.json = optarg;
        break;
      case 'h':
        if (speaks) fputs(kHelp, stdout);
        return kOptionsHelp;
      case ':':
        snprintf(wrong, sizeof wrong, "option '%s' needs a value", argv[optind - 1]);
        break;
      default:
        snprintf(wrong, sizeof wrong, "unknown option '%s'; options are " OPTION_NAMES,
                 argv[optind - 1]);
    }
  }
  if (wrong[0] == '\0' && optind < argc) {
    snprintf(wrong, sizeof wrong, "unexpected argument '%s'; options are " OPTION_NAMES,
             argv[optind]);
  }
  if (wrong[0] != '\0') {
    if (speaks) fprintf(stderr, "ft: %s\n", wrong);
    return kOptionsBad;
  }
  *options_out = options;
  return kOptionsRun;
}
