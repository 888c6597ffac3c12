// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include <string>
#include <vector>

#include "board.hpp"

namespace uccs::perf {

/// Pairs of bursts that are thrown away: pages, caches and the scheduler settle.
constexpr int kWarmUpBursts = 2;

/// Two ways to do the same. The figure is what side 0 does per second, divided by what side 1 does.
struct Comparison {
  struct Side {
    Layout layout;
    Burst burst;
  };
  std::string what;     ///< the operation
  std::string against;  ///< the two sides in words
  double target;        ///< least ratio
  double scale;         ///< the ratio is multiplied with it: CPUs of side 0 per CPU of side 1
  int threads;
  int burst_factor;  ///< how many workers take turns on a CPU, at least 1
  Side sides[2];
};

/// All comparisons for `threads` threads on a machine with `cpus`; those of operation `only`,
/// unless it is "". `is_net`: over a network, where they are fewer and take longer.
std::vector<Comparison> comparisons(int threads, int cpus, const std::string& only, bool is_net);

/// Outcomes of neighbouring bursts, in one job or several. A job's ratio is the median of its
/// bursts', the ratio is the median of the jobs', and how well that is known is told by how much
/// these differ: bursts of one job share its luck.
class Samples {
 public:
  /// What is added from now on is another job's.
  void begin_job() { jobs_.emplace_back(); }
  void add(const Outcome& side0, const Outcome& side1);
  /// Whether to stop. `time_used`: 1 when the time for this comparison is up. `wanted`: how many
  /// there must be, 0: as many as it takes.
  bool are_enough(double time_used, int wanted) const;
  /// A row of the table; its columns are those of `parity_columns`.
  std::vector<std::string> cells(const Comparison& what) const;

 private:
  std::vector<double> rates_[2];           ///< per second of CPU time
  std::vector<std::vector<double>> jobs_;  ///< ratios of those
  std::vector<double> wall_ratios_;
};

std::vector<std::string> parity_columns();

/// One pair of bursts of comparison `index` as a line between processes, and back. False for what
/// is no such line.
std::vector<std::string> cells_of(size_t index, const Outcome& side0, const Outcome& side1);
bool read_cells(const std::vector<std::string>& cells, size_t* index_out, Outcome* side0_out,
                Outcome* side1_out);

}  // namespace uccs::perf
