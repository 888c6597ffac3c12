// SPDX-License-Identifier: BSD-3-Clause
/// Names of settings: their spellings, strangers with our prefixes, and what a slip was meant to
/// be.
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <atomic>

#include "base/config.hpp"
#include "base/log.hpp"

namespace uccs::base {
namespace {

/// Ours or well known, and no setting: of compiler wrappers, launchers and installations.
constexpr const char* kForeign[] = {
    "SHMEM_CC",          "SHMEM_CXX",     "SHMEM_FC",       "SHMEM_CFLAGS",   "SHMEM_CXXFLAGS",
    "SHMEM_FCFLAGS",     "SHMEM_LDFLAGS", "SHMEM_LIBS",     "SHMEM_LAUNCHER", "SHMEM_RUN",
    "SHMEM_HOME",        "SHMEM_DIR",     "SHMEM_ROOT",     "SHMEM_PATH",     "SHMEM_INSTALL",
    "SHMEM_INSTALL_DIR", "SHMEM_INCLUDE", "SHMEM_LIB",      "SHMEM_CPPFLAGS", "SHMEM_LIBRARY_PATH",
    "SHMEM_INCLUDE_DIR", "SHMEM_LIB_DIR", "UCCS_LOCAL_JOB", "UCCS_EC_OF",     "UCCS_CC",
    "UCCS_CXX",          "UCCS_HOME",     "UCCS_DIR",       "UCCS_ROOT",
};

bool has_our_prefix(const char* variable) {
  for (const char* prefix : {"UCCS_", "SHMEM_", "SMA_"})
    if (strncmp(variable, prefix, strlen(prefix)) == 0) return true;
  return false;
}

/// Calls `visit(entry, name, length)` for every spelling of every row, until it returns true.
template <typename Visit>
bool any_spelling(Visit visit) {
  size_t count;
  const ConfigEntry* entries = config_entries(&count);
  for (size_t i = 0; i < count; ++i) {
    const ConfigEntry& entry = entries[i];
    if (visit(entry, entry.name, strlen(entry.name))) return true;
    for (const char* alias = entry.aliases; *alias != '\0';) {
      const size_t length = strcspn(alias, ",");
      if (visit(entry, alias, length)) return true;
      alias += length + (alias[length] == ',' ? 1 : 0);
    }
  }
  return false;
}

/// Levenshtein distance, with the swap of neighbours as one edit; names longer than the buffer are
/// infinitely far.
int edit_distance(const char* a, size_t a_length, const char* b, size_t b_length) {
  constexpr size_t kMax = 64;
  if (a_length >= kMax || b_length >= kMax) return 1000;
  int rows[3][kMax];
  for (size_t j = 0; j <= b_length; ++j) rows[0][j] = static_cast<int>(j);
  for (size_t i = 1; i <= a_length; ++i) {
    int* row = rows[i % 3];
    const int* above = rows[(i - 1) % 3];
    const int* two_above = rows[(i + 1) % 3];
    row[0] = static_cast<int>(i);
    for (size_t j = 1; j <= b_length; ++j) {
      int best = above[j - 1] + (a[i - 1] != b[j - 1] ? 1 : 0);
      if (above[j] + 1 < best) best = above[j] + 1;
      if (row[j - 1] + 1 < best) best = row[j - 1] + 1;
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] &&
          two_above[j - 2] + 1 < best)
        best = two_above[j - 2] + 1;
      row[j] = best;
    }
  }
  return rows[a_length % 3][b_length];
}

/// The row nearest to `name[0..length)`, if its distance is that of a slip.
const char* nearest(const char* name, size_t length) {
  const int limit = length < 10 ? 2 : 3;
  int best = limit + 1;
  const char* found = nullptr;
  any_spelling([&](const ConfigEntry& entry, const char* spelling, size_t spelling_length) {
    const int distance = edit_distance(name, length, spelling, spelling_length);
    if (distance < best) {
      best = distance;
      found = entry.name;
    }
    return false;
  });
  return found;
}

bool is_known(const char* name, size_t length) {
  for (const char* foreign : kForeign)
    if (strlen(foreign) == length && strncmp(foreign, name, length) == 0) return true;
  return any_spelling([&](const ConfigEntry&, const char* spelling, size_t spelling_length) {
    return spelling_length == length && strncmp(spelling, name, length) == 0;
  });
}

}  // namespace

bool config_origin(const ConfigEntry& entry, ConfigName name_out, const char** value_out) {
  return any_spelling([&](const ConfigEntry& row, const char* spelling, size_t length) {
    if (&row != &entry || length >= sizeof(ConfigName)) return false;
    ConfigName name;
    memcpy(name, spelling, length);
    name[length] = '\0';
    const char* value = getenv(name);
    if (value == nullptr) return false;
    // An empty value is how scripts unset one; only a flag is on by being there.
    if (*value == '\0' && row.kind != ConfigKind::kFlag && row.kind != ConfigKind::kSwitch)
      return false;
    memcpy(name_out, name, length + 1);
    *value_out = value;
    return true;
  });
}

const char* config_nearest(const char* name) { return nearest(name, strlen(name)); }

bool config_is_known(const char* name) { return is_known(name, strlen(name)); }

void config_warn_unknown() {
  static std::atomic<bool> is_done{false};
  if (is_done.exchange(true, std::memory_order_relaxed)) return;
  for (char** variable = environ; variable != nullptr && *variable != nullptr; ++variable) {
    const size_t length = strcspn(*variable, "=");
    if (!has_our_prefix(*variable) || is_known(*variable, length)) continue;
    const int shown = static_cast<int>(length);
    if (const char* meant = nearest(*variable, length))
      log_line(LogLevel::kWarn, "%.*s is no setting of UCCS: did you mean %s?", shown, *variable,
               meant);
    else
      log_line(LogLevel::kWarn, "%.*s is no setting of UCCS (uccs-info --config lists them)", shown,
               *variable);
  }
}

}  // namespace uccs::base
