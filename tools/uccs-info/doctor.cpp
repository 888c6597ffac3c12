// SPDX-License-Identifier: BSD-3-Clause
#include "doctor.hpp"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <string>

#include "uccs/info.h"
#include "uccs/rte.h"

namespace uccs::info {
namespace {

enum class Finding { kGood, kWarning, kFailure };

int failures = 0;

__attribute__((format(printf, 3, 4))) void say(Finding finding, const char* what,
                                               const char* pattern, ...) {
  const char* mark = finding == Finding::kGood ? "ok  " : "warn";
  if (finding == Finding::kFailure) {
    mark = "FAIL";
    ++failures;
  }
  printf("%s  %-14s ", mark, what);
  va_list arguments;
  va_start(arguments, pattern);
  vprintf(pattern, arguments);
  va_end(arguments);
  putchar('\n');
}

/// The first line of a file, "" if it cannot be read.
std::string first_line(const char* path) {
  char line[256] = "";
  FILE* file = fopen(path, "re");
  if (file == nullptr) return "";
  if (fgets(line, sizeof line, file) == nullptr) line[0] = '\0';
  fclose(file);
  line[strcspn(line, "\n")] = '\0';
  return line;
}

/// "[x]" of "a [x] b", the way the kernel marks the choice in force.
std::string chosen(const std::string& line) {
  const size_t open = line.find('[');
  const size_t close = line.find(']');
  if (open == std::string::npos || close == std::string::npos) return line;
  return line.substr(open + 1, close - open - 1);
}

void check_memfd() {
  constexpr int kWanted = 46;
  const int fd = memfd_create("uccs-doctor", MFD_CLOEXEC | MFD_ALLOW_SEALING);
  if (fd < 0)
    return say(Finding::kFailure, "memfd", "memfd_create: %s; UCCS needs Linux 3.17 or newer",
               strerror(errno));
  int bits = kWanted;
  rlimit limit;
  const bool is_limited = getrlimit(RLIMIT_FSIZE, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY;
  while (bits > 30 && ((is_limited && (rlim_t{1} << bits) > limit.rlim_cur) ||
                       ftruncate(fd, off_t{1} << bits) != 0))
    --bits;
  const bool is_sealed = fcntl(fd, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW) == 0;
  void* page = mmap(nullptr, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
  if (!is_sealed || page == MAP_FAILED) {
    say(Finding::kFailure, "memfd", "a sealed memfd cannot be mapped: %s", strerror(errno));
  } else if (bits < kWanted) {
    say(Finding::kWarning, "memfd",
        "sparse memory of at most 2^%d bytes: heaps are limited; see `ulimit -f`", bits);
  } else {
    say(Finding::kGood, "memfd", "sparse, sealed memory of 2^%d bytes", bits);
  }
  if (page != MAP_FAILED) munmap(page, 4096);
  close(fd);
}

void check_address_space() {
  constexpr size_t kBytes = size_t{1} << 44;
  void* range =
      mmap(nullptr, kBytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (range == MAP_FAILED)
    return say(Finding::kWarning, "address space",
               "16 TiB cannot be reserved (%s): heaps are limited; see `ulimit -v`",
               strerror(errno));
  munmap(range, kBytes);
  say(Finding::kGood, "address space", "16 TiB can be reserved");
}

void check_overcommit() {
  const std::string mode = first_line("/proc/sys/vm/overcommit_memory");
  if (mode == "2")
    say(Finding::kWarning, "overcommit",
        "strict (vm.overcommit_memory=2): set SHMEM_SYMMETRIC_SIZE to what the program needs");
  else
    say(Finding::kGood, "overcommit", "vm.overcommit_memory=%s", mode.c_str());
}

void check_huge_pages() {
  const std::string shared =
      chosen(first_line("/sys/kernel/mm/transparent_hugepage/shmem_enabled"));
  if (shared.empty())
    return say(Finding::kGood, "huge pages", "not in this kernel; UCCS_HUGE_PAGES has no effect");
  if (shared == "never" || shared == "deny")
    return say(Finding::kGood, "huge pages",
               "shmem_enabled=%s: for UCCS_HUGE_PAGES=advise write `advise` to "
               "/sys/kernel/mm/transparent_hugepage/shmem_enabled",
               shared.c_str());
  say(Finding::kGood, "huge pages", "shmem_enabled=%s", shared.c_str());
}

void check_memlock() {
  rlimit limit;
  if (getrlimit(RLIMIT_MEMLOCK, &limit) != 0) return;
  if (limit.rlim_cur == RLIM_INFINITY) return say(Finding::kGood, "memlock", "unlimited");
  say(Finding::kGood, "memlock",
      "%llu KiB: enough on one machine; networks that pin memory want `ulimit -l unlimited`",
      static_cast<unsigned long long>(limit.rlim_cur / 1024));
}

void check_cpus() {
  const int usable = uccs_usable_cpus();
  const long online = sysconf(_SC_NPROCESSORS_ONLN);
  if (usable < online)
    say(Finding::kWarning, "CPUs",
        "%d of %ld usable (affinity mask or cgroup quota): more ECs than that take turns", usable,
        online);
  else
    say(Finding::kGood, "CPUs", "%d usable: more ECs than that take turns", usable);
}

void check_open_files() {
  rlimit limit;
  if (getrlimit(RLIMIT_NOFILE, &limit) != 0) return;
  // The launcher keeps four per EC.
  const unsigned long long ecs = limit.rlim_max > 32 ? (limit.rlim_max - 32) / 4 : 0;
  const bool is_low = ecs < 512;
  say(is_low ? Finding::kWarning : Finding::kGood, "open files",
      "hard limit %llu, for %llu ECs at most%s", static_cast<unsigned long long>(limit.rlim_max),
      ecs > 4096 ? 4096 : ecs, is_low ? "; raise it with `ulimit -Hn`" : "");
}

void check_ptrace() {
  const std::string scope = first_line("/proc/sys/kernel/yama/ptrace_scope");
  if (scope.empty() || scope == "0")
    say(Finding::kGood, "ptrace scope", "processes of one user can read each other's memory");
  else
    say(Finding::kWarning, "ptrace scope",
        "kernel.yama.ptrace_scope=%s: memory that is not symmetric cannot be copied in one step",
        scope.c_str());
}

/// The first file of that name in PATH, links resolved; "" if none.
std::string in_path(const char* name) {
  const char* path = getenv("PATH");
  for (const char* rest = path != nullptr ? path : ""; *rest != '\0';) {
    const size_t length = strcspn(rest, ":");
    std::string file(rest, length);
    file.append("/").append(name);
    char resolved[PATH_MAX];
    if (access(file.c_str(), X_OK) == 0 && realpath(file.c_str(), resolved) != nullptr)
      return resolved;
    rest += length + (rest[length] == ':' ? 1 : 0);
  }
  return "";
}

void check_launcher() {
  char self[PATH_MAX] = "";
  const ssize_t length = readlink("/proc/self/exe", self, sizeof self - 1);
  std::string ours(self, length > 0 ? static_cast<size_t>(length) : 0);
  ours.replace(ours.rfind('/') + 1, std::string::npos, "uccsrun");
  if (access(ours.c_str(), X_OK) != 0)
    return say(Finding::kFailure, "launcher", "%s is missing: install UCCS again", ours.c_str());
  for (const char* name : {"uccsrun", "oshrun"}) {
    const std::string found = in_path(name);
    if (found == ours)
      say(Finding::kGood, "launcher", "%s in PATH is ours", name);
    else if (found.empty())
      say(Finding::kWarning, "launcher", "%s is not in PATH: use %s", name, ours.c_str());
    else
      say(Finding::kWarning, "launcher", "%s in PATH is another one (%s): use %s", name,
          found.c_str(), ours.c_str());
  }
}

void check_runtime() {
  if (rte_init() != UCCS_OK) return say(Finding::kFailure, "runtime", "rte_init failed");
  say(Finding::kGood, "runtime", "backend %s, EC %d of %d", rte_get_backend(), rte_get_my_ec(),
      rte_get_num_ecs());
  rte_locality_t place;
  if (rte_get_locality(rte_get_my_ec(), &place) != UCCS_OK) {
    say(Finding::kFailure, "locality", "rte_get_locality failed");
  } else if (place.socket == RTE_UNKNOWN && place.numa == RTE_UNKNOWN &&
             place.core == RTE_UNKNOWN) {
    say(Finding::kWarning, "locality",
        "unknown: hwloc (libhwloc.so.15) is not installed, or this process may run anywhere");
  } else {
    say(Finding::kGood, "locality", "socket %d, core %d, NUMA node %d (-1: several)", place.socket,
        place.core, place.numa);
  }
  rte_finalize();
}

}  // namespace

int run_doctor() {
  check_memfd();
  check_address_space();
  check_overcommit();
  check_huge_pages();
  check_memlock();
  check_cpus();
  check_open_files();
  check_ptrace();
  check_launcher();
  fflush(stdout);
  check_runtime();  // last: an unusable launcher ends the process here, with the remedy
  return failures;
}

}  // namespace uccs::info
