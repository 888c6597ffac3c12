// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include <sys/socket.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace uccs::rte::hub {

/// Milliseconds until `deadline_ns`, for poll: at least 0, rounded up.
int milliseconds_left(uint64_t deadline_ns);

/// A socket in the abstract name space: no file, gone with its last descriptor, seen only in this
/// network namespace. -1 with errno on failure. Non-blocking.
int listen_local(const std::string& name);
int connect_local(const std::string& name);

/// A TCP socket at one numeric address; `port_out` is what the system chose. -1 with errno.
/// `silence_ns`: connections whose other end is silent for longer break.
int listen_tcp(const std::string& address, uint64_t silence_ns, int* port_out);
/// -1 with errno (ETIMEDOUT past the deadline). Blocking until connected; non-blocking after.
int connect_tcp(const std::string& address, int port, uint64_t silence_ns, uint64_t deadline_ns);

/// Numeric addresses at which other nodes reach this one, best first, at most four. `wanted`:
/// an interface's name or an address (UCCS_INTERFACE), "" for the choice of UCCS; `hint`: an
/// address the launcher uses, or "".
std::vector<std::string> reachable_addresses(const std::string& wanted, const std::string& hint);

/// True when the process at the other end of a local socket has our user.
bool is_same_user(int fd);

/// Whole, or false with errno.
bool write_exact(int fd, const void* data, size_t bytes, uint64_t deadline_ns);
bool read_exact(int fd, void* data, size_t bytes, uint64_t deadline_ns);

/// Two file descriptors over a local socket.
bool send_files(int fd, const int files[2], uint64_t deadline_ns);
bool receive_files(int fd, int files_out[2], uint64_t deadline_ns);

}  // namespace uccs::rte::hub
