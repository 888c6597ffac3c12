// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include <cstddef>
#include <cstdint>

namespace uccs::base {

enum class ConfigKind : uint8_t { kBool, kInt, kSize, kDuration, kText, kChoice, kFlag, kSwitch };

/// One row of config.def. Everything about a setting is derived from its row: the parser, the
/// values below, `uccs-info`, the table in docs/configuration.md and the "did you mean" of unknown
/// names.
struct ConfigEntry {
  const char* name;     ///< environment variable, e.g. "UCCS_LOG"
  const char* aliases;  ///< comma-separated older spellings, "" if none; `name` wins
  ConfigKind kind;      ///< kFlag: being set counts; kSwitch: the same, but for values that say no
  const char* unit;     ///< "" or e.g. "bytes", "ns"
  const char* default_text;
  const char* choices;  ///< for kChoice: "a|b|c"; for kInt: "low..high"
  const char* help;     ///< one line
};

/// Parsed values, one member per row of config.def (see config_values.hpp for the list).
struct Config;

/// The process's configuration, read from the environment on first use. An invalid value ends the
/// job with a message that names the variable, the value and what is legal.
const Config& config();

/// All rows, for tools and docs.
const ConfigEntry* config_entries(size_t* count_out);

/// Warns once about every UCCS_* / SHMEM_* / SMA_* variable no row knows, with the nearest name.
void config_warn_unknown();

/// Large enough for every name and alias.
using ConfigName = char[64];

/// False when the environment does not set `entry`; else its text, and which spelling set it. An
/// empty value counts as not set, except for flags.
bool config_origin(const ConfigEntry& entry, ConfigName name_out, const char** value_out);

/// The setting whose name is nearest to `name`, nullptr if none is near enough to be a slip.
const char* config_nearest(const char* name);

/// True for the names and aliases of all rows, and for variables with our prefixes that are
/// legitimate without a row: those of compiler wrappers and launchers.
bool config_is_known(const char* name);

/// "512", "1.5G", ".5m": a non-negative decimal number with an optional K, M, G or T (powers of
/// 1024, either case; anything after that letter is ignored, as OpenSHMEM 1.6 section 9.2 has it).
/// Returns false on anything else; rounds up to whole bytes.
bool parse_size(const char* text, uint64_t* bytes_out);

/// "30", "1.5s", "200ms": a non-negative decimal number and ns, us, ms, s, m or h; a bare number is
/// in `default_unit`, one of these. Returns false on anything else; rounds up.
bool parse_duration(const char* text, const char* default_unit, uint64_t* ns_out);

}  // namespace uccs::base
