// SPDX-License-Identifier: BSD-3-Clause
/// An EC that behaves as the launcher's tests ask: `probe MODE [arguments]`.
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <string>
#include <thread>

#include "base/backoff.hpp"
#include "base/log.hpp"
#include "rte/identity.hpp"
#include "uccs/rte.h"

namespace {

using uccs::rte::Phase;

int me;

/// As a barrier that never completes.
[[noreturn]] void wait_for_ever() {
  uccs::rte::set_activity("barrier_all");
  uccs::base::Backoff backoff;
  while (!uccs::rte::job_is_ending()) backoff.pause();
  uccs::rte::end_job(1, nullptr);
}

void initialize() {
  if (rte_init() != UCCS_OK) exit(90);
  me = rte_get_my_ec();
  uccs::rte::set_phase(Phase::kInitialized);
}

void finalize() {
  uccs::rte::set_phase(Phase::kFinalized);
  if (rte_finalize() != UCCS_OK) exit(91);
}

[[noreturn]] void send_rubbish() {
  for (int fd = 3; fd < 1000; ++fd) {
    int type = 0;
    socklen_t length = sizeof type;
    if (getsockopt(fd, SOL_SOCKET, SO_TYPE, &type, &length) == 0 && type == SOCK_SEQPACKET)
      if (send(fd, "rubbish", 7, 0) != 7) exit(92);
  }
  wait_for_ever();
}

/// Lines in small pieces, so that they would mix if anything mixed them.
void write_lines(int count, size_t length) {
  for (int i = 0; i < count; ++i) {
    std::string line = std::to_string(me) + ":" + std::to_string(i) + ":";
    line.append(length, static_cast<char>('a' + me % 26));
    line += '\n';
    for (size_t at = 0; at < line.size();) {
      const size_t piece = length > 1000 ? 10000 : 7;
      const ssize_t written =
          write(1, line.data() + at, line.size() - at < piece ? line.size() - at : piece);
      if (written < 0) exit(93);
      at += static_cast<size_t>(written);
    }
  }
}

int run(const std::string& mode, char** arguments) {
  if (mode == "skip-start") {
    if (const char* text = getenv("UCCS_LOCAL_JOB"); text != nullptr && text[2] == '1') return 0;
    initialize();
    wait_for_ever();
  }
  initialize();
  if (mode == "hello") {
    printf("EC %d of %d\n", me, rte_get_num_ecs());
  } else if (mode == "spins") {
    printf("%u\n", uccs::base::wait_policy().spins);
  } else if (mode == "wait") {
    wait_for_ever();
  } else if (mode == "quit-initialized") {
    if (me == 1) _exit(0);
    wait_for_ever();
  } else if (mode == "fail-finalized") {
    finalize();
    if (me == 1) return 5;
    usleep(300000);
    puts("finished in its own time");
    return 0;
  } else if (mode == "end") {  // STATUS [MESSAGE]
    if (me == 1) {
      fputs("no newline", stdout);
      uccs::rte::end_job(atoi(arguments[0]), arguments[1]);
    }
    wait_for_ever();
  } else if (mode == "end-while-delegate-waits") {
    std::thread([] {
      const uccs_status_t status = rte_srs_get_data(0, "never", nullptr, 0, nullptr, RTE_FOREVER);
      exit(status == UCCS_OK ? 94 : 95);
    }).detach();
    usleep(50000);
    if (me == 1) rte_abort(6, "from another thread");
    wait_for_ever();
  } else if (mode == "end-with-locked-stdout") {
    std::thread([] {
      flockfile(stdout);
      pause();
    }).detach();
    usleep(50000);
    uccs::rte::end_job(8, nullptr);
  } else if (mode == "fatal") {
    if (me == 1) uccs::base::fatal("the heap is %s", "exhausted");
    wait_for_ever();
  } else if (mode == "crash") {
    if (me == 1) {
      uccs::rte::set_activity("wait_until");
      fputs("last words\n", stdout);
      signal(SIGSEGV, SIG_DFL);  // sanitizers have their own handler
      raise(SIGSEGV);
    }
    wait_for_ever();
  } else if (mode == "rubbish") {
    if (me == 1) send_rubbish();
    wait_for_ever();
  } else if (mode == "fork") {
    const pid_t child = fork();
    if (child == 0) {
      uccs::rte::set_phase(Phase::kStarted);  // not the EC: without effect
      uccs::rte::end_job(7, nullptr);
    }
    int status;
    if (waitpid(child, &status, 0) != child || WEXITSTATUS(status) != 7) return 96;
    usleep(100000);
  } else if (mode == "lines") {  // COUNT LENGTH
    write_lines(atoi(arguments[0]), static_cast<size_t>(atoll(arguments[1])));
  } else if (mode == "signal") {  // NUMBER: exits 0 once it has come
    static volatile sig_atomic_t has_come = 0;
    signal(atoi(arguments[0]), [](int) { has_come = 1; });
    printf("ready\n");
    while (has_come == 0) usleep(1000);
    printf("EC %d got it\n", me);
  } else {
    return 97;
  }
  finalize();
  return 0;
}

}  // namespace

int main(int argc, char** argv) { return argc < 2 ? 98 : run(argv[1], argv + 2); }
