// SPDX-License-Identifier: BSD-3-Clause
/// Where UCX cannot answer a put, get or atomic of a peer that has just died, it ends the process
/// as if it had a fault of its own: a report over many lines, and abort(). It calls this function
/// for that; being found in the plug-in, which comes before its libraries, ours takes the place of
/// UCX's. (Not where the program has loaded UCX itself, before and for all: then UCX's stays.)
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <time.h>

#include "base/log.hpp"
#include "net/parts/silence.hpp"

extern "C" [[noreturn]] [[gnu::visibility("default")]] void ucs_fatal_error_format(
    const char* file, unsigned line, const char* function, const char* format, ...);

void ucs_fatal_error_format(const char* file, unsigned line, const char*, const char* format, ...) {
  char text[160];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(text, sizeof text, format, arguments);
  va_end(arguments);
  constexpr uint64_t kSecond = 1'000'000'000;
  const timespec grace = {uccs::net::kWordsNs / kSecond, uccs::net::kWordsNs % kSecond};
  nanosleep(&grace, nullptr);
  uccs::base::fatal("UCX cannot go on: %s (%s:%u): a peer that worked on this EC is gone", text,
                    file, line);
}
