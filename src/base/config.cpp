// SPDX-License-Identifier: BSD-3-Clause
#include "base/config.hpp"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <initializer_list>

#include "base/config_values.hpp"
#include "base/log.hpp"

namespace uccs::base {
namespace {

constexpr ConfigEntry kEntries[] = {
#define UCCS_CONFIG(member, type, name, aliases, kind, unit, text, choices, help) \
  {name, aliases, ConfigKind::kind, unit, text, choices, help},
#include "base/config.def"
#undef UCCS_CONFIG
};
constexpr size_t kEntryCount = sizeof kEntries / sizeof kEntries[0];

/// The text in force of one row, and the spelling that set it.
struct Source {
  explicit Source(const ConfigEntry& entry) {
    if (!config_origin(entry, name, &text)) {
      snprintf(name, sizeof name, "%s", entry.name);
      text = entry.default_text;
    }
  }
  ConfigName name;
  const char* text;
};

[[noreturn]] void reject(const ConfigEntry& entry, const Source& source, const char* legal) {
  fatal("%s=%s is not valid: it must be %s (%s); correct or unset it", source.name, source.text,
        legal, entry.help);
}

void read(const ConfigEntry& entry, bool* out) {
  const Source source(entry);
  const bool is_set = source.text != entry.default_text;
  if (entry.kind == ConfigKind::kFlag) return void(*out = is_set);
  for (const char* no : {"0", "no", "off", "false", "n"})
    if (strcasecmp(source.text, no) == 0) return void(*out = false);
  if (entry.kind == ConfigKind::kSwitch) return void(*out = is_set);
  for (const char* yes : {"1", "yes", "on", "true", "y"})
    if (strcasecmp(source.text, yes) == 0) return void(*out = true);
  reject(entry, source, "0 or 1, no or yes, off or on");
}

void read(const ConfigEntry& entry, int* out) {
  const Source source(entry);
  char* end;
  const long low = strtol(entry.choices, &end, 10);
  const long high = strtol(end + 2, nullptr, 10);  // past the ".."
  errno = 0;
  const long value = strtol(source.text, &end, 10);
  if (end == source.text || *end != '\0' || errno != 0 || value < low || value > high) {
    char legal[64];
    snprintf(legal, sizeof legal, "a whole number from %ld to %ld", low, high);
    reject(entry, source, legal);
  }
  *out = static_cast<int>(value);
}

void read(const ConfigEntry& entry, uint64_t* out) {
  const Source source(entry);
  if (entry.kind == ConfigKind::kSize) {
    if (!parse_size(source.text, out)) reject(entry, source, "a size such as 4096, 64K or 1.5G");
  } else if (!parse_duration(source.text, entry.unit, out)) {
    reject(entry, source, "a time such as 30, 1.5s or 200ms");
  }
}

void read(const ConfigEntry& entry, const char** out) {
  const Source source(entry);
  *out = strdup(source.text);  // programs may change their environment later
}

/// Choices: the index in "a|b|c" is the enumerator.
template <typename Enum>
void read(const ConfigEntry& entry, Enum* out) {
  const Source source(entry);
  const size_t length = strlen(source.text);
  int index = 0;
  for (const char* choice = entry.choices; choice != nullptr; ++index) {
    const size_t choice_length = strcspn(choice, "|");
    if (length == choice_length && strncasecmp(choice, source.text, length) == 0)
      return void(*out = static_cast<Enum>(index));
    choice = choice[choice_length] == '|' ? choice + choice_length + 1 : nullptr;
  }
  char legal[128];
  snprintf(legal, sizeof legal, "one of %s", entry.choices);
  reject(entry, source, legal);
}

Config read_all() {
  Config values{};
  const ConfigEntry* entry = kEntries;
#define UCCS_CONFIG(member, type, name, aliases, kind, unit, text, choices, help) \
  read(*entry++, &values.member);
#include "base/config.def"
#undef UCCS_CONFIG
  values.check |= values.shmem_debug;  // the standard's name of the same thing
  return values;
}

}  // namespace

const Config& config() {
  static const Config values = read_all();
  return values;
}

const ConfigEntry* config_entries(size_t* count_out) {
  *count_out = kEntryCount;
  return kEntries;
}

}  // namespace uccs::base
