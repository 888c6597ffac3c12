// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include <getopt.h>

#include <string>
#include <vector>

/// Options that people know from other launchers (mpirun, mpiexec, srun, aprun) and that scripts
/// carry: taken as ours where they mean the same, ignored where they change nothing here, else
/// refused with what to write instead.
namespace uccs::run {

/// What getopt returns for the first of them; ours are below.
constexpr int kForeignOption = 0x1000;

/// Adds them to getopt's table, without its end mark.
void add_foreign_options(std::vector<option>* table);

struct Translation {
  std::string option;   ///< the name of ours that it stands for, "N" for ECs per node, or ""
  std::string value;    ///< of ours
  std::string refusal;  ///< "" or why it is refused
};

/// `found` is what getopt returned, `value` its optarg. Some have a second value: `argv[*next]`,
/// which is then skipped.
Translation translate_foreign_option(int found, const char* value, char** argv, int* next);

}  // namespace uccs::run
