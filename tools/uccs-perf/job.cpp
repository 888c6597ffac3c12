// SPDX-License-Identifier: BSD-3-Clause
#include "job.hpp"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common.hpp"
#include "plot.hpp"
#include "uccs/rte.h"

namespace uccs::perf {
namespace {

std::string own_path() {
  char path[4096];
  const ssize_t length = readlink("/proc/self/exe", path, sizeof path - 1);
  return length > 0 ? std::string(path, static_cast<size_t>(length)) : "uccs-perf";
}

/// The launcher beside this program, or the one in PATH.
std::string launcher_path() {
  const std::string own = own_path();
  const std::string beside = own.substr(0, own.find_last_of('/') + 1) + "uccsrun";
  return access(beside.c_str(), X_OK) == 0 ? beside : "uccsrun";
}

[[noreturn]] void execute(std::vector<std::string>& words, const char* remedy) {
  std::vector<char*> pointers;
  for (std::string& word : words) pointers.push_back(word.data());
  pointers.push_back(nullptr);
  execvp(pointers[0], pointers.data());
  fprintf(stderr, "uccs-perf: %s: cannot be started: %s. %s\n", pointers[0], strerror(errno),
          remedy);
  _exit(127);
}

std::vector<std::string> cells_of(const std::string& line) {
  std::vector<std::string> cells(1);
  for (const char c : line) {
    if (c == '\t') {
      cells.emplace_back();
    } else {
      cells.back() += c;
    }
  }
  return cells;
}

}  // namespace

bool is_launched() {
  check(rte_init(), "rte_init");
  const bool is_single = strcmp(rte_get_backend(), "single") == 0;
  rte_finalize();
  return !is_single;
}

void become_job(int procs, const std::vector<std::string>& arguments) {
  std::vector<std::string> words = {launcher_path(), "-n", std::to_string(procs), "--", own_path()};
  words.insert(words.end(), arguments.begin(), arguments.end());
  execute(words, "Install it beside uccs-perf.");
}

std::vector<std::vector<std::string>> run_job(int procs, const std::vector<std::string>& arguments,
                                              const std::vector<std::string>& environment) {
  int ends[2];
  const pid_t child = pipe(ends) == 0 ? fork() : -1;
  if (child < 0) {
    perror("uccs-perf: a job cannot be started");
    exit(1);
  }
  if (child == 0) {
    dup2(ends[1], STDOUT_FILENO);
    close(ends[0]);
    close(ends[1]);
    for (const std::string& variable : environment) {
      const size_t equals = variable.find('=');
      setenv(variable.substr(0, equals).c_str(), variable.c_str() + equals + 1, 1);
    }
    become_job(procs, arguments);
  }
  close(ends[1]);
  std::vector<std::vector<std::string>> rows;
  FILE* output = fdopen(ends[0], "r");
  char* line = nullptr;
  size_t room = 0;
  for (ssize_t length; output && (length = getline(&line, &room, output)) > 0;) {
    if (line[length - 1] == '\n') line[length - 1] = '\0';
    rows.push_back(cells_of(line));
  }
  free(line);
  if (output) fclose(output);
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) continue;
  if (WIFEXITED(status) && WEXITSTATUS(status) == 0) return rows;
  fprintf(stderr, "uccs-perf: the job of %d processes failed; nothing was measured\n", procs);
  exit(WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status));
}

void become_plot(char** arguments) {
  const std::string own = own_path();
  std::vector<std::string> words = {"python3", own + "-plot"};
  for (; *arguments; ++arguments) words.push_back(*arguments);
  execute(words, "Install python3 and python3-matplotlib.");
}

void write_cells(const std::vector<std::string>& cells) {
  for (size_t i = 0; i < cells.size(); ++i) printf("%s%s", i ? "\t" : "", cells[i].c_str());
  putchar('\n');
  fflush(stdout);
}

}  // namespace uccs::perf
