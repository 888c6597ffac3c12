// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include <errno.h>
#include <sys/epoll.h>
#include <time.h>

#include <cstdint>

namespace uccs::run {

/// Monotonic time in nanoseconds.
inline uint64_t now_ns() {
  timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return static_cast<uint64_t>(t.tv_sec) * 1000000000u + static_cast<uint64_t>(t.tv_nsec);
}

/// Whom an event of the launcher's one epoll set is for; `index` is an EC or the number of a sink.
enum class Source : uint32_t { kSignal, kStdout, kStderr, kControl, kSink, kTerminal, kStdinPipe };

struct Event {
  Source source;
  int index;
};

inline uint64_t pack(Event event) {
  return uint64_t{static_cast<uint32_t>(event.source)} << 32 | static_cast<uint32_t>(event.index);
}

inline Event unpack(uint64_t data) {
  return {static_cast<Source>(data >> 32), static_cast<int>(data & 0xffffffff)};
}

/// Starts or changes what is waited for at `fd`; 0 events ends it. False if `fd` cannot be waited
/// for (a regular file, /dev/null), because it is always ready.
inline bool watch(int epoll_fd, int fd, uint32_t events, Event event) {
  if (events == 0) return epoll_ctl(epoll_fd, EPOLL_CTL_DEL, fd, nullptr) == 0;
  epoll_event request{};
  request.events = events;
  request.data.u64 = pack(event);
  if (epoll_ctl(epoll_fd, EPOLL_CTL_ADD, fd, &request) == 0) return true;
  return errno == EEXIST && epoll_ctl(epoll_fd, EPOLL_CTL_MOD, fd, &request) == 0;
}

}  // namespace uccs::run
