// SPDX-License-Identifier: BSD-3-Clause
#include "common.hpp"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include <algorithm>

#include "uccs/rte.h"

namespace uccs::perf {
namespace {

/// The CPUs of the process before any of its threads was bound.
const cpu_set_t& all_cpus() {
  static const cpu_set_t cpus = [] {
    cpu_set_t set;
    CPU_ZERO(&set);
    if (sched_getaffinity(0, sizeof set, &set) != 0) CPU_SET(0, &set);
    return set;
  }();
  return cpus;
}

}  // namespace

void refuse(const char* format, ...) {
  va_list arguments;
  va_start(arguments, format);
  fputs("uccs-perf: ", stderr);
  vfprintf(stderr, format, arguments);
  fputs(" (uccs-perf --help says more)\n", stderr);
  va_end(arguments);
  exit(kExitUsage);
}

void check(uccs_status_t status, const char* call) {
  if (status == UCCS_OK) return;
  char text[512];
  snprintf(text, sizeof text, "uccs-perf: %s: %s", call, uccs_status_string(status));
  rte_abort(1, text);
}

int cpu_count() { return CPU_COUNT(&all_cpus()); }

void bind_to_cpu(int index) {
  const cpu_set_t& cpus = all_cpus();
  int wanted = index % CPU_COUNT(&cpus);
  for (int cpu = 0; cpu < CPU_SETSIZE; ++cpu) {
    if (!CPU_ISSET(cpu, &cpus) || wanted-- > 0) continue;
    cpu_set_t one;
    CPU_ZERO(&one);
    CPU_SET(cpu, &one);
    sched_setaffinity(0, sizeof one, &one);  // unbound is slower to settle, not wrong
    return;
  }
}

std::string size_text(size_t bytes) {
  const char* units = "KMG";
  std::string unit;
  for (; *units && bytes >= 1024 && bytes % 1024 == 0; bytes /= 1024) unit = *units++;
  return std::to_string(bytes) + unit;
}

std::string number_text(double value) {
  char text[32];
  if (fabs(value) >= 1000) {
    snprintf(text, sizeof text, "%.0f", value);
  } else {
    snprintf(text, sizeof text, "%.4g", value);
  }
  return text;
}

double median(std::vector<double> values) {
  if (values.empty()) return 0;
  std::sort(values.begin(), values.end());
  const size_t half = values.size() / 2;
  return values.size() % 2 ? values[half] : (values[half - 1] + values[half]) / 2;
}

Interval median_interval(std::vector<double> values) {
  if (values.empty()) return {};
  std::sort(values.begin(), values.end());
  const auto n = static_cast<double>(values.size());
  // The binomial distribution's normal approximation.
  const double reach = 0.98 * sqrt(n);
  const auto low = static_cast<size_t>(std::max(0.0, floor(n / 2 - reach)));
  const auto high = static_cast<size_t>(std::min(n - 1, ceil(n / 2 + reach)));
  return {values[low], values[high]};
}

void Progress::show(const std::string& what, size_t done, size_t total) {
  if (!is_on_) return;
  const std::string line =
      "[" + std::to_string(done * 100 / std::max<size_t>(total, 1)) + " %] " + what;
  fprintf(stderr, "\r%-*s", static_cast<int>(width_), line.c_str());
  fflush(stderr);
  width_ = line.size();
}

void Progress::clear() {
  if (width_ == 0) return;
  fprintf(stderr, "\r%*s\r", static_cast<int>(width_), "");
  fflush(stderr);
  width_ = 0;
  // The launcher passes on at once what ends a line, and the rest a little later: what is printed
  // next must not overtake this.
  usleep(250'000);
}

}  // namespace uccs::perf
