// SPDX-License-Identifier: BSD-3-Clause
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "options.hpp"

namespace uccs::run {
namespace {

enum class Found { kNothing, kDirectory, kNotExecutable, kProgram };

Found look_at(const std::string& path) {
  struct stat info;
  if (stat(path.c_str(), &info) != 0) return Found::kNothing;
  if (S_ISDIR(info.st_mode)) return Found::kDirectory;
  return access(path.c_str(), X_OK) == 0 && S_ISREG(info.st_mode) ? Found::kProgram
                                                                  : Found::kNotExecutable;
}

int complain(const char* program, Found found, const std::string& where) {
  switch (found) {
    case Found::kDirectory:
      fprintf(stderr, "uccsrun: %s is a directory, not a program\n", program);
      return kExitNotExecutable;
    case Found::kNotExecutable:
      fprintf(stderr, "uccsrun: %s cannot be executed: it is no file with execute permission\n",
              program);
      return kExitNotExecutable;
    default:
      break;
  }
  if (strchr(program, '/') != nullptr)
    fprintf(stderr, "uccsrun: %s: no such file\n", where.c_str());
  else if (look_at(program) == Found::kProgram)
    fprintf(stderr, "uccsrun: %s is not in PATH; did you mean ./%s?\n", program, program);
  else
    fprintf(stderr, "uccsrun: %s: no such program in PATH\n", program);
  return kExitNotFound;
}

}  // namespace

std::string find_program(const char* program, const std::string& directory, int* exit_status_out) {
  if (strchr(program, '/') != nullptr) {
    const bool is_moved = !directory.empty() && program[0] != '/';
    const std::string path = is_moved ? directory + "/" + program : program;
    const Found found = look_at(path);
    // As the EC finds it, which is in `directory` by then.
    if (found == Found::kProgram) return program;
    *exit_status_out = complain(program, found, path);
    return "";
  }
  const char* path_variable = getenv("PATH");
  const char* rest = path_variable != nullptr ? path_variable : "/usr/local/bin:/usr/bin:/bin";
  Found best = Found::kNothing;
  while (true) {
    const size_t length = strcspn(rest, ":");
    const std::string folder = length > 0 ? std::string(rest, length) : ".";
    const std::string path = folder + "/" + program;
    const Found found = look_at(path);
    if (found == Found::kProgram) {
      if (folder[0] == '/' || directory.empty()) return path;
      char* absolute = realpath(path.c_str(), nullptr);
      const std::string result = absolute != nullptr ? absolute : path;
      free(absolute);
      return result;
    }
    if (found == Found::kNotExecutable) best = found;
    if (rest[length] == '\0') break;
    rest += length + 1;
  }
  *exit_status_out = complain(program, best, "");
  return "";
}

}  // namespace uccs::run
