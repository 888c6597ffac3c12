// SPDX-License-Identifier: BSD-3-Clause
#pragma once

namespace uccs::base {

enum class LogLevel : int { kError = 0, kWarn = 1, kInfo = 2, kDebug = 3 };

/// Who speaks: set once by rte when the process learns its number. Before that lines carry the pid.
void log_set_identity(int ec, int num_ecs);

/// True when `level` is to be printed (config `UCCS_LOG`: error | warn | info | debug, default
/// warn).
bool log_enabled(LogLevel level);

/// One line to stderr, written with a single write(2) so lines of ECs never mix:
/// `uccs: EC 3/8 on host: error: text`. Thread safe, async-signal-unsafe.
void log_line(LogLevel level, const char* format, ...) __attribute__((format(printf, 2, 3)));

/// An error after which this process cannot go on: ends the whole job through the hook that rte
/// installed, which also sees to it that the line is printed, once; without a hook logs the line
/// and exits with status 1. Never returns.
[[noreturn]] void fatal(const char* format, ...) __attribute__((format(printf, 1, 2)));

/// The error line as `fatal` prints it, whatever the level in force. For the hook.
void log_fatal_line(const char* text);

/// How `fatal` ends the job: `hook` prints or passes on the message and does not return.
void set_fatal_hook(void (*hook)(const char* message));

}  // namespace uccs::base
