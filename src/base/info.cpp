// SPDX-License-Identifier: BSD-3-Clause
#include "uccs/info.h"

#include "base/config.hpp"
#include "base/cpus.hpp"

#if defined(__clang__)
#define UCCS_COMPILER "clang " __clang_version__
#else
#define UCCS_COMPILER "gcc " __VERSION__
#endif

namespace uccs::base {
namespace {

const char* kind_name(ConfigKind kind) {
  switch (kind) {
    case ConfigKind::kBool:
      return "bool";
    case ConfigKind::kInt:
      return "int";
    case ConfigKind::kSize:
      return "size";
    case ConfigKind::kDuration:
      return "duration";
    case ConfigKind::kText:
      return "text";
    case ConfigKind::kChoice:
      return "choice";
    case ConfigKind::kFlag:
      return "flag";
    case ConfigKind::kSwitch:
      return "switch";
  }
  return "?";
}

}  // namespace
}  // namespace uccs::base

extern "C" {

const char* uccs_version_string(void) { return UCCS_VERSION; }

const char* uccs_build_string(void) {
  return UCCS_COMPILER
      ", "
#if defined(__x86_64__)
      "x86_64"
#elif defined(__aarch64__)
      "aarch64"
#else
      "other architecture"
#endif
      ", build type " UCCS_BUILD_TYPE;
}

uccs_status_t uccs_config_get(size_t index, uccs_config_entry_t* entry_out) {
  size_t count;
  const uccs::base::ConfigEntry* entries = uccs::base::config_entries(&count);
  if (index >= count) return UCCS_ERR_NOT_FOUND;
  const uccs::base::ConfigEntry& entry = entries[index];
  *entry_out = {entry.name,
                entry.aliases,
                uccs::base::kind_name(entry.kind),
                entry.unit,
                entry.choices,
                entry.default_text,
                entry.help,
                "",
                entry.default_text};
  static_assert(sizeof(uccs::base::ConfigName) == sizeof entry_out->origin);
  uccs::base::config_origin(entry, entry_out->origin, &entry_out->value);
  return UCCS_OK;
}

int uccs_usable_cpus(void) { return uccs::base::usable_cpus(); }

}  // extern "C"
