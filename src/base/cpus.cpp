// SPDX-License-Identifier: BSD-3-Clause
#include "base/cpus.hpp"

#include <limits.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

namespace uccs::base {
namespace {

constexpr size_t kPathMax = PATH_MAX;

/// The first two words of `directory/file`; how many there were.
int read_two(const char* directory, const char* file, char first[32], char second[32]) {
  char path[kPathMax];
  if (snprintf(path, sizeof path, "%s/%s", directory, file) >= static_cast<int>(sizeof path))
    return 0;
  FILE* stream = fopen(path, "re");
  if (stream == nullptr) return 0;
  const int words = fscanf(stream, "%31s %31s", first, second);
  fclose(stream);
  return words;
}

/// CPUs granted by the quota in one cgroup directory, rounded up; 0: no limit here.
int directory_cpus(const char* directory, bool is_v2) {
  char quota_text[32] = "";
  char period_text[32] = "";
  if (is_v2) {
    if (read_two(directory, "cpu.max", quota_text, period_text) != 2) return 0;
  } else {
    char unused[32];
    if (read_two(directory, "cpu.cfs_quota_us", quota_text, unused) < 1) return 0;
    if (read_two(directory, "cpu.cfs_period_us", period_text, unused) < 1) return 0;
  }
  const long long quota = atoll(quota_text);  // "max" reads as 0, v1 writes -1
  const long long period = atoll(period_text);
  if (quota <= 0 || period <= 0) return 0;
  const long long cpus = (quota + period - 1) / period;
  return cpus > INT_MAX ? 0 : static_cast<int>(cpus);
}

/// The smallest limit on the way from `mount + path` up to `mount`; parents bind too.
int hierarchy_cpus(const char* mount, const char* path, bool is_v2) {
  char directory[kPathMax];
  const size_t mount_length = strlen(mount);
  if (snprintf(directory, sizeof directory, "%s%s", mount, path) >=
      static_cast<int>(sizeof directory))
    return 0;
  int least = 0;
  while (true) {
    const int cpus = directory_cpus(directory, is_v2);
    if (cpus > 0 && (least == 0 || cpus < least)) least = cpus;
    char* slash = strrchr(directory, '/');
    if (slash == nullptr || slash < directory + mount_length) return least;
    *slash = '\0';
  }
}

/// True if `list` ("cpu,cpuacct") has the element `word`.
bool has_word(const char* list, const char* word) {
  const size_t length = strlen(word);
  for (const char* p = list; *p != '\0';) {
    const size_t element = strcspn(p, ",\n");
    if (element == length && strncmp(p, word, length) == 0) return true;
    p += element + (p[element] != '\0' ? 1 : 0);
  }
  return false;
}

/// The line of /proc/self/cgroup for the v1 controller `cpu` or for v2; false if there is none.
bool find_path(const char* cgroup_file, bool is_v2, char path_out[kPathMax]) {
  FILE* stream = fopen(cgroup_file, "re");
  if (stream == nullptr) return false;
  char line[kPathMax];
  bool is_found = false;
  while (!is_found && fgets(line, sizeof line, stream) != nullptr) {
    char* controllers = strchr(line, ':');
    char* path = controllers != nullptr ? strchr(controllers + 1, ':') : nullptr;
    if (path == nullptr) continue;
    *controllers++ = '\0';
    *path++ = '\0';
    path[strcspn(path, "\n")] = '\0';
    is_found =
        is_v2 ? strcmp(line, "0") == 0 && *controllers == '\0' : has_word(controllers, "cpu");
    if (is_found) snprintf(path_out, kPathMax, "%s", strcmp(path, "/") == 0 ? "" : path);
  }
  fclose(stream);
  return is_found;
}

/// One line of mountinfo: "36 35 0:31 root mount options - type source super-options".
bool parse_mount(char* line, char** root_out, char** mount_out, char** type_out, char** super_out) {
  char* rest = nullptr;
  char* words[6];
  words[0] = strtok_r(line, " ", &rest);
  for (int i = 1; i < 5; ++i) words[i] = strtok_r(nullptr, " ", &rest);
  if (words[4] == nullptr || rest == nullptr) return false;
  char* tail = strstr(rest, "- ");
  if (tail == nullptr) return false;
  char* type = strtok_r(tail + 2, " ", &rest);
  char* source = strtok_r(nullptr, " ", &rest);
  char* super = strtok_r(nullptr, " \n", &rest);
  if (type == nullptr || source == nullptr || super == nullptr) return false;
  *root_out = words[3];
  *mount_out = words[4];
  *type_out = type;
  *super_out = super;
  return true;
}

int version_cpus(const char* cgroup_file, const char* mountinfo_file, bool is_v2) {
  char path[kPathMax];
  if (!find_path(cgroup_file, is_v2, path)) return 0;
  FILE* stream = fopen(mountinfo_file, "re");
  if (stream == nullptr) return 0;
  char line[kPathMax];
  int least = 0;
  while (fgets(line, sizeof line, stream) != nullptr) {
    char *root, *mount, *type, *super;
    if (!parse_mount(line, &root, &mount, &type, &super)) continue;
    if (strcmp(type, is_v2 ? "cgroup2" : "cgroup") != 0) continue;
    if (!is_v2 && !has_word(super, "cpu")) continue;
    // A container may see only the subtree below `root`, and name its own path from the host's.
    const size_t root_length = strcmp(root, "/") == 0 ? 0 : strlen(root);
    const char* below = strncmp(path, root, root_length) == 0 ? path + root_length : "";
    const int cpus = hierarchy_cpus(mount, below, is_v2);
    if (cpus > 0 && (least == 0 || cpus < least)) least = cpus;
  }
  fclose(stream);
  return least;
}

}  // namespace

int cgroup_cpus(const char* cgroup_file, const char* mountinfo_file) {
  const int v1 = version_cpus(cgroup_file, mountinfo_file, false);
  const int v2 = version_cpus(cgroup_file, mountinfo_file, true);
  if (v1 == 0 || v2 == 0) return v1 + v2;
  return v1 < v2 ? v1 : v2;
}

int affinity_cpus() {
  // The kernel answers EINVAL until the mask is as large as its own.
  for (int cpus = 1024; cpus <= 1 << 20; cpus *= 4) {
    cpu_set_t* mask = CPU_ALLOC(static_cast<size_t>(cpus));
    if (mask == nullptr) return 1;
    const size_t bytes = CPU_ALLOC_SIZE(static_cast<size_t>(cpus));
    const int rc = sched_getaffinity(0, bytes, mask);
    const int count = rc == 0 ? CPU_COUNT_S(bytes, mask) : 0;
    CPU_FREE(mask);
    if (rc == 0) return count > 0 ? count : 1;
  }
  return 1;
}

int quota_cpus() {
  static const int cpus = cgroup_cpus("/proc/self/cgroup", "/proc/self/mountinfo");
  return cpus;
}

int usable_cpus() {
  static const int cpus = [] {
    const int mask = affinity_cpus();
    const int quota = quota_cpus();
    return quota > 0 && quota < mask ? quota : mask;
  }();
  return cpus;
}

}  // namespace uccs::base
