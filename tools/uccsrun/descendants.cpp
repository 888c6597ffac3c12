// SPDX-License-Identifier: BSD-3-Clause
#include "descendants.hpp"

#include <dirent.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <map>
#include <vector>

namespace uccs::run {
namespace {

/// The parent of a process, 0 if it is gone.
pid_t parent_of(pid_t pid) {
  char path[48];
  snprintf(path, sizeof path, "/proc/%d/stat", pid);
  FILE* file = fopen(path, "re");
  if (file == nullptr) return 0;
  char line[512] = "";
  const bool is_read = fgets(line, sizeof line, file) != nullptr;
  fclose(file);
  // "pid (name) state parent": the name may contain anything, a parenthesis too.
  const char* after_name = is_read ? strrchr(line, ')') : nullptr;
  int parent = 0;
  char state;
  if (after_name == nullptr || sscanf(after_name + 1, " %c %d", &state, &parent) != 2) return 0;
  return parent;
}

}  // namespace

void signal_descendants(int signal_number) {
  std::multimap<pid_t, pid_t> children;
  DIR* processes = opendir("/proc");
  if (processes == nullptr) return;
  while (const dirent* entry = readdir(processes)) {
    const pid_t pid = static_cast<pid_t>(atoi(entry->d_name));
    if (pid > 0) children.emplace(parent_of(pid), pid);
  }
  closedir(processes);
  std::vector<pid_t> found = {getpid()};
  for (size_t i = 0; i < found.size(); ++i) {
    const auto [first, last] = children.equal_range(found[i]);
    for (auto child = first; child != last; ++child) found.push_back(child->second);
  }
  for (size_t i = 1; i < found.size(); ++i) kill(found[i], signal_number);
}

}  // namespace uccs::run
