// SPDX-License-Identifier: BSD-3-Clause
#include "rte/local/memory.hpp"

#include <errno.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/resource.h>
#include <unistd.h>

namespace uccs::rte::local {
namespace {

constexpr uint64_t kSegmentBytesMax = uint64_t{1} << 46;
constexpr uint64_t kSegmentBytesMin = uint64_t{1} << 30;

}  // namespace

int make_segment() {
  const int fd = memfd_create("uccs-segment", MFD_CLOEXEC | MFD_ALLOW_SEALING);
  if (fd < 0) return -1;
  rlimit limit;
  const bool is_limited = getrlimit(RLIMIT_FSIZE, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY;
  uint64_t bytes = kSegmentBytesMax;
  // Past the limit the kernel sends SIGXFSZ, so it must not be tried.
  while (is_limited && bytes > limit.rlim_cur && bytes > kSegmentBytesMin) bytes /= 2;
  if (is_limited && bytes > limit.rlim_cur) {
    errno = EFBIG;
  } else {
    while (ftruncate(fd, static_cast<off_t>(bytes)) != 0 && bytes > kSegmentBytesMin) bytes /= 2;
    if (fcntl(fd, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL) == 0) return fd;
  }
  close(fd);
  return -1;
}

int make_board(int num_ecs, uint32_t cpus, BoardJob** board_out) {
  const int fd = memfd_create("uccs-board", MFD_CLOEXEC | MFD_ALLOW_SEALING);
  if (fd < 0) return -1;
  const size_t bytes = board_bytes(num_ecs);
  void* mapped = MAP_FAILED;
  if (ftruncate(fd, static_cast<off_t>(bytes)) == 0 &&
      fcntl(fd, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL) == 0)
    mapped = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
  if (mapped == MAP_FAILED) {
    close(fd);
    return -1;
  }
  auto* board = static_cast<BoardJob*>(mapped);
  board->magic = kBoardMagic;
  board->num_ecs = static_cast<uint32_t>(num_ecs);
  board->launcher_pid = static_cast<uint32_t>(getpid());
  board->cpus = cpus;
  if (getrandom(&board->job_id, sizeof board->job_id, 0) < 0) board->job_id = board->launcher_pid;
  *board_out = board;
  return fd;
}

}  // namespace uccs::rte::local
