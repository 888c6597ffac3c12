// SPDX-License-Identifier: BSD-3-Clause
/// What this library is and how it is set up, for tools and bug reports.
#ifndef UCCS_INFO_H
#define UCCS_INFO_H

#include <stddef.h>

#include "uccs/status.h"

#ifdef __cplusplus
extern "C" {
#endif

/// One setting. All strings are static or live as long as the process.
typedef struct uccs_config_entry {
  const char* name;          ///< environment variable
  const char* aliases;       ///< comma-separated other spellings, "" if none; `name` wins
  const char* kind;          ///< "bool", "int", "size", "duration", "text", "choice" or "flag"
  const char* unit;          ///< "" or e.g. "bytes"; of a duration, that of a bare number
  const char* choices;       ///< of a choice "a|b|c", of an int "low..high", else ""
  const char* default_text;  ///< the value when nothing sets it
  const char* help;          ///< one line
  char origin[64];           ///< the variable that sets it now, "" when the default is in force
  const char* value;         ///< the text in force; valid until the environment changes
} uccs_config_entry_t;

/// The library's version, "major.minor.patch".
/// Returns a static string. Thread safe, at any time.
UCCS_API const char* uccs_version_string(void);

/// Compiler, build type and date-free description of how the library was built.
/// Returns a static string. Thread safe, at any time.
UCCS_API const char* uccs_build_string(void);

/// Setting number `index` with the value that the environment gives it now. Values are not checked.
/// - `index`: from 0; the order is that of the documentation.
/// - `entry_out`: filled in on success; not NULL.
/// Returns UCCS_OK, or UCCS_ERR_NOT_FOUND past the last one.
/// Threads: safe while no thread changes the environment.
/// Legal state: at any time, also before start-up.
UCCS_API UCCS_NODISCARD uccs_status_t uccs_config_get(size_t index, uccs_config_entry_t* entry_out);

/// The CPUs that this process may really use: its affinity mask, capped by the CPU quota of its
/// cgroups.
/// Returns a number >= 1; read once. Thread safe, at any time.
UCCS_API int uccs_usable_cpus(void);

/// Says which network would join ECs of several nodes, and why, or why there is none.
/// `text_out`: `capacity` bytes, cut to fit. Loads the network's library, which may take a second.
/// Threads: any. Legal at any time.
UCCS_API void uccs_network_explain(char* text_out, size_t capacity);

#ifdef __cplusplus
}
#endif
#endif
