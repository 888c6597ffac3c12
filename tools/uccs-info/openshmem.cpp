// SPDX-License-Identifier: BSD-3-Clause
#include "openshmem.hpp"

#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <string>

#include "shmem.h"
#include "uccs/info.h"

namespace uccs::info {
namespace {

/// The folder that holds bin/.
std::string prefix() {
  char self[PATH_MAX] = "";
  const ssize_t length = readlink("/proc/self/exe", self, sizeof self - 1);
  std::string path(self, length > 0 ? static_cast<size_t>(length) : 0);
  for (int i = 0; i < 2 && !path.empty(); ++i) path.resize(path.rfind('/'));
  return path;
}

/// "name:value" with the blanks of the name made '_', or columns for people.
void print_fact(bool is_parsable, const char* name, const std::string& value) {
  if (!is_parsable) {
    printf("%24s: %s\n", name, value.c_str());
    return;
  }
  for (const char* c = name; *c != '\0'; ++c) putchar(*c == ' ' ? '_' : *c);
  printf(":%s\n", value.c_str());
}

bool exists(const std::string& path) { return access(path.c_str(), F_OK) == 0; }

}  // namespace

void print_openshmem(bool is_parsable) {
  const std::string root = prefix();
  const std::string bin = root + "/bin/";
  // The module is in the include folder of an installation and of a build tree.
  const bool has_module = exists(root + "/include/shmem.mod");
  const auto fact = [is_parsable](const char* name, const std::string& value) {
    print_fact(is_parsable, name, value);
  };
  fact("Package", "UCCS");
  fact("Version", uccs_version_string());
  fact("Build", uccs_build_string());
  fact("OpenSHMEM",
       std::to_string(SHMEM_MAJOR_VERSION) + "." + std::to_string(SHMEM_MINOR_VERSION));
  fact("Vendor string", SHMEM_VENDOR_STRING);
  fact("Prefix", root);
  fact("C bindings", "yes (C99 and newer), " + bin + "oshcc");
  fact("C++ bindings", "yes (C++11 and newer), " + bin + "oshc++");
  fact("Fortran bindings",
       "yes (shmem.fh" + std::string(has_module ? ", module shmem" : "") + "), " + bin + "oshfort");
  fact("Profiling interface", "yes (pshmem.h)");
  fact("Launcher", bin + "oshrun");
  fact("Thread support", "SHMEM_THREAD_MULTIPLE");
  fact("Usable CPUs", std::to_string(uccs_usable_cpus()));
  uccs_config_entry_t entry;
  for (size_t i = 0; uccs_config_get(i, &entry) == UCCS_OK; ++i) {
    if (strncmp(entry.name, "SHMEM_", 6) != 0 && entry.origin[0] == '\0') continue;
    fact(entry.name, entry.value);
  }
}

}  // namespace uccs::info
