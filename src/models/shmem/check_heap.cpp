// SPDX-License-Identifier: BSD-3-Clause
/// Check mode: blocks that were freed. All PEs free the same ones in the same order, so what is
/// held back is the same everywhere, and so are the addresses of new blocks.
#include <cstdio>
#include <deque>
#include <mutex>

#include "core/job.hpp"
#include "models/shmem/check.hpp"

namespace uccs::shmem {
namespace {

struct Freed {
  void* block;
  size_t bytes;
  const char* call;
};

constexpr size_t kMaxHeldBlocks = 1024;
constexpr size_t kMaxHeldBytes = size_t{256} << 20;

std::mutex lock;         // guards the following
std::deque<Freed> held;  // the oldest first
size_t held_bytes = 0;

void let_go() {
  const Freed oldest = held.front();
  held.pop_front();
  held_bytes -= oldest.bytes;
  (void)core::heap_free(oldest.block);
}

}  // namespace

void note_freed(void* block, size_t bytes, const char* call) {
  const std::lock_guard guard(lock);
  held.push_back({block, bytes, call});
  held_bytes += bytes;
  while (held.size() > kMaxHeldBlocks || held_bytes > kMaxHeldBytes) let_go();
}

const char* describe_freed(const void* address) {
  thread_local char text[128];
  const auto at = reinterpret_cast<uintptr_t>(address);
  const std::lock_guard guard(lock);
  for (const Freed& freed : held) {
    if (at - reinterpret_cast<uintptr_t>(freed.block) >= freed.bytes) continue;
    snprintf(text, sizeof text, "%s freed the block of %zu bytes at %p that it is in", freed.call,
             freed.bytes, freed.block);
    return text;
  }
  return nullptr;
}

void make_room(size_t bytes) {
  const std::lock_guard guard(lock);
  if (core::heap_has_room(bytes)) return;
  while (!held.empty()) let_go();
}

void forget_freed() {
  const std::lock_guard guard(lock);
  held.clear();
  held_bytes = 0;
}

}  // namespace uccs::shmem
