// SPDX-License-Identifier: BSD-3-Clause
#include <errno.h>
#include <string.h>
#include <sys/uio.h>

#include <algorithm>
#include <atomic>

#include "base/log.hpp"
#include "net/shm/shm.hpp"

namespace uccs::net::shm {
namespace {

/// The kernel checks for signals between calls only: keep each under some milliseconds.
constexpr size_t kChunk = size_t{16} << 20;

uccs_status_t explain(int error) {
  switch (error) {
    case ESRCH:
      return UCCS_ERR_PEER_FAILED;
    case EFAULT:
      return UCCS_ERR_ADDRESS;
    default:
      break;
  }
  static std::atomic<bool> is_told = false;
  if (!is_told.exchange(true))
    base::log_line(
        base::LogLevel::kInfo,
        "the kernel refuses cross-memory attach (%s): private memory of peers is reached "
        "by messages instead; /proc/sys/kernel/yama/ptrace_scope and a container's "
        "CAP_SYS_PTRACE decide",
        strerror(error));
  return UCCS_ERR_UNSUPPORTED;
}

}  // namespace

uccs_status_t cross_copy(pid_t pid, void* local, uint64_t remote, size_t bytes, bool is_put) {
  auto* at = static_cast<std::byte*>(local);
  while (bytes > 0) {
    const size_t chunk = std::min(bytes, kChunk);
    const iovec here = {at, chunk};
    const iovec there = {reinterpret_cast<void*>(remote), chunk};
    const ssize_t moved = is_put ? process_vm_writev(pid, &here, 1, &there, 1, 0)
                                 : process_vm_readv(pid, &here, 1, &there, 1, 0);
    if (moved < 0 && errno == EINTR) continue;
    if (moved < 0) return explain(errno);
    if (moved == 0) return UCCS_ERR_ADDRESS;
    at += moved;
    remote += static_cast<uint64_t>(moved);
    bytes -= static_cast<size_t>(moved);
  }
  return UCCS_OK;
}

}  // namespace uccs::net::shm
