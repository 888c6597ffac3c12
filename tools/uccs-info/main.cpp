// SPDX-License-Identifier: BSD-3-Clause
#include <getopt.h>
#include <stdio.h>
#include <string.h>

#include "doctor.hpp"
#include "openshmem.hpp"
#include "uccs/info.h"
#include "uccs/rte.h"

namespace {

constexpr const char* kUsage =
    "Usage: uccs-info [option]\n"
    "Says what this installation of UCCS is and how it is set up.\n"
    "\n"
    "  (none)       version, build, CPUs, runtime backend, settings changed from their defaults\n"
    "  --config     all settings: value, where it comes from, what is legal, what it does\n"
    "  --table      the same as the table of docs/configuration.md\n"
    "  --openshmem  versions, places, languages and limits, as oshmem_info and osh_info tell "
    "them;\n"
    "               this is what uccs-info does under one of these names\n"
    "  --parsable   the same as name:value lines\n"
    "  --doctor     check this machine and session; exit status 1 if UCCS cannot work\n"
    "  -a, --all    --openshmem and --config together\n"
    "  -v, --version\n"
    "               print the version\n"
    "  -h, --help   print this\n";

void print_setting(const uccs_config_entry_t& entry) {
  printf("%s=%s", entry.name, entry.value);
  if (entry.unit[0] != '\0') printf(" (%s)", entry.unit);
  if (entry.origin[0] == '\0')
    puts("  [default]");
  else if (strcmp(entry.origin, entry.name) == 0)
    printf("  [environment, default %s]\n", entry.default_text);
  else
    printf("  [environment, as %s, default %s]\n", entry.origin, entry.default_text);
}

void print_config(bool is_complete) {
  uccs_config_entry_t entry;
  for (size_t i = 0; uccs_config_get(i, &entry) == UCCS_OK; ++i) {
    if (!is_complete && entry.origin[0] == '\0') continue;
    print_setting(entry);
    if (!is_complete) continue;
    printf("    %s", entry.kind);
    if (entry.choices[0] != '\0') printf(" %s", entry.choices);
    if (entry.aliases[0] != '\0') printf(", also as %s", entry.aliases);
    printf("\n    %s\n", entry.help);
  }
}

/// The list with ", " between its elements: a '|' would end the table's cell.
void print_list(const char* list, char separator) {
  for (; *list != '\0'; ++list) {
    if (*list == separator)
      fputs(", ", stdout);
    else
      putchar(*list);
  }
}

/// What documentation says about all settings; nothing in it depends on the environment.
void print_table() {
  puts(
      "# Settings\n\n"
      "Environment variables, read once at start-up. `uccs-info --config` shows the values in "
      "force; "
      "an\ninvalid value ends the program with a message, an unknown name with our prefixes is "
      "reported.\nThis page is `uccs-info --table`.\n\n"
      "| variable | other spellings | kind | default | meaning |\n|---|---|---|---|---|");
  uccs_config_entry_t entry;
  for (size_t i = 0; uccs_config_get(i, &entry) == UCCS_OK; ++i) {
    printf("| `%s` | ", entry.name);
    print_list(entry.aliases, ',');
    printf(" | %s", entry.kind);
    if (entry.unit[0] != '\0') printf(" (%s)", entry.unit);
    if (entry.choices[0] != '\0') printf(": ");
    print_list(entry.choices, '|');
    printf(" | %s | %s |\n", entry.default_text, entry.help);
  }
}

int print_summary() {
  printf("UCCS %s\nbuild: %s\nusable CPUs: %d\n", uccs_version_string(), uccs_build_string(),
         uccs_usable_cpus());
  print_config(false);
  char network[256];
  uccs_network_explain(network, sizeof network);
  printf("network between nodes: %s\n", network);
  fflush(stdout);
  if (rte_init() != UCCS_OK) return 1;
  printf("runtime backend: %s, EC %d of %d\n", rte_get_backend(), rte_get_my_ec(),
         rte_get_num_ecs());
  return rte_finalize() == UCCS_OK ? 0 : 1;
}

/// Is this the name under which people look for an OpenSHMEM's information tool?
bool is_openshmem_name(const char* program) {
  const char* const slash = strrchr(program, '/');
  return strncmp(slash != nullptr ? slash + 1 : program, "osh", 3) == 0;
}

/// Also says no when the output could not be written.
int finish(int status) { return fflush(stdout) == 0 ? status : 1; }

}  // namespace

int main(int argc, char** argv) {
  enum : int { kConfig = 256, kTable, kDoctor, kVersion, kOpenshmem, kParsable };
  constexpr option kOptions[] = {{"config", no_argument, nullptr, kConfig},
                                 {"table", no_argument, nullptr, kTable},
                                 {"doctor", no_argument, nullptr, kDoctor},
                                 {"version", no_argument, nullptr, kVersion},
                                 {"openshmem", no_argument, nullptr, kOpenshmem},
                                 {"parsable", no_argument, nullptr, kParsable},
                                 {"parseable", no_argument, nullptr, kParsable},
                                 {"all", no_argument, nullptr, 'a'},
                                 {"help", no_argument, nullptr, 'h'},
                                 {nullptr, 0, nullptr, 0}};
  const int found = getopt_long(argc, argv, "ahv", kOptions, nullptr);
  if (found != '?' && optind < argc) {
    fprintf(stderr, "uccs-info: %s: one option at a time, and no arguments\n%s", argv[optind],
            kUsage);
    return 2;
  }
  switch (found) {
    case -1:
      if (!is_openshmem_name(argv[0])) return finish(print_summary());
      [[fallthrough]];
    case kOpenshmem:
    case kParsable:
      uccs::info::print_openshmem(found == kParsable);
      return finish(0);
    case 'a':  // oshmem_info --all: everything
      uccs::info::print_openshmem(false);
      print_config(true);
      return finish(0);
    case kConfig:
      print_config(true);
      return finish(0);
    case kTable:
      print_table();
      return finish(0);
    case kDoctor:
      return finish(uccs::info::run_doctor() == 0 ? 0 : 1);
    case 'v':
    case kVersion:
      printf("uccs-info %s\n", uccs_version_string());
      return finish(0);
    case 'h':
      fputs(kUsage, stdout);
      return finish(0);
    default:
      fputs(kUsage, stderr);
      return 2;
  }
}
