// SPDX-License-Identifier: BSD-3-Clause
#include "options.hpp"

#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common.hpp"
#include "help.hpp"
#include "uccs/info.h"

namespace uccs::perf {
namespace {

constexpr size_t kSizeMax = size_t{256} << 20;
constexpr int kThreadsMax = 64;  // lanes of a context

constexpr const char* kOperations[] = {"put",     "get",       "atomic",    "am",        "send",
                                       "barrier", "broadcast", "allreduce", "allgather", "alltoall",
                                       "parity",  "fairness",  "mask"};
constexpr const char* kModes[] = {"latency", "rate", "bandwidth", "bidir", "overlap"};

template <typename Enum, size_t count>
bool find_name(const char* const (&names)[count], const char* name, Enum* found_out) {
  for (size_t i = 0; i < count; ++i) {
    if (strcmp(names[i], name) != 0) continue;
    *found_out = static_cast<Enum>(i);
    return true;
  }
  return false;
}

long parse_number(const char* option, const std::string& text, long low, long high) {
  errno = 0;
  char* end;
  const long value = strtol(text.c_str(), &end, 10);
  if (text.empty() || *end != '\0' || errno != 0 || value < low || value > high)
    refuse("%s %s: must be a whole number from %ld to %ld", option, text.c_str(), low, high);
  return value;
}

double parse_real(const char* option, const char* text, double low, double high) {
  char* end;
  const double value = strtod(text, &end);
  if (end == text || *end != '\0' || !(value >= low && value <= high))
    refuse("%s %s: must be a number from %g to %g", option, text, low, high);
  return value;
}

size_t parse_size(const std::string& text) {
  char* end;
  errno = 0;
  const unsigned long long number = strtoull(text.c_str(), &end, 10);
  int shift = 0;
  if (*end != '\0' && strchr("kKmMgG", *end))
    shift = strchr("kK", *end++) ? 10 : strchr("mM", end[-1]) ? 20 : 30;
  const bool is_bad = text.empty() || text[0] < '0' || text[0] > '9' || *end != '\0' || errno != 0;
  if (is_bad || number == 0 || number > (kSizeMax >> shift))
    refuse("--size %s: a size is a number of bytes from 1 to 256M, like 8, 4K or 1M", text.c_str());
  return static_cast<size_t>(number) << shift;
}

std::vector<std::string> split(const char* list, char separator) {
  std::vector<std::string> parts(1);
  for (; *list; ++list) {
    if (*list == separator) {
      parts.emplace_back();
    } else {
      parts.back() += *list;
    }
  }
  return parts;
}

/// "8", "8,2K", "8:64K" (doubling), or a mixture.
std::vector<size_t> parse_sizes(const char* list) {
  std::vector<size_t> sizes;
  for (const std::string& part : split(list, ',')) {
    const auto ends = split(part.c_str(), ':');
    if (ends.size() > 2) refuse("--size %s: a range has two ends, like 8:64K", part.c_str());
    const size_t low = parse_size(ends[0]), high = parse_size(ends.back());
    if (low > high) refuse("--size %s: the smaller end of a range comes first", part.c_str());
    for (size_t size = low; size <= high; size *= 2) sizes.push_back(size);
  }
  return sizes;
}

std::vector<int> parse_threads(const char* list) {
  std::vector<int> threads;
  for (const std::string& part : split(list, ','))
    threads.push_back(static_cast<int>(parse_number("--threads", part, 1, kThreadsMax)));
  return threads;
}

enum LongOption : int {
  kThreads = 256,
  kProcs,
  kSize,
  kMode,
  kRepetitions,
  kTime,
  kSeconds,
  kCsv,
  kJson,
  kBind,
  kMessages,
  kSetting,
  kMasks,
  kOnly,
  kNet,
  kBoard,
  kInner,
  kShowProgress,
  kVersion
};

constexpr option kLongOptions[] = {{"threads", required_argument, nullptr, kThreads},
                                   {"procs", required_argument, nullptr, kProcs},
                                   {"size", required_argument, nullptr, kSize},
                                   {"mode", required_argument, nullptr, kMode},
                                   {"repetitions", required_argument, nullptr, kRepetitions},
                                   {"time", required_argument, nullptr, kTime},
                                   {"seconds", required_argument, nullptr, kSeconds},
                                   {"csv", required_argument, nullptr, kCsv},
                                   {"json", required_argument, nullptr, kJson},
                                   {"bind", required_argument, nullptr, kBind},
                                   {"messages", required_argument, nullptr, kMessages},
                                   {"setting", required_argument, nullptr, kSetting},
                                   {"masks", required_argument, nullptr, kMasks},
                                   {"only", required_argument, nullptr, kOnly},
                                   {"net", required_argument, nullptr, kNet},
                                   {"board", required_argument, nullptr, kBoard},
                                   {"inner", no_argument, nullptr, kInner},
                                   {"show-progress", no_argument, nullptr, kShowProgress},
                                   {"version", no_argument, nullptr, kVersion},
                                   {"help", no_argument, nullptr, 'h'},
                                   {nullptr, 0, nullptr, 0}};

void apply(int found, const char* argument, Options* options) {
  switch (found) {
    case kThreads:
      options->threads = parse_threads(argument);
      break;
    case kProcs:
      options->procs = static_cast<int>(parse_number("--procs", argument, 1, 4096));
      break;
    case kSize:
      options->sizes = parse_sizes(argument);
      break;
    case kMode:
      if (!find_name(kModes, argument, &options->mode))
        refuse("--mode %s: the modes are latency, rate, bandwidth, bidir and overlap", argument);
      break;
    case kRepetitions:
      options->repetitions = static_cast<int>(parse_number("--repetitions", argument, 1, 100000));
      break;
    case kTime:
      options->burst_ms = parse_real("--time", argument, 0.01, 60000);
      break;
    case kSeconds:
      options->seconds = parse_real("--seconds", argument, 0.1, 86400);
      break;
    case kCsv:
      options->csv = argument;
      break;
    case kJson:
      options->json = argument;
      break;
    case kBind:
      if (strcmp(argument, "core") != 0 && strcmp(argument, "none") != 0)
        refuse("--bind %s: the choices are core and none", argument);
      options->is_bound = *argument == 'c';
      break;
    case kMessages:
      options->messages = static_cast<int>(parse_number("--messages", argument, 1, 1000000));
      break;
    case kSetting:
      options->setting = argument;
      break;
    case kMasks:
      options->masks = split(argument, ',');
      break;
    case kOnly:
      options->only = argument;
      break;
    case kNet:
      if (strncmp(argument, "ofi", 3) != 0 && strncmp(argument, "ucx", 3) != 0)
        refuse("--net %s: the networks are ofi, ofi:PROVIDER, ucx and ucx:TRANSPORTS", argument);
      options->net = argument;
      break;
    case kBoard:
      options->board = argument;
      break;
    case kInner:
      options->is_inner = true;
      break;
    case kShowProgress:
      options->shows_progress = true;
      break;
    default:
      break;
  }
}

/// What no single option can know.
void check_together(const Options& options) {
  const Operation operation = options.operation;
  const char* name = name_of(operation);
  const bool is_measure = operation < Operation::kParity;
  if (operation < Operation::kParity && options.threads.size() > 1)
    refuse("%s: one number of threads at a time (only parity and fairness take a list)", name);
  if (is_collective(operation)) {
    if (options.mode != Mode::kLatency) refuse("%s: collectives have the mode latency only", name);
    if (!options.threads.empty() && options.threads[0] != 1)
      refuse("%s: one thread of each process calls a collective: leave --threads out", name);
  } else if (is_measure && options.procs > 1 && options.procs % 2 != 0) {
    refuse("%s: processes work in pairs: --procs must be 1 or even", name);
  }
  const bool is_bulk = options.mode == Mode::kBandwidth || options.mode == Mode::kBidirectional;
  if (operation == Operation::kAtomic && (is_bulk || options.mode == Mode::kOverlap))
    refuse("atomic: an operation of one word has the modes latency and rate only");
  if (operation == Operation::kAm && options.mode == Mode::kOverlap)
    refuse("am: a message has nothing to wait for: overlap is measured with put, get and send");
  if ((operation == Operation::kAtomic || operation == Operation::kBarrier) &&
      !options.sizes.empty() && (options.sizes.size() > 1 || options.sizes[0] != 8))
    refuse("%s: takes no --size", name);
  if (!options.net.empty() && operation != Operation::kParity)
    refuse("%s: takes no --net: start it with UCCS_NODE_SIZE=1 and UCCS_NET=%s instead", name,
           options.net.c_str());
  if (!is_measure && options.mode != Mode::kLatency) refuse("%s: takes no --mode", name);
  if (!is_measure && options.procs != 0)
    refuse("%s: chooses the number of processes itself: leave --procs out", name);
}

std::string joined(int argc, char** argv) {
  std::string command = "uccs-perf";
  for (int i = 1; i < argc; ++i) command += std::string(" ") + argv[i];
  return command;
}

}  // namespace

const char* name_of(Operation operation) { return kOperations[static_cast<int>(operation)]; }
const char* name_of(Mode mode) { return kModes[static_cast<int>(mode)]; }
bool is_collective(Operation operation) {
  return operation >= Operation::kBarrier && operation <= Operation::kAlltoall;
}

Options parse_options(int argc, char** argv) {
  Options options;
  options.command = joined(argc, argv);
  opterr = 0;
  const char* subcommand = nullptr;
  while (true) {
    const int index = optind;
    const int found = getopt_long(argc, argv, "-:h", kLongOptions, nullptr);
    if (found == -1) break;
    if (found == 'h' || found == kVersion) {
      if (found == 'h') fputs(kHelp, stdout);
      if (found == kVersion) printf("uccs-perf %s\n", uccs_version_string());
      exit(fflush(stdout) == 0 ? 0 : 1);
    }
    if (found == '?') refuse("%s: no such option, or short for more than one", argv[index]);
    if (found == ':') refuse("%s: the option needs a value", argv[index]);
    if (found != 1) {
      apply(found, optarg, &options);
    } else if (subcommand) {
      refuse("%s: there is a subcommand already, %s", optarg, subcommand);
    } else {
      subcommand = optarg;
    }
  }
  if (optind < argc) refuse("%s: an argument that belongs to nothing", argv[optind]);
  if (!subcommand)
    refuse(
        "say what to measure: put, get, atomic, am, send, a collective, parity, "
        "fairness, mask, or plot");
  if (!find_name(kOperations, subcommand, &options.operation))
    refuse("%s: there is no such subcommand", subcommand);
  check_together(options);
  return options;
}

}  // namespace uccs::perf
