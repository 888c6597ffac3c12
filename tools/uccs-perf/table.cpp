// SPDX-License-Identifier: BSD-3-Clause
#include "table.hpp"

#include <errno.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <algorithm>

#include "common.hpp"
#include "uccs/info.h"

namespace uccs::perf {
namespace {

bool is_number(const std::string& text) {
  if (text.empty() || text.find_first_not_of("0123456789.+-e") != std::string::npos) return false;
  char* end;
  strtod(text.c_str(), &end);
  return *end == '\0';
}

std::string quoted_json(const std::string& text) {
  std::string quoted = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') quoted += '\\';
    if (static_cast<unsigned char>(c) < 0x20) continue;
    quoted += c;
  }
  return quoted + '"';
}

std::string quoted_csv(const std::string& text) {
  if (text.find_first_of(",\"\n") == std::string::npos) return text;
  std::string quoted = "\"";
  for (const char c : text) quoted += c == '"' ? "\"\"" : std::string(1, c);
  return quoted + '"';
}

std::string cpu_model() {
  std::string model = "unknown";
  FILE* file = fopen("/proc/cpuinfo", "r");
  if (!file) return model;
  char line[512];
  while (fgets(line, sizeof line, file)) {
    const char* colon = strchr(line, ':');
    if (!colon || strncmp(line, "model name", 10) != 0) continue;
    model = colon + 1 + strspn(colon + 1, " \t");
    model.erase(model.find_last_not_of(" \n") + 1);
    break;
  }
  fclose(file);
  return model;
}

std::string affinity_text() {
  cpu_set_t set;
  if (sched_getaffinity(0, sizeof set, &set) != 0) return "unknown";
  std::string text;
  for (int cpu = 0; cpu < CPU_SETSIZE; ++cpu) {
    if (!CPU_ISSET(cpu, &set)) continue;
    const int first = cpu;
    while (cpu + 1 < CPU_SETSIZE && CPU_ISSET(cpu + 1, &set)) ++cpu;
    if (!text.empty()) text += ',';
    text += std::to_string(first);
    if (cpu > first) text += '-' + std::to_string(cpu);
  }
  return text;
}

FILE* open_or_die(const std::string& path, const char* mode) {
  FILE* file = fopen(path.c_str(), mode);
  if (file) return file;
  fprintf(stderr, "uccs-perf: %s: cannot be written: %s\n", path.c_str(), strerror(errno));
  exit(1);
}

void close_or_die(const std::string& path, FILE* file) {
  const bool is_bad = ferror(file) != 0;
  if (fclose(file) == 0 && !is_bad) return;
  fprintf(stderr, "uccs-perf: %s: not all could be written: %s\n", path.c_str(), strerror(errno));
  exit(1);
}

}  // namespace

void Table::print() const {
  std::vector<size_t> widths(columns.size());
  for (size_t c = 0; c < columns.size(); ++c) {
    widths[c] = columns[c].size();
    for (const auto& row : rows) widths[c] = std::max(widths[c], row[c].size());
  }
  const auto print_row = [&](const std::vector<std::string>& row, bool is_head) {
    for (size_t c = 0; c < row.size(); ++c) {
      // Text to the left, numbers to the right, a head as what is below it.
      const bool is_right = is_number(is_head && !rows.empty() ? rows[0][c] : row[c]);
      const int width = static_cast<int>(widths[c]);
      printf(is_right ? "%*s" : "%-*s", c + 1 < row.size() || is_right ? width : 0, row[c].c_str());
      fputs(c + 1 < row.size() ? "  " : "\n", stdout);
    }
  };
  print_row(columns, true);
  for (const auto& row : rows) print_row(row, false);
  fflush(stdout);
}

Machine this_machine() {
  Machine machine;
  machine.cpu = cpu_model();
  machine.cores = static_cast<int>(sysconf(_SC_NPROCESSORS_ONLN));
  machine.affinity = affinity_text();
  machine.usable = uccs_usable_cpus();
  machine.version = uccs_version_string();
  double load = 0;
  machine.load = getloadavg(&load, 1) == 1 ? number_text(load) : "unknown";
  return machine;
}

void print_machine(const Machine& machine) {
  printf("UCCS %s on %s, %d CPUs, affinity %s, usable %d, load %s\n", machine.version.c_str(),
         machine.cpu.c_str(), machine.cores, machine.affinity.c_str(), machine.usable,
         machine.load.c_str());
  fflush(stdout);
}

void check_writable(const std::string& path) {
  if (path.empty()) return;
  const bool is_new = access(path.c_str(), F_OK) != 0;
  fclose(open_or_die(path, "a"));
  if (is_new) unlink(path.c_str());
}

void write_csv(const std::string& path, const Machine& machine, const std::string& command,
               const Table& table) {
  if (path.empty()) return;
  FILE* file = open_or_die(path, "w");
  fprintf(file, "# %s\n# UCCS %s, CPU %s, CPUs %d, affinity %s, usable %d, load %s\n",
          command.c_str(), machine.version.c_str(), machine.cpu.c_str(), machine.cores,
          machine.affinity.c_str(), machine.usable, machine.load.c_str());
  const auto write_row = [&](const std::vector<std::string>& row) {
    for (size_t c = 0; c < row.size(); ++c)
      fprintf(file, "%s%s", c ? "," : "", quoted_csv(row[c]).c_str());
    fputc('\n', file);
  };
  write_row(table.columns);
  for (const auto& row : table.rows) write_row(row);
  close_or_die(path, file);
}

void write_json(const std::string& path, const Machine& machine, const std::string& command,
                const Table& table) {
  if (path.empty()) return;
  FILE* file = open_or_die(path, "w");
  fprintf(file,
          "{\n  \"command\": %s,\n  \"machine\": {\"uccs\": %s, \"cpu\": %s, \"cpus\": %d, "
          "\"affinity\": %s, \"usable\": %d, \"load\": %s},\n  \"rows\": [",
          quoted_json(command).c_str(), quoted_json(machine.version).c_str(),
          quoted_json(machine.cpu).c_str(), machine.cores, quoted_json(machine.affinity).c_str(),
          machine.usable, quoted_json(machine.load).c_str());
  for (size_t r = 0; r < table.rows.size(); ++r) {
    fprintf(file, "%s\n    {", r ? "," : "");
    for (size_t c = 0; c < table.columns.size(); ++c) {
      const std::string& cell = table.rows[r][c];
      fprintf(file, "%s%s: %s", c ? ", " : "", quoted_json(table.columns[c]).c_str(),
              is_number(cell) ? cell.c_str() : quoted_json(cell).c_str());
    }
    fputc('}', file);
  }
  fputs("\n  ]\n}\n", file);
  close_or_die(path, file);
}

}  // namespace uccs::perf
