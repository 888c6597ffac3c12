// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include <string>
#include <vector>

namespace uccs::perf {

/// Results: named columns, rows of text. Written as a table for people, as CSV and as JSON.
struct Table {
  std::vector<std::string> columns;
  std::vector<std::vector<std::string>> rows;

  void print() const;
};

/// What a result was measured on; the first lines of every output.
struct Machine {
  std::string cpu;
  int cores = 0;         ///< of the machine
  std::string affinity;  ///< CPUs of this process, "0-1,4"
  int usable = 0;        ///< after the limits of the cgroup
  std::string version;   ///< of UCCS
  std::string load;      ///< runnable processes, averaged over the last minute
};
Machine this_machine();
void print_machine(const Machine& machine);

/// Writes the table where the user asked for it; "" is nowhere. Both hold the machine and `command`
/// too: CSV in lines that begin with '#'. Ends the process with a message when it cannot.
void write_csv(const std::string& path, const Machine& machine, const std::string& command,
               const Table& table);
void write_json(const std::string& path, const Machine& machine, const std::string& command,
                const Table& table);
/// Refuses now what could not be written after an hour of measuring.
void check_writable(const std::string& path);

}  // namespace uccs::perf
