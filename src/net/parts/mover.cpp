// SPDX-License-Identifier: BSD-3-Clause
#include "net/parts/mover.hpp"

#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <unistd.h>

#include <algorithm>

#include "base/clock.hpp"

namespace uccs::net {
namespace {

/// Who is alone on a CPU runs 1 to 3 us after it is woken.
constexpr uint64_t kWaitNs = 8'000;

/// To another CPU that the thread may use, the `number`th behind its own. False: there is none, or
/// it is not to be moved.
bool move_to_other(uint32_t number) {
  cpu_set_t all;
  if (sched_getaffinity(0, sizeof all, &all) != 0 || CPU_COUNT(&all) < 2) return false;
  int cpu = sched_getcpu();
  for (uint32_t left = 1 + number % static_cast<uint32_t>(CPU_COUNT(&all) - 1); left > 0;) {
    cpu = (cpu + 1) % CPU_SETSIZE;
    if (CPU_ISSET(cpu, &all)) --left;
  }
  cpu_set_t one;
  CPU_ZERO(&one);
  CPU_SET(cpu, &one);
  if (sched_setaffinity(0, sizeof one, &one) != 0) return false;
  (void)sched_setaffinity(0, sizeof all, &all);
  return true;
}

}  // namespace

Mover::~Mover() {
  if (fd_ >= 0) close(fd_);
}

/// The second number of schedstat; 0 where the kernel does not keep it.
uint64_t Mover::read_waited_ns() {
  if (fd_ == kUnopened) {
    fd_ = open("/proc/thread-self/schedstat", O_RDONLY | O_CLOEXEC);
    if (fd_ < 0) fd_ = kUnreadable;
    random_ = static_cast<uint32_t>(base::now_ns()) ^ static_cast<uint32_t>(gettid());
  }
  char text[96];
  const ssize_t bytes = fd_ >= 0 ? pread(fd_, text, sizeof text - 1, 0) : 0;
  text[std::max<ssize_t>(bytes, 0)] = 0;
  unsigned long long run, waited;
  return sscanf(text, "%llu %llu", &run, &waited) == 2 ? waited : 0;
}

void Mover::judge() {
  const bool is_first = fd_ == kUnopened;
  const uint64_t before = waited_ns_, wakes = wakes_;
  waited_ns_ = read_waited_ns();
  wakes_ = 0;
  if (is_first) return;
  if (waited_ns_ - before < wakes * kWaitNs) {
    interval_ = kIntervalMin;
    return;
  }
  // Every other time: of two that share a CPU one is to go.
  random_ = random_ * 1664525 + 1013904223;
  if (random_ >> 31 != 0 || !move_to_other(random_ >> 8)) return;
  ++moves_;
  interval_ = std::min(2 * interval_, kIntervalMax);
}

}  // namespace uccs::net
