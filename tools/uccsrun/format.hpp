// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include <stdarg.h>
#include <stdio.h>

#include <string>

namespace uccs::run {

/// printf into a string, at most 4 KiB.
__attribute__((format(printf, 1, 2))) inline std::string format(const char* pattern, ...) {
  char text[4096];
  va_list arguments;
  va_start(arguments, pattern);
  vsnprintf(text, sizeof text, pattern, arguments);
  va_end(arguments);
  return text;
}

}  // namespace uccs::run
