// SPDX-License-Identifier: BSD-3-Clause
#include "spawn.hpp"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>

#include "rte/local/memory.hpp"
#include "rte/packet.hpp"

namespace uccs::run {
namespace {

constexpr int kSocketBufferBytes = 4 * static_cast<int>(rte::kPacketMax);

bool complain(const char* what) {
  fprintf(stderr, "uccsrun: %s: %s\n", what, strerror(errno));
  return false;
}

bool raise_file_limit(int num_ecs, rlimit* before_out) {
  rlimit limit;
  if (getrlimit(RLIMIT_NOFILE, &limit) != 0) return complain("cannot read the limit of open files");
  *before_out = limit;
  const rlim_t needed = static_cast<rlim_t>(num_ecs) * 4 + 32;
  if (limit.rlim_cur >= needed) return true;
  limit.rlim_cur = std::min(needed, limit.rlim_max);
  if (limit.rlim_cur < needed || setrlimit(RLIMIT_NOFILE, &limit) != 0) {
    fprintf(stderr,
            "uccsrun: %d ECs need %llu open files, the hard limit is %llu: raise it "
            "(`ulimit -Hn %llu`) or start fewer\n",
            num_ecs, static_cast<unsigned long long>(needed),
            static_cast<unsigned long long>(limit.rlim_max),
            static_cast<unsigned long long>(needed));
    return false;
  }
  return true;
}

/// All that the new process needs, prepared so that it has to allocate nothing.
struct ChildPlan {
  const SpawnPlan* plan;
  const JobFiles* files;
  char** environment;
  const cpu_set_t* cpus;  // may be nullptr
  char** shell_argv;      // for scripts without "#!"
  int fds[3];
  int control_fd, lifeline_fd;
  pid_t launcher;
};

struct ChildError {
  const char* volatile what;
  volatile int number;
};

/// In the new process, which shares our memory until it executes the program (vfork): only system
/// calls, no return.
[[noreturn]] void become_ec(const ChildPlan& child, ChildError* error) {
  const SpawnPlan& plan = *child.plan;
  setpgid(0, 0);
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != child.launcher) _exit(1);  // it ended before the line above
  error->what = "cannot pass on its files";
  bool is_ready = dup2(child.control_fd, child.files->control_number) >= 0 &&
                  dup2(child.lifeline_fd, child.files->lifeline_number) >= 0;
  for (int i = 0; i < 3; ++i) is_ready = is_ready && dup2(child.fds[i], i) >= 0;
  for (const int fd : {child.files->segment_fd, child.files->board_fd})
    is_ready = is_ready && fcntl(fd, F_SETFD, 0) == 0;
  if (is_ready && !plan.directory.empty()) {
    error->what = "cannot change to the directory of --wdir";
    is_ready = chdir(plan.directory.c_str()) == 0;
  }
  if (is_ready && child.cpus != nullptr) {
    error->what = "cannot bind it to its CPUs";
    is_ready = sched_setaffinity(0, sizeof *child.cpus, child.cpus) == 0;
  }
  if (is_ready) {
    setrlimit(RLIMIT_NOFILE, &plan.file_limit);
    for (const int number : {SIGPIPE, SIGTTIN}) signal(number, SIG_DFL);
    sigprocmask(SIG_SETMASK, &plan.signal_mask, nullptr);
    error->what = "cannot execute the program";
    execve(plan.path.c_str(), plan.argv, child.environment);
    if (errno == ENOEXEC) execve("/bin/sh", child.shell_argv, child.environment);
  }
  error->number = errno;
  _exit(127);
}

[[gnu::noinline]] pid_t vfork_ec(const ChildPlan& child, ChildError* error) {
  const pid_t pid = vfork();
  if (pid == 0) become_ec(child, error);
  return pid;
}

void close_all(std::initializer_list<int> fds) {
  for (const int fd : fds)
    if (fd >= 0) close(fd);
}

/// Our environment, without what an outer job handed to us, with what the options and the job add.
std::vector<std::string> make_environment(const SpawnPlan& plan, const std::string& hand_over) {
  std::vector<std::string> result = {hand_over};
  // Of several with one name the first in `result` stays, so the last wish comes first.
  const auto add = [&result](const char* variable) {
    const size_t name_bytes = strcspn(variable, "=") + 1;
    const bool is_set = std::any_of(result.begin(), result.end(), [&](const std::string& other) {
      return other.compare(0, name_bytes, variable, name_bytes) == 0;
    });
    if (!is_set) result.push_back(variable);
  };
  for (auto wish = plan.environment.rbegin(); wish != plan.environment.rend(); ++wish)
    add(wish->c_str());
  for (char** variable = environ; *variable != nullptr; ++variable) add(*variable);
  return result;
}

}  // namespace

bool open_job_files(int num_ecs, JobFiles* files_out, rlimit* file_limit_out) {
  if (!raise_file_limit(num_ecs, file_limit_out)) return false;
  JobFiles files;
  files.segment_fd = rte::local::make_segment();
  if (files.segment_fd < 0)
    return complain("cannot make the shared segment (memfd of 1 GiB or more, see `ulimit -f`)");
  cpu_set_t cpus;
  // More than cpu_set_t holds are many, and then the exact number does not matter.
  const int usable = sched_getaffinity(0, sizeof cpus, &cpus) == 0 ? CPU_COUNT(&cpus) : CPU_SETSIZE;
  files.board_fd = rte::local::make_board(num_ecs, static_cast<uint32_t>(usable), &files.board);
  if (files.board_fd < 0) return complain("cannot make the job's board (memfd)");
  // Hold low numbers free in this process, so that they are free in every EC.
  for (int* number : {&files.control_number, &files.lifeline_number})
    *number = fcntl(files.board_fd, F_DUPFD_CLOEXEC, 0);
  files.null_fd = open("/dev/null", O_RDONLY | O_CLOEXEC);
  if (files.lifeline_number < 0 || files.null_fd < 0) return complain("cannot open /dev/null");
  *files_out = files;
  return true;
}

bool spawn(const SpawnPlan& plan, const JobFiles& files, int ec, int num_ecs, int stdin_fd,
           Spawned* spawned_out, std::string* error_out) {
  int out[2] = {-1, -1};
  int err[2] = {-1, -1};
  int control[2] = {-1, -1};
  int lifeline[2] = {-1, -1};  // our end stays open as long as this process
  if (pipe2(out, O_CLOEXEC) != 0 || pipe2(err, O_CLOEXEC) != 0 || pipe2(lifeline, O_CLOEXEC) != 0 ||
      socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, control) != 0) {
    *error_out = std::string("cannot make its pipes: ") + strerror(errno);
    close_all({out[0], out[1], err[0], err[1], lifeline[0], lifeline[1], control[0], control[1]});
    return false;
  }
  for (const int end : control)
    setsockopt(end, SOL_SOCKET, SO_SNDBUF, &kSocketBufferBytes, sizeof kSocketBufferBytes);

  rte::local::HandOver hand_over;
  hand_over.ec = ec;
  hand_over.num_ecs = num_ecs;
  hand_over.segment_fd = files.segment_fd;
  hand_over.board_fd = files.board_fd;
  hand_over.control_fd = files.control_number;
  hand_over.lifeline_fd = files.lifeline_number;
  hand_over.job_id = files.board->job_id;
  char text[rte::local::kHandOverMax];
  rte::local::print_hand_over(hand_over, text);
  const std::vector<std::string> environment =
      make_environment(plan, std::string(rte::local::kJobVariable) + "=" + text);
  std::vector<char*> pointers;
  for (const std::string& variable : environment)
    pointers.push_back(const_cast<char*>(variable.c_str()));
  pointers.push_back(nullptr);
  std::vector<char*> shell_argv = {const_cast<char*>("sh"), const_cast<char*>(plan.path.c_str())};
  for (char** argument = plan.argv + 1; *argument != nullptr; ++argument)
    shell_argv.push_back(*argument);
  shell_argv.push_back(nullptr);

  const cpu_set_t* cpus = plan.cpus.empty() ? nullptr : &plan.cpus[static_cast<size_t>(ec)];
  const ChildPlan child = {
      &plan,      &files,      pointers.data(), cpus, shell_argv.data(), {stdin_fd, out[1], err[1]},
      control[1], lifeline[0], getpid()};
  ChildError error = {"cannot start a process", 0};
  const pid_t pid = vfork_ec(child, &error);
  if (pid < 0) error.number = errno;
  close_all({out[1], err[1], control[1], lifeline[0]});
  if (error.number != 0) {
    *error_out = std::string(error.what) + ": " + strerror(error.number);
    close_all({out[0], err[0], control[0], lifeline[1]});
    return false;
  }
  *spawned_out = {pid, out[0], err[0], control[0]};
  return true;
}

}  // namespace uccs::run
