// SPDX-License-Identifier: BSD-3-Clause
#include "base/log.hpp"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <atomic>

#include "base/config_values.hpp"

namespace uccs::base {
namespace {

constexpr size_t kLineMax = 4000;  // below PIPE_BUF, so that even pipes keep a line in one piece

// Written once, before `has_identity` is released; readers acquire it.
char identity[128];
std::atomic<bool> has_identity{false};
std::atomic<void (*)(const char*)> fatal_hook{nullptr};

const char* level_name(LogLevel level) {
  switch (level) {
    case LogLevel::kError:
      return "error";
    case LogLevel::kWarn:
      return "warning";
    case LogLevel::kInfo:
      return "info";
    case LogLevel::kDebug:
      return "debug";
  }
  return "?";
}

void write_line(LogLevel level, const char* text) {
  char line[kLineMax];
  char who[32];
  snprintf(who, sizeof who, "pid %d", static_cast<int>(getpid()));
  const char* speaker = has_identity.load(std::memory_order_acquire) ? identity : who;
  int length = snprintf(line, sizeof line, "uccs: %s: %s: %s\n", speaker, level_name(level), text);
  if (length < 0) return;
  if (static_cast<size_t>(length) >= sizeof line) {
    length = sizeof line - 1;
    line[length - 1] = '\n';
  }
  const int saved_errno = errno;
  // A line that stderr refuses has no better place to go.
  [[maybe_unused]] const ssize_t written = write(2, line, static_cast<size_t>(length));
  errno = saved_errno;
}

}  // namespace

void log_set_identity(int ec, int num_ecs) {
  char host[64] = "";
  gethostname(host, sizeof host - 1);
  snprintf(identity, sizeof identity, "EC %d/%d on %s", ec, num_ecs, host);
  has_identity.store(true, std::memory_order_release);  // pairs with the load in write_line
}

bool log_enabled(LogLevel level) { return level <= config().log; }

void log_line(LogLevel level, const char* format, ...) {
  if (!log_enabled(level)) return;
  char text[kLineMax];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(text, sizeof text, format, arguments);
  va_end(arguments);
  write_line(level, text);
}

void fatal(const char* format, ...) {
  char text[kLineMax];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(text, sizeof text, format, arguments);
  va_end(arguments);
  if (void (*hook)(const char*) = fatal_hook.load(std::memory_order_acquire)) hook(text);
  log_fatal_line(text);
  fflush(stdout);
  _exit(1);
}

void log_fatal_line(const char* text) { write_line(LogLevel::kError, text); }

void set_fatal_hook(void (*hook)(const char* message)) {
  fatal_hook.store(hook, std::memory_order_release);  // pairs with the load in fatal
}

}  // namespace uccs::base
