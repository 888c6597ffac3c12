// SPDX-License-Identifier: BSD-3-Clause
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "engine.hpp"
#include "job.hpp"
#include "options.hpp"
#include "spawn.hpp"

namespace {

/// A shell may have closed them ("<&-"); nothing else must get their numbers.
bool open_standard_files() {
  int fd;
  do {
    fd = open("/dev/null", O_RDWR);
  } while (fd >= 0 && fd <= 2);
  if (fd > 2) close(fd);
  return fd > 2;
}

bool is_directory(const char* path) {
  struct stat info;
  return stat(path, &info) == 0 && S_ISDIR(info.st_mode);
}

}  // namespace

int main(int argc, char** argv) {
  using namespace uccs::run;
  if (!open_standard_files()) return kExitUsage;
  const Options options = parse_options(argc, argv);
  std::string engine_path;
  const Engine engine = choose_engine(options, &engine_path);
  if (engine != Engine::kLocal) return hand_over(options, engine, engine_path);
  if (!options.directory.empty() && !is_directory(options.directory.c_str())) {
    fprintf(stderr, "uccsrun: --wdir %s: no such directory\n", options.directory.c_str());
    return kExitUsage;
  }
  int status = kExitNotFound;
  const std::string program = find_program(options.command[0], options.directory, &status);
  if (program.empty()) return status;
  JobFiles files;
  rlimit file_limit;
  if (!open_job_files(options.num_ecs, &files, &file_limit)) return kExitUsage;
  return Job(options, program, files, file_limit).run();
}
