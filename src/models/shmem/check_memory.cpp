// SPDX-License-Identifier: BSD-3-Clause
/// Check mode: the memory that arguments name.
#include <atomic>

#include "base/log.hpp"
#include "core/direct.hpp"
#include "core/job.hpp"
#include "models/shmem/check.hpp"

namespace uccs::shmem {
namespace {

uintptr_t number(const void* address) { return reinterpret_cast<uintptr_t>(address); }

bool is_static(const void* address) {
  return number(address) - core::direct_map.static_low < core::direct_map.static_bytes;
}

/// Of an address in the symmetric heap.
void check_heap(const char* call, const Span& span) {
  if (const char* const text = describe_freed(span.address))
    base::fatal("%s: %s is %p, which is no longer valid: %s", call, span.name, span.address, text);
  core::HeapBlock block;
  if (!core::find_heap_block(span.address, &block))
    base::fatal(
        "%s: %s is %p, which is in the symmetric heap, but in no block that shmem_malloc and its "
        "relatives gave and that still exists",
        call, span.name, span.address);
  const size_t room = block.bytes - (number(span.address) - number(block.start));
  if (span.bytes > room)
    base::fatal(
        "%s: %zu bytes at %s, %p, reach past the end of its heap block: the block has %zu bytes at "
        "%p, %zu from there on",
        call, span.bytes, span.name, span.address, block.bytes, block.start, room);
}

void check_static(const char* call, const Span& span) {
  const uintptr_t end = core::direct_map.static_low + core::direct_map.static_bytes;
  const size_t room = end - number(span.address);
  if (span.bytes > room)
    base::fatal(
        "%s: %zu bytes at %s, %p, reach past the end of the executable's static data, which has "
        "%zu from there on",
        call, span.bytes, span.name, span.address, room);
}

void check_amount(const char* call, const Span& span) {
  if (span.bytes > PTRDIFF_MAX)
    base::fatal(
        "%s: the number of elements at %s makes more bytes than there is memory: a negative "
        "number becomes one like this",
        call, span.name);
  if (span.address == nullptr)
    base::fatal("%s: %s is NULL, which is legal only for no bytes at all: here are %zu", call,
                span.name, span.bytes);
}

bool share(uintptr_t a, size_t a_bytes, uintptr_t b, size_t b_bytes) {
  return a < b + b_bytes && b < a + a_bytes;
}

/// Static data is mapped twice here: where the program has it, and in the node segment.
uintptr_t in_segment(const void* address) {
  return is_static(address) ? number(core::translate(address, core::job.me)) : number(address);
}

void report_overlap(const char* call, const Span& a, const Span& b, bool may_be_same) {
  if (!may_be_same || a.bytes != b.bytes)
    base::fatal(
        "%s: %s (%zu bytes at %p) and %s (%zu bytes at %p) overlap: arguments of which one is "
        "written must not share memory",
        call, a.name, a.bytes, a.address, b.name, b.bytes, b.address);
  static std::atomic<bool> is_told{false};
  if (!is_told.exchange(true))
    base::log_line(base::LogLevel::kWarn,
                   "%s: %s and %s are the same %zu bytes at %p: harmless here, but the standard "
                   "allows it in reductions and scans only (told once)",
                   call, a.name, b.name, a.bytes, a.address);
}

}  // namespace

size_t bytes_of(size_t count, size_t element) {
  size_t bytes;
  return __builtin_mul_overflow(count, element, &bytes) ? SIZE_MAX : bytes;
}

void check_symmetric(const char* call, const Span& span, size_t alignment) {
  if (span.bytes == 0) return;
  check_amount(call, span);
  if (!core::is_symmetric(span.address)) core::fail_symmetric(call, span.name, span.address);
  if (number(span.address) % alignment != 0)
    base::fatal("%s: %s is %p, which is not aligned: it must be a multiple of %zu", call, span.name,
                span.address, alignment);
  if (is_static(span.address))
    check_static(call, span);
  else
    check_heap(call, span);
}

void check_local(const char* call, const Span& span) {
  if (span.bytes == 0) return;
  check_amount(call, span);
  if (!core::is_symmetric(span.address)) return;
  if (is_static(span.address))
    check_static(call, span);
  else
    check_heap(call, span);
}

void check_disjoint(const char* call, const Span& a, int ec, const Span& b) {
  if (a.bytes == 0 || b.bytes == 0) return;
  const void* const mapped = core::translate(a.address, ec);
  if (mapped == nullptr) return;  // on another node
  const uintptr_t at_a = number(mapped), at_b = in_segment(b.address);
  if (share(at_a, a.bytes, at_b, b.bytes)) report_overlap(call, a, b, at_a == at_b);
}

void check_disjoint(const char* call, const Span& a, const Span& b, bool may_be_same) {
  if (a.bytes == 0 || b.bytes == 0) return;
  const uintptr_t at_a = in_segment(a.address), at_b = in_segment(b.address);
  if (!share(at_a, a.bytes, at_b, b.bytes)) return;
  report_overlap(call, a, b, may_be_same && at_a == at_b);
}

}  // namespace uccs::shmem
