// SPDX-License-Identifier: BSD-3-Clause
/// The engine as our child, when there is a time limit that it does not know; else in our place.
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "engine.hpp"

namespace uccs::run {
namespace {

constexpr time_t kGraceSeconds = 5;  // for the engine to end its job on all hosts

[[noreturn]] void execute(const std::vector<std::string>& line) {
  std::vector<char*> arguments;
  for (const std::string& word : line) arguments.push_back(const_cast<char*>(word.c_str()));
  arguments.push_back(nullptr);
  execv(arguments[0], arguments.data());
  fprintf(stderr, "uccsrun: cannot execute %s: %s\n", arguments[0], strerror(errno));
  _exit(errno == ENOENT ? kExitNotFound : kExitNotExecutable);
}

int status_of(int wait_status) {
  return WIFSIGNALED(wait_status) ? 128 + WTERMSIG(wait_status) : WEXITSTATUS(wait_status);
}

/// Waits for one of `signals` or the end of the time. The signal, or 0.
int next_signal(const sigset_t& signals, uint64_t left_ns) {
  const timespec limit = {static_cast<time_t>(left_ns / 1000000000u),
                          static_cast<long>(left_ns % 1000000000u)};
  const int number = sigtimedwait(&signals, nullptr, &limit);
  return number > 0 ? number : 0;
}

uint64_t clock_ns() {
  timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return static_cast<uint64_t>(now.tv_sec) * 1000000000u + static_cast<uint64_t>(now.tv_nsec);
}

}  // namespace

int supervise(const std::vector<std::string>& line, uint64_t timeout_ns) {
  if (timeout_ns == 0) execute(line);
  sigset_t signals;
  sigset_t before;
  sigemptyset(&signals);
  for (const int number : {SIGCHLD, SIGTERM, SIGHUP, SIGINT, SIGQUIT, SIGUSR1, SIGUSR2})
    sigaddset(&signals, number);
  sigprocmask(SIG_BLOCK, &signals, &before);
  const pid_t launcher = getpid();
  const pid_t child = fork();
  if (child < 0) {
    fprintf(stderr, "uccsrun: cannot start %s: %s\n", line[0].c_str(), strerror(errno));
    return kExitUsage;
  }
  if (child == 0) {
    sigprocmask(SIG_SETMASK, &before, nullptr);
    prctl(PR_SET_PDEATHSIG, SIGTERM);
    if (getppid() != launcher) _exit(1);
    execute(line);
  }
  uint64_t deadline_ns = clock_ns() + timeout_ns;
  bool is_late = false;
  while (true) {
    int wait_status;
    if (waitpid(child, &wait_status, WNOHANG) == child)
      return is_late ? kExitTimeout : status_of(wait_status);
    const uint64_t now = clock_ns();
    if (now >= deadline_ns) {
      if (!is_late)
        fprintf(stderr, "uccsrun: time limit of %g s reached: the job is ended\n",
                static_cast<double>(timeout_ns) / 1e9);
      kill(child, is_late ? SIGKILL : SIGTERM);
      is_late = true;
      deadline_ns = now + kGraceSeconds * 1000000000u;
      continue;
    }
    const int number = next_signal(signals, deadline_ns - now);
    // From a terminal the engine has got it already: twice means "kill" to some.
    if (number != 0 && number != SIGCHLD && number != SIGINT) kill(child, number);
  }
}

}  // namespace uccs::run
