// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include <string>
#include <vector>

namespace uccs::perf {

enum class Operation {
  kPut,
  kGet,
  kAtomic,
  kAm,
  kSend,
  kBarrier,
  kBroadcast,
  kAllreduce,
  kAllgather,
  kAlltoall,
  // What follows is no operation.
  kParity,
  kFairness,
  kMask,
};

enum class Mode { kLatency, kRate, kBandwidth, kBidirectional, kOverlap };

/// The command line, checked.
struct Options {
  Operation operation = Operation::kPut;
  Mode mode = Mode::kLatency;
  int procs = 0;  ///< 0: not given
  std::vector<int> threads;
  std::vector<size_t> sizes;
  int repetitions = 0;  ///< 0: the default of the subcommand
  int messages = 1050;  ///< of one run of `fairness`
  double burst_ms = 0;  ///< time of one repetition; 0: the default of the subcommand
  double seconds = 0;   ///< time of all; 0: the default of the subcommand
  bool is_bound = true;
  bool shows_progress = false;
  bool is_inner = false;  ///< EC of a job that another uccs-perf started and reads
  std::string only;       ///< of `parity`: compares what has this name only; "": everything
  std::string net;        ///< of `parity`: the network that joins all processes; "": shared memory
  std::string board;      ///< of an EC of such a job: the file that it and the others map
  std::string csv, json;
  std::string setting;             ///< of `mask`: the variable to vary
  std::vector<std::string> masks;  ///< of `mask`: its values
  std::string command;             ///< as typed, for the record
};

const char* name_of(Operation operation);
const char* name_of(Mode mode);
bool is_collective(Operation operation);

/// Reads the command line from the subcommand on. Prints help, version and errors itself and then
/// ends the process.
Options parse_options(int argc, char** argv);

}  // namespace uccs::perf
