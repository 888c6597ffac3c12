// SPDX-License-Identifier: BSD-3-Clause
#include "report.hpp"

#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "events.hpp"
#include "format.hpp"
#include "rte/phase.hpp"

namespace uccs::run {
namespace {

const char* phase_name(uint32_t phase, bool is_claimed) {
  switch (static_cast<rte::Phase>(phase)) {
    case rte::Phase::kStarted:
      return is_claimed ? "starting up" : "not using UCCS (yet)";
    case rte::Phase::kInitialized:
      return "initialized";
    case rte::Phase::kFinalized:
      return "finalized";
  }
  return "in an unknown phase";
}

}  // namespace

std::string describe_end(int wait_status) {
  if (!WIFSIGNALED(wait_status)) return format("exited with status %d", WEXITSTATUS(wait_status));
  const int number = WTERMSIG(wait_status);
  const char* name = strsignal(number);
  return format("was killed by signal %d (%s)%s", number, name != nullptr ? name : "?",
                WCOREDUMP(wait_status) ? ", core dumped" : "");
}

std::string describe_activity(const rte::local::BoardEc& line) {
  const uint64_t since = line.activity_since_ns.load(std::memory_order_relaxed);
  if (since == 0) return "";
  char what[rte::local::kActivityBytes];
  rte::local::read_activity(line, what);
  const uint64_t now = now_ns();
  const double seconds = static_cast<double>(now > since ? now - since : 0) / 1e9;
  return format(", in %s for %.1f s", what, seconds);
}

std::string describe_ec(int ec, const EcState& state, rte::local::BoardJob* board) {
  char host[64] = "";
  gethostname(host, sizeof host - 1);
  const uint32_t claimed = rte::local::board_ec(board, ec)->pid.load(std::memory_order_relaxed);
  const uint32_t pid = claimed != 0 ? claimed : static_cast<uint32_t>(state.pid);
  return format("EC %d of %u on %s (pid %u)", ec, board->num_ecs, host, pid);
}

std::string describe_state(int ec, const EcState& state, rte::local::BoardJob* board) {
  const rte::local::BoardEc& line = *rte::local::board_ec(board, ec);
  std::string text = describe_ec(ec, state, board) + ": ";
  if (!state.is_running) return text + describe_end(state.wait_status);
  const bool is_claimed = line.pid.load(std::memory_order_relaxed) != 0;
  text += phase_name(line.phase.load(std::memory_order_relaxed), is_claimed);
  text += describe_activity(line);
  if (const uint64_t count = line.activity_count.load(std::memory_order_relaxed))
    text += format(" (wait number %llu)", static_cast<unsigned long long>(count));
  return text;
}

std::string describe_command(char** command) {
  constexpr size_t kMax = 200;
  std::string text;
  for (; *command != nullptr && text.size() <= kMax; ++command) {
    if (!text.empty()) text += ' ';
    text += *command;
  }
  if (text.size() > kMax) text.replace(kMax, std::string::npos, "...");
  return text;
}

int shell_status(int wait_status) {
  return WIFSIGNALED(wait_status) ? 128 + WTERMSIG(wait_status) : WEXITSTATUS(wait_status);
}

}  // namespace uccs::run
