// SPDX-License-Identifier: BSD-3-Clause
#include "mem/segment.hpp"

#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>

#include "base/config.hpp"
#include "base/config_values.hpp"
#include "base/log.hpp"

namespace uccs::mem {
namespace {

constexpr size_t kHeaderBytes = size_t{2} << 20;  // keeps slots aligned for huge pages
/// Half a page more, so that large blocks of the heap start in the middle of one: malloc's start 16
/// bytes behind its begin, and a copy to an address that is a little ahead in its page takes twice
/// as long, because each load looks as if it depended on the last store.
constexpr size_t kInternalBytes = (size_t{256} << 20) + 2048;
constexpr uint64_t kMinSlotBytes = uint64_t{512} << 20;
/// The segment takes at most this much address space: an eighth of what x86-64 and arm64 give.
constexpr uint64_t kMaxSegmentBytes = uint64_t{1} << 44;

/// The address all ECs try first, so that pointers look alike in every process. Sanitizers place
/// their shadow there; they take whatever the kernel gives.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
void* const kPreferredBase = nullptr;
#else
void* const kPreferredBase = reinterpret_cast<void*>(uintptr_t{0x100000000000});
#endif

struct Header {
  std::atomic<uint64_t> static_bytes;  // each +1, so 0 means that nobody has written it
  std::atomic<uint64_t> heap_bytes;
};

/// Publishes `mine` or compares with what another EC published.
bool same_everywhere(std::atomic<uint64_t>& field, uint64_t mine, uint64_t* theirs_out) {
  uint64_t seen = 0;
  if (field.compare_exchange_strong(seen, mine + 1, std::memory_order_relaxed)) return true;
  *theirs_out = seen - 1;
  return seen == mine + 1;
}

/// Address space this process may still take, bounded by `ulimit -v`.
uint64_t address_space_limit() {
  rlimit limit{};
  if (getrlimit(RLIMIT_AS, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) return kMaxSegmentBytes;
  return std::min<uint64_t>(kMaxSegmentBytes, limit.rlim_cur / 2);
}

/// The largest slot of at most `bytes`, 0 if there is none.
uint64_t slot_within(uint64_t bytes) {
  const uint64_t units = bytes / kMaxAlignment;
  return (units % 2 == 0 && units > 0 ? units - 1 : units) * kMaxAlignment;
}

/// The smallest slot that holds `bytes`.
uint64_t slot_for(uint64_t bytes) { return slot_within(bytes + 2 * kMaxAlignment - 1); }

/// Maps the slots at the preferred address, else at any multiple of kMaxAlignment: ECs may differ
/// in the address but not in what lies below it, so that aligned allocations are at equal offsets.
void* map_slots(int fd, size_t bytes, uint64_t file_base) {
  const int access = PROT_READ | PROT_WRITE;
  const int kind = MAP_NORESERVE | (fd >= 0 ? MAP_SHARED : MAP_PRIVATE | MAP_ANONYMOUS);
  const off_t offset = fd >= 0 ? static_cast<off_t>(file_base + kHeaderBytes) : 0;
  if (kPreferredBase) {
    void* at = mmap(kPreferredBase, bytes, access, kind | MAP_FIXED_NOREPLACE, fd, offset);
    if (at == kPreferredBase) return at;
    if (at != MAP_FAILED) munmap(at, bytes);  // a kernel too old to know NOREPLACE
  }
  void* reserve = mmap(nullptr, bytes + kMaxAlignment, PROT_NONE,
                       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (reserve == MAP_FAILED) return reserve;
  const auto low = reinterpret_cast<uintptr_t>(reserve);
  const uintptr_t aligned = (low + kMaxAlignment - 1) & ~(kMaxAlignment - 1);
  if (aligned > low) munmap(reserve, aligned - low);
  const uintptr_t end = aligned + bytes, reserve_end = low + bytes + kMaxAlignment;
  if (reserve_end > end) munmap(reinterpret_cast<void*>(end), reserve_end - end);
  return mmap(reinterpret_cast<void*>(aligned), bytes, access, kind | MAP_FIXED, fd, offset);
}

}  // namespace

uccs_status_t plan_slots(int count, size_t static_bytes, bool heap_is_explicit, size_t heap_bytes,
                         uint64_t file_bytes, SlotLayout* layout_out) {
  const uint64_t room =
      std::min(address_space_limit(), file_bytes ? file_bytes - kHeaderBytes : kMaxSegmentBytes);
  const uint64_t per_slot = slot_within(room / static_cast<uint64_t>(count));
  const uint64_t fixed = static_bytes + kInternalBytes;

  SlotLayout layout;
  layout.static_bytes = static_bytes;
  layout.internal_bytes = kInternalBytes;
  uint64_t slot;
  if (heap_is_explicit) {
    slot = slot_for(fixed + heap_bytes);
  } else {
    const uint64_t memory = static_cast<uint64_t>(sysconf(_SC_PHYS_PAGES)) * sysconf(_SC_PAGESIZE);
    slot = std::min(slot_for(fixed + memory), per_slot);
  }
  slot = std::max(slot, slot_for(kMinSlotBytes));
  if (slot > per_slot || slot <= fixed) {
    base::log_line(base::LogLevel::kError,
                   "the symmetric heap does not fit: %d ECs with %llu bytes each are needed, and "
                   "%llu bytes of address space are to be had; lower SHMEM_SYMMETRIC_SIZE or raise "
                   "the limit of `ulimit -v`",
                   count, static_cast<unsigned long long>(slot),
                   static_cast<unsigned long long>(room));
    return UCCS_ERR_NO_MEMORY;
  }
  layout.slot_bytes = slot;
  layout.heap_bytes = heap_is_explicit ? heap_bytes : slot - fixed;
  *layout_out = layout;
  return UCCS_OK;
}

uint64_t NodeSegment::file_offset(int index) const {
  return file_base_ + kHeaderBytes + static_cast<uint64_t>(index) * layout_.slot_bytes;
}

uccs_status_t NodeSegment::attach(int fd, int count, int index, const SlotLayout& layout,
                                  uint64_t file_base) {
  layout_ = layout;
  file_base_ = file_base;
  fd_ = fd;
  if (fd >= 0) {
    const uccs_status_t agreed = agree(fd, count, index);
    if (agreed != UCCS_OK) return agreed;
  }
  const size_t bytes = static_cast<size_t>(count) * layout.slot_bytes;
  void* at = map_slots(fd, bytes, file_base);
  if (at == MAP_FAILED) {
    base::log_line(base::LogLevel::kError,
                   "cannot map the node's shared memory (%zu bytes of address space): %s; lower "
                   "SHMEM_SYMMETRIC_SIZE or raise the limit of `ulimit -v`",
                   bytes, strerror(errno));
    return UCCS_ERR_NO_MEMORY;
  }
  slots_ = static_cast<std::byte*>(at);
  if (base::config().huge_pages == base::HugePages::kAdvise)
    madvise(slot(index), layout.slot_bytes, MADV_HUGEPAGE);
  return UCCS_OK;
}

uccs_status_t NodeSegment::agree(int fd, int count, int index) {
  void* page = mmap(nullptr, sizeof(Header), PROT_READ | PROT_WRITE, MAP_SHARED, fd,
                    static_cast<off_t>(file_base_));
  if (page == MAP_FAILED) {
    base::log_line(base::LogLevel::kError, "cannot map the node's shared memory: %s",
                   strerror(errno));
    return UCCS_ERR_SYSTEM;
  }
  auto* header = static_cast<Header*>(page);
  uint64_t theirs = 0;
  uccs_status_t status = UCCS_OK;
  if (!same_everywhere(header->static_bytes, layout_.static_bytes, &theirs)) {
    base::log_line(base::LogLevel::kError,
                   "EC %d of %d on this node runs another program than the others (%zu bytes of "
                   "static data, elsewhere %llu); all ECs of a job must run the same executable",
                   index, count, layout_.static_bytes, static_cast<unsigned long long>(theirs));
    status = UCCS_ERR_STATE;
  } else if (!same_everywhere(header->heap_bytes, layout_.heap_bytes, &theirs)) {
    base::log_line(
        base::LogLevel::kError,
        "the symmetric heap differs between ECs: %zu bytes here, %llu bytes elsewhere; set "
        "SHMEM_SYMMETRIC_SIZE (and `ulimit -v`) alike for all ECs",
        layout_.heap_bytes, static_cast<unsigned long long>(theirs));
    status = UCCS_ERR_STATE;
  }
  munmap(page, sizeof(Header));
  return status;
}

}  // namespace uccs::mem
