// SPDX-License-Identifier: BSD-3-Clause
#include "job.hpp"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>

#include "bind.hpp"
#include "descendants.hpp"
#include "format.hpp"

namespace uccs::run {
namespace {

constexpr uint64_t kMillisecond = 1000000;
constexpr uint64_t kGraceNs = 1000 * kMillisecond;    // from SIGTERM to SIGKILL
constexpr uint64_t kKillAgainNs = 50 * kMillisecond;  // new processes may appear meanwhile
constexpr uint64_t kGiveUpNs = 10000 * kMillisecond;  // for processes stuck in the kernel
constexpr uint64_t kCheckNs = 200 * kMillisecond;

/// Passed on to the ECs as they are. SIGUSR2 asks for the report.
constexpr int kPassedOn[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGUSR1, SIGTSTP, SIGCONT};

}  // namespace

Job::Job(const Options& options, std::string program, const JobFiles& files,
         const rlimit& file_limit)
    : options_(options),
      files_(files),
      epoll_fd_(epoll_create1(EPOLL_CLOEXEC)),
      output_(epoll_fd_, options.num_ecs, options.is_tagged, isatty(0) == 1 && isatty(1) == 1),
      input_(epoll_fd_),
      server_(epoll_fd_, options.num_ecs, on_end, on_misuse, this),
      ecs_(static_cast<size_t>(options.num_ecs)),
      start_ns_(now_ns()) {
  plan_.path = std::move(program);
  plan_.argv = options.command;
  plan_.directory = options.directory;
  plan_.environment = options.environment;
  plan_.cpus = plan_binding(options.binding, options.num_ecs);
  plan_.file_limit = file_limit;
}

Job::~Job() {
  for (const int fd : {signal_fd_, epoll_fd_})
    if (fd >= 0) close(fd);
}

rte::Phase Job::phase(int ec) const {
  return static_cast<rte::Phase>(line(ec).phase.load(std::memory_order_relaxed));
}

int Job::run() {
  if (epoll_fd_ < 0 || !prepare_signals()) {
    fprintf(stderr, "uccsrun: cannot prepare to wait for the ECs: %s\n", strerror(errno));
    return kExitUsage;
  }
  if (options_.timeout_ns != 0) deadline_ns_ = start_ns_ + options_.timeout_ns;
  if (!start_all()) begin_end(kExitUsage, -1);
  while (!is_over()) {
    const uint64_t now = now_ns();
    const uint64_t next = next_time();
    int limit_ms = -1;
    if (next != UINT64_MAX)
      limit_ms = next <= now
                     ? 0
                     : static_cast<int>(std::min<uint64_t>((next - now) / 1000000 + 1, 1000000));
    epoll_event events[64];
    const int count = epoll_wait(epoll_fd_, events, 64, limit_ms);
    for (int i = 0; i < count; ++i) handle(unpack(events[i].data.u64), events[i].events);
    on_time(now_ns());
  }
  if (options_.is_verbose) {
    output_.say(format("the job ended with status %d after %.3f s", status_,
                       static_cast<double>(now_ns() - start_ns_) / 1e9));
  }
  return status_;
}

bool Job::prepare_signals() {
  // What a process below us leaves behind becomes our child, so that we can find and end it.
  prctl(PR_SET_CHILD_SUBREAPER, 1);
  sigset_t handled;
  sigemptyset(&handled);
  sigaddset(&handled, SIGCHLD);
  sigaddset(&handled, SIGUSR2);
  for (const int number : kPassedOn) {
    // What was ignored when we started (nohup, background) stays so.
    struct sigaction action;
    if (sigaction(number, nullptr, &action) == 0 && action.sa_handler != SIG_IGN)
      sigaddset(&handled, number);
  }
  signal(SIGPIPE, SIG_IGN);
  signal(SIGTTIN, SIG_IGN);
  sigprocmask(SIG_BLOCK, &handled, &plan_.signal_mask);
  signal_fd_ = signalfd(-1, &handled, SFD_CLOEXEC | SFD_NONBLOCK);
  return signal_fd_ >= 0 && watch(epoll_fd_, signal_fd_, EPOLLIN, {Source::kSignal, 0});
}

bool Job::start_all() {
  for (int ec = 0; ec < options_.num_ecs; ++ec) {
    const int stdin_fd = ec == 0 ? input_.open() : files_.null_fd;
    Spawned spawned;
    std::string error;
    if (!spawn(plan_, files_, ec, options_.num_ecs, stdin_fd, &spawned, &error)) {
      output_.say(format("cannot start EC %d (%s): %s", ec, plan_.path.c_str(), error.c_str()));
      return false;
    }
    if (ec == 0) input_.close_child_end();
    EcState& state = ecs_[static_cast<size_t>(ec)];
    state.pid = spawned.pid;
    state.is_running = true;
    ++running_;
    output_.add(ec, spawned.out_fd, spawned.err_fd);
    server_.add(ec, spawned.control_fd);
    if (options_.is_verbose)
      output_.say(describe_ec(ec, state, files_.board) + ": " + describe_command(plan_.argv));
  }
  return true;
}

void Job::handle(Event event, uint32_t events) {
  switch (event.source) {
    case Source::kSignal:
      return handle_signals();
    case Source::kStdout:
    case Source::kStderr:
      return output_.on_readable(event);
    case Source::kControl:
      return server_.on_ready(event.index, events);
    case Source::kSink:
      return output_.on_writable(event.index);
    case Source::kTerminal:
      return input_.on_readable();
    case Source::kStdinPipe:
      return input_.on_writable();
  }
}

void Job::handle_signals() {
  signalfd_siginfo info;
  while (read(signal_fd_, &info, sizeof info) == static_cast<ssize_t>(sizeof info)) {
    const int number = static_cast<int>(info.ssi_signo);
    switch (number) {
      case SIGCHLD:
        reap();
        break;
      case SIGUSR2:
        report_states("asked by SIGUSR2");
        break;
      case SIGINT:
        if (++interrupts_ > 1) {
          output_.say("interrupted again: the ECs are killed");
          is_aborted_ = true;
          begin_end(128 + SIGINT, -1);
          kill_all();
        } else {
          pass_on(number);
        }
        break;
      case SIGTSTP:
        pass_on(number);
        raise(SIGSTOP);  // SIGTSTP itself is blocked here
        break;
      case SIGCONT:
        pass_on(number);
        input_.resume();
        break;
      default:
        pass_on(number);
    }
  }
}

void Job::pass_on(int signal_number) {
  for (size_t i = 0; i < std::size(kPassedOn); ++i)
    if (kPassedOn[i] == signal_number) passed_on_[i] = signal_number;
  for (const EcState& state : ecs_)
    if (state.is_running) kill(-state.pid, signal_number);
}

void Job::report_states(const std::string& headline) {
  output_.say(format("where the ECs are (%s):", headline.c_str()));
  for (int ec = 0; ec < options_.num_ecs; ++ec)
    output_.say(describe_state(ec, ecs_[static_cast<size_t>(ec)], files_.board));
}

void Job::reap() {
  // All that have ended, before any is judged: of ECs that end together none runs any more.
  std::vector<int> ended;
  int wait_status;
  pid_t pid;
  while ((pid = waitpid(-1, &wait_status, WNOHANG)) > 0) {
    for (int ec = 0; ec < options_.num_ecs; ++ec) {
      EcState& state = ecs_[static_cast<size_t>(ec)];
      if (state.pid != pid || !state.is_running) continue;
      state.is_running = false;
      state.wait_status = wait_status;
      --running_;
      ended.push_back(ec);
    }
  }
  has_stragglers_ = pid == 0;
  if (ended.empty()) return;
  // An EC that ended because another one ended the job must not be taken for the cause: that other
  // one has spoken before it raised the flag.
  if (!is_ending_ && rte::local::is_end_announced(*files_.board)) server_.drain_all();
  for (const int ec : ended) {
    output_.catch_up(ec);
    server_.remove(ec);
  }
  for (const int ec : ended) judge(ec);
}

void Job::judge(int ec) {
  const EcState& state = ecs_[static_cast<size_t>(ec)];
  if (is_ending_) return;
  const std::string who = describe_ec(ec, state, files_.board);
  const int status = shell_status(state.wait_status);
  const bool is_finalized = phase(ec) == rte::Phase::kFinalized;
  if (status != 0) {
    const std::string message = who + " " + describe_end(state.wait_status) +
                                describe_activity(line(ec)) +
                                "; command: " + describe_command(plan_.argv);
    const bool is_wish =
        WIFSIGNALED(state.wait_status) &&
        std::count(std::begin(passed_on_), std::end(passed_on_), WTERMSIG(state.wait_status)) != 0;
    // After its finalize nobody waits for it: the others end in their own time.
    if (is_finalized) return note_failure(status, message);
    const bool is_pipe = WIFSIGNALED(state.wait_status) && WTERMSIG(state.wait_status) == SIGPIPE;
    note_failure(status, is_wish || is_pipe ? "" : message);
    begin_end(status, -1);
  } else if (phase(ec) == rte::Phase::kInitialized && running_ > 0) {
    note_failure(1, who + " exited with status 0 without finalizing while others were running" +
                        describe_activity(line(ec)) + "; command: " + describe_command(plan_.argv));
    begin_end(1, -1);
  } else if (phase(ec) == rte::Phase::kStarted) {
    check_start_up();
  }
}

/// An EC that ended without start-up keeps all others from completing theirs.
void Job::check_start_up() {
  check_ns_ = UINT64_MAX;
  int missing = -1;
  int waiting = -1;
  for (int ec = 0; ec < options_.num_ecs; ++ec) {
    const EcState& state = ecs_[static_cast<size_t>(ec)];
    if (!state.is_running && phase(ec) == rte::Phase::kStarted) missing = ec;
    if (state.is_running && phase(ec) == rte::Phase::kInitialized) waiting = ec;
  }
  if (is_ending_ || missing < 0 || running_ == 0) return;
  if (waiting < 0) {
    check_ns_ = now_ns() + kCheckNs;
    return;
  }
  const EcState& state = ecs_[static_cast<size_t>(missing)];
  note_failure(1, describe_ec(missing, state, files_.board) +
                      format(" exited with status 0 without starting UCCS, while EC %d started it "
                             "and would wait for ever; command: ",
                             waiting) +
                      describe_command(plan_.argv));
  begin_end(1, -1);
}

void Job::note_failure(int status, const std::string& message) {
  if (!message.empty()) output_.say(message);
  if (status_ == 0) status_ = status;
}

void Job::on_end(void* user, int ec, int status, const std::string& message) {
  Job* job = static_cast<Job*>(user);
  if (job->is_ending_) return;
  job->output_.catch_up(ec);
  const std::string who = describe_ec(ec, job->ecs_[static_cast<size_t>(ec)], job->files_.board);
  std::string text;
  if (status != 0 || !message.empty()) text = who + format(" ended the job with status %d", status);
  if (!message.empty()) text.append(": ").append(message);
  job->note_failure(status, text);
  job->begin_end(status, ec);
}

void Job::on_misuse(void* user, int ec) {
  Job* job = static_cast<Job*>(user);
  if (job->is_ending_) return;
  const std::string who = describe_ec(ec, job->ecs_[static_cast<size_t>(ec)], job->files_.board);
  job->note_failure(1, who +
                           " sent what is no message of UCCS: are uccsrun and libuccs of the same "
                           "version?");
  job->begin_end(1, -1);
}

void Job::begin_end(int status, int spared_ec) {
  if (is_ending_) return;
  is_ending_ = true;
  status_ = status;
  deadline_ns_ = UINT64_MAX;
  rte::local::announce_end(files_.board);
  for (int ec = 0; ec < options_.num_ecs; ++ec) {
    const EcState& state = ecs_[static_cast<size_t>(ec)];
    if (!state.is_running || ec == spared_ec) continue;
    kill(-state.pid, SIGTERM);
    kill(-state.pid, SIGCONT);  // a stopped process would not see it
  }
  kill_ns_ = now_ns() + kGraceNs;
  give_up_ns_ = now_ns() + kGiveUpNs;
}

void Job::kill_all() {
  for (const EcState& state : ecs_)
    if (state.is_running) kill(-state.pid, SIGKILL);
  signal_descendants(SIGKILL);
  kill_ns_ = now_ns() + kKillAgainNs;
}

uint64_t Job::next_time() const {
  return std::min({deadline_ns_, kill_ns_, give_up_ns_, check_ns_, output_.next_time()});
}

void Job::on_time(uint64_t now) {
  output_.on_time(now);
  if (now >= check_ns_) check_start_up();
  if (now >= deadline_ns_) {
    report_states(
        format("time limit of %g s reached", static_cast<double>(options_.timeout_ns) / 1e9));
    begin_end(kExitTimeout, -1);
  }
  if (now >= kill_ns_) kill_all();
}

/// Ends what is left, and says whether all is done.
bool Job::is_over() {
  if (running_ > 0 && now_ns() < give_up_ns_) return false;
  if (has_stragglers_) {
    // All ECs have ended, but not what they have started.
    int wait_status;
    pid_t pid;
    while ((pid = waitpid(-1, &wait_status, WNOHANG)) > 0) continue;
    has_stragglers_ = pid == 0;
  }
  if (has_stragglers_ && kill_ns_ == UINT64_MAX) {
    signal_descendants(SIGTERM);
    kill_ns_ = now_ns() + kGraceNs;
    give_up_ns_ = now_ns() + kGiveUpNs;
  }
  if (has_stragglers_ && now_ns() < give_up_ns_) return false;
  if (has_stragglers_ && give_up_ns_ != UINT64_MAX)
    output_.say("processes of the job do not end even after SIGKILL: they are left behind");
  kill_ns_ = give_up_ns_ = check_ns_ = deadline_ns_ = UINT64_MAX;
  if (!output_.are_streams_closed()) output_.close_streams();
  return output_.is_written() || is_aborted_;
}

}  // namespace uccs::run
