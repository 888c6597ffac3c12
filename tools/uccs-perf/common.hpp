// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include <sched.h>
#include <time.h>

#include <cstdint>
#include <string>
#include <vector>

#include "uccs/uccs.h"

namespace uccs::perf {

/// Wrong usage, as the launcher's.
constexpr int kExitUsage = 2;

/// Memory that two workers write is this far apart: two lines, since CPUs fetch pairs of them.
constexpr size_t kApart = 128;

inline uint64_t now_ns() {
  timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return static_cast<uint64_t>(t.tv_sec) * 1'000'000'000 + static_cast<uint64_t>(t.tv_nsec);
}

/// Prints "uccs-perf: ..." and where to read more; ends the process with kExitUsage.
[[noreturn]] __attribute__((format(printf, 1, 2))) void refuse(const char* format, ...);

/// Ends the job when a call of UCCS failed. `call`: for the message.
void check(uccs_status_t status, const char* call);
#define UCCS_PERF_CHECK(call) ::uccs::perf::check(call, #call)

/// Binds the calling thread to the `index`-th CPU (going round) of those it started with.
void bind_to_cpu(int index);
/// How many CPUs this process started with.
int cpu_count();

/// "512", "4K", "1M": the largest unit that gives a whole number.
std::string size_text(size_t bytes);

/// Four significant digits, which is more than any figure here deserves.
std::string number_text(double value);

/// The middle of `values`, or the mean of the two middle ones; 0 of nothing.
double median(std::vector<double> values);

/// Where the median of the population lies with 95 % confidence, by order statistics: nothing is
/// assumed about the distribution. The whole range when there are fewer than six values.
struct Interval {
  double low = 0, high = 0;
};
Interval median_interval(std::vector<double> values);

/// A line on stderr that is written over, when `is_on`. UCCS programs see pipes, so whoever starts
/// the job says whether there is a terminal.
class Progress {
 public:
  explicit Progress(bool is_on) : is_on_(is_on) {}
  ~Progress() { clear(); }
  void show(const std::string& what, size_t done, size_t total);
  void clear();

 private:
  bool is_on_;
  size_t width_ = 0;
};

}  // namespace uccs::perf
