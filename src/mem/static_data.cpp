// SPDX-License-Identifier: BSD-3-Clause
#include "mem/static_data.hpp"

#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <iterator>

#include "base/log.hpp"
#include "base/signals.hpp"

namespace uccs::mem {
namespace {

const size_t kPage = static_cast<size_t>(sysconf(_SC_PAGESIZE));

StaticRange shared_range;        // what share_static_data mapped; empty before
std::byte* fork_copy = nullptr;  // between prepare and the child's or parent's handler

struct Span {
  uintptr_t low = 0, high = 0;
  uintptr_t file_high = 0;  ///< end of what comes from the file; the rest started as zero
};

/// dl_iterate_phdr visits the executable first; returning 1 ends the visit there.
int visit_executable(dl_phdr_info* info, size_t, void* result) {
  Span relro, best;
  for (int i = 0; i < info->dlpi_phnum; ++i) {
    const ElfW(Phdr)& header = info->dlpi_phdr[i];
    if (header.p_type == PT_GNU_RELRO)
      relro = {info->dlpi_addr + header.p_vaddr, info->dlpi_addr + header.p_vaddr + header.p_memsz,
               0};
  }
  for (int i = 0; i < info->dlpi_phnum; ++i) {
    const ElfW(Phdr)& header = info->dlpi_phdr[i];
    if (header.p_type != PT_LOAD || !(header.p_flags & PF_W)) continue;
    const uintptr_t at = info->dlpi_addr + header.p_vaddr;
    Span span{at, at + header.p_memsz, at + header.p_filesz};
    // The loader made RELRO read-only up to the last whole page; data may share the rest.
    if (relro.low <= span.low && span.low < relro.high) span.low = relro.high & ~(kPage - 1);
    span.low &= ~(kPage - 1);
    span.high = (span.high + kPage - 1) & ~(kPage - 1);
    if (span.high > span.low && span.high - span.low > best.high - best.low) best = span;
  }
  *static_cast<Span*>(result) = best;
  return 1;
}

/// Copies whole words. Not memcpy: what lies between globals is poisoned under the address
/// sanitizer, whose memcpy would stop the program; the barrier keeps the compiler from making one
/// of the loop.
[[gnu::no_sanitize("address")]] void copy_words(std::byte* dest, const std::byte* source,
                                                size_t bytes) {
  auto* to = reinterpret_cast<uint64_t*>(dest);
  const auto* from = reinterpret_cast<const uint64_t*>(source);
  for (size_t i = 0; i < bytes / sizeof *to; ++i) {
    to[i] = from[i];
    asm volatile("" ::: "memory");
  }
}

/// Copies `range` to `dest`, which reads as zero before. Pages of .bss that nobody touched stay
/// untouched: presence comes from the kernel's page map.
void copy_held_pages(const StaticRange& range, std::byte* dest) {
  const size_t file_bytes = std::min((range.file_bytes + kPage - 1) & ~(kPage - 1), range.bytes);
  copy_words(dest, range.low, file_bytes);
  const int pagemap = open("/proc/self/pagemap", O_RDONLY | O_CLOEXEC);
  constexpr uint64_t kPresentOrSwapped = uint64_t{3} << 62;
  uint64_t entries[512];
  for (size_t done = file_bytes; done < range.bytes; done += std::size(entries) * kPage) {
    const size_t pages = std::min((range.bytes - done) / kPage, std::size(entries));
    const uintptr_t page_number = (reinterpret_cast<uintptr_t>(range.low) + done) / kPage;
    const bool is_known =
        pagemap >= 0 && pread(pagemap, entries, pages * 8, static_cast<off_t>(page_number * 8)) ==
                            static_cast<ssize_t>(pages * 8);
    for (size_t i = 0; i < pages; ++i)
      if (!is_known || (entries[i] & kPresentOrSwapped))
        copy_words(dest + done + i * kPage, range.low + done + i * kPage, kPage);
  }
  if (pagemap >= 0) close(pagemap);
}

}  // namespace

StaticRange find_static_data() {
  Span span;
  dl_iterate_phdr(visit_executable, &span);
  const size_t file_bytes = span.file_high > span.low ? span.file_high - span.low : 0;
  return {reinterpret_cast<std::byte*>(span.low), span.high - span.low, file_bytes};
}

uccs_status_t share_static_data(const StaticRange& range, int fd, uint64_t offset) {
  if (range.bytes == 0) return UCCS_OK;
  void* mirror = mmap(nullptr, range.bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd,
                      static_cast<off_t>(offset));
  if (mirror == MAP_FAILED) {
    base::log_line(base::LogLevel::kError, "cannot map a shared copy of the globals: %s",
                   strerror(errno));
    return UCCS_ERR_SYSTEM;
  }
  void* at;
  int error;
  {
    // What a signal handler wrote to a global between the copy and the mapping would be lost.
    const base::BlockedSignals blocked;
    copy_held_pages(range, static_cast<std::byte*>(mirror));
    at = mmap(range.low, range.bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, fd,
              static_cast<off_t>(offset));
    error = errno;
  }
  munmap(mirror, range.bytes);
  if (at == MAP_FAILED) {
    base::log_line(base::LogLevel::kError, "cannot map the globals shared: %s", strerror(error));
    return UCCS_ERR_SYSTEM;
  }
  shared_range = range;
  return UCCS_OK;
}

void static_data_before_fork() {
  if (shared_range.bytes == 0) return;
  void* copy = mmap(nullptr, shared_range.bytes, PROT_READ | PROT_WRITE,
                    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (copy == MAP_FAILED) {
    base::log_line(base::LogLevel::kError,
                   "fork: no memory for the child's copy of the globals (%zu bytes): it will share "
                   "them with its parent",
                   shared_range.bytes);
    return;
  }
  // Pages that only peers touched are in the file but not in our page table: ask the file.
  fork_copy = static_cast<std::byte*>(copy);
  unsigned char resident[512];
  for (size_t done = 0; done < shared_range.bytes; done += sizeof resident * kPage) {
    const size_t bytes = std::min(shared_range.bytes - done, sizeof resident * kPage);
    const bool is_known = mincore(shared_range.low + done, bytes, resident) == 0;
    for (size_t i = 0; i * kPage < bytes; ++i)
      if (!is_known || (resident[i] & 1))
        copy_words(fork_copy + done + i * kPage, shared_range.low + done + i * kPage, kPage);
  }
}

void static_data_after_fork_in_parent() {
  if (fork_copy) munmap(fork_copy, shared_range.bytes);
  fork_copy = nullptr;
}

void static_data_after_fork_in_child() {
  // fork_copy itself lives in this library's data, not in the executable's: no global is read
  // between here and the mapping.
  if (!fork_copy) return;
  mremap(fork_copy, shared_range.bytes, shared_range.bytes, MREMAP_MAYMOVE | MREMAP_FIXED,
         shared_range.low);
  fork_copy = nullptr;
  shared_range = {};
}

}  // namespace uccs::mem
