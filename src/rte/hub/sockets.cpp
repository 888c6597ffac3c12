// SPDX-License-Identifier: BSD-3-Clause
#include "rte/hub/sockets.hpp"

#include <arpa/inet.h>
#include <errno.h>
#include <net/if.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <stddef.h>
#include <string.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>

#include "base/clock.hpp"

namespace uccs::rte::hub {
namespace {

constexpr int kBacklog = 4096;

socklen_t local_address(const std::string& name, sockaddr_un* out) {
  *out = {};
  out->sun_family = AF_UNIX;
  const size_t length = std::min(name.size(), sizeof out->sun_path - 1);
  memcpy(out->sun_path + 1, name.data(), length);  // the leading NUL makes it abstract
  return static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + 1 + length);
}

/// "10.0.0.1", "fe80::1%eth0"; 0 if it is neither kind.
socklen_t tcp_address(const std::string& text, int port, sockaddr_storage* out) {
  *out = {};
  auto* v4 = reinterpret_cast<sockaddr_in*>(out);
  if (inet_pton(AF_INET, text.c_str(), &v4->sin_addr) == 1) {
    v4->sin_family = AF_INET;
    v4->sin_port = htons(static_cast<uint16_t>(port));
    return sizeof *v4;
  }
  auto* v6 = reinterpret_cast<sockaddr_in6*>(out);
  const size_t percent = text.find('%');
  if (inet_pton(AF_INET6, text.substr(0, percent).c_str(), &v6->sin6_addr) != 1) return 0;
  v6->sin6_family = AF_INET6;
  v6->sin6_port = htons(static_cast<uint16_t>(port));
  if (percent != std::string::npos) v6->sin6_scope_id = if_nametoindex(text.c_str() + percent + 1);
  return sizeof *v6;
}

int give_up(int fd) {
  const int cause = errno;
  close(fd);
  errno = cause;
  return -1;
}

/// A peer whose node died says nothing any more: the kernel asks, and hangs up in the end. What was
/// sent and is not acknowledged is given the same time.
void keep_alive(int fd, uint64_t silence_ns) {
  constexpr int kQuestions = 3;
  const int seconds = static_cast<int>(std::max<uint64_t>(silence_ns / 1'000'000'000, 2));
  const int on = 1, interval = std::max(seconds / (2 * kQuestions), 1);
  const int idle = std::max(seconds - kQuestions * interval, 1);
  const int patience_ms = seconds * 1000;
  setsockopt(fd, SOL_SOCKET, SO_KEEPALIVE, &on, sizeof on);
  setsockopt(fd, IPPROTO_TCP, TCP_KEEPIDLE, &idle, sizeof idle);
  setsockopt(fd, IPPROTO_TCP, TCP_KEEPINTVL, &interval, sizeof interval);
  setsockopt(fd, IPPROTO_TCP, TCP_KEEPCNT, &kQuestions, sizeof kQuestions);
  setsockopt(fd, IPPROTO_TCP, TCP_USER_TIMEOUT, &patience_ms, sizeof patience_ms);
  setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
}

bool wait_for(int fd, short events, uint64_t deadline_ns) {
  pollfd one = {fd, events, 0};
  while (true) {
    const int rc = poll(&one, 1, milliseconds_left(deadline_ns));
    if (rc > 0) return true;
    if (rc == 0) errno = ETIMEDOUT;
    if (rc == 0 || errno != EINTR) return false;
  }
}

}  // namespace

int milliseconds_left(uint64_t deadline_ns) {
  const uint64_t now = base::now_ns();
  if (deadline_ns <= now) return 0;
  return static_cast<int>(std::min<uint64_t>((deadline_ns - now) / 1000000 + 1, 1000000));
}

int listen_local(const std::string& name) {
  const int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  if (fd < 0) return -1;
  sockaddr_un address;
  const socklen_t length = local_address(name, &address);
  if (bind(fd, reinterpret_cast<sockaddr*>(&address), length) != 0 || listen(fd, kBacklog) != 0)
    return give_up(fd);
  return fd;
}

int connect_local(const std::string& name) {
  const int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (fd < 0) return -1;
  sockaddr_un address;
  const socklen_t length = local_address(name, &address);
  int rc;
  do {
    rc = connect(fd, reinterpret_cast<sockaddr*>(&address), length);
  } while (rc != 0 && errno == EINTR);
  return rc == 0 ? fd : give_up(fd);
}

int listen_tcp(const std::string& address, uint64_t silence_ns, int* port_out) {
  sockaddr_storage where;
  socklen_t length = tcp_address(address, 0, &where);
  if (length == 0) errno = EAFNOSUPPORT;
  if (length == 0) return -1;
  const int fd = socket(where.ss_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  if (fd < 0) return -1;
  auto* plain = reinterpret_cast<sockaddr*>(&where);
  if (bind(fd, plain, length) != 0 || listen(fd, kBacklog) != 0 ||
      getsockname(fd, plain, &length) != 0)
    return give_up(fd);
  keep_alive(fd, silence_ns);  // accepted sockets inherit it
  *port_out =
      ntohs(where.ss_family == AF_INET ? reinterpret_cast<sockaddr_in*>(&where)->sin_port
                                       : reinterpret_cast<sockaddr_in6*>(&where)->sin6_port);
  return fd;
}

int connect_tcp(const std::string& address, int port, uint64_t silence_ns, uint64_t deadline_ns) {
  sockaddr_storage where;
  const socklen_t length = tcp_address(address, port, &where);
  if (length == 0) errno = EAFNOSUPPORT;
  if (length == 0) return -1;
  const int fd = socket(where.ss_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  if (fd < 0) return -1;
  keep_alive(fd, silence_ns);
  if (connect(fd, reinterpret_cast<sockaddr*>(&where), length) == 0) return fd;
  if (errno != EINPROGRESS || !wait_for(fd, POLLOUT, deadline_ns)) return give_up(fd);
  int cause = 0;
  socklen_t cause_bytes = sizeof cause;
  getsockopt(fd, SOL_SOCKET, SO_ERROR, &cause, &cause_bytes);
  if (cause == 0) return fd;
  errno = cause;
  return give_up(fd);
}

bool is_same_user(int fd) {
  ucred peer{};
  socklen_t length = sizeof peer;
  return getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &length) == 0 && peer.uid == geteuid();
}

bool write_exact(int fd, const void* data, size_t bytes, uint64_t deadline_ns) {
  const auto* p = static_cast<const char*>(data);
  while (bytes > 0) {
    const ssize_t done = send(fd, p, bytes, MSG_DONTWAIT | MSG_NOSIGNAL);
    if (done >= 0) {
      p += done;
      bytes -= static_cast<size_t>(done);
    } else if (errno == EAGAIN) {
      if (!wait_for(fd, POLLOUT, deadline_ns)) return false;
    } else if (errno != EINTR) {
      return false;
    }
  }
  return true;
}

bool read_exact(int fd, void* data, size_t bytes, uint64_t deadline_ns) {
  auto* p = static_cast<char*>(data);
  while (bytes > 0) {
    const ssize_t done = recv(fd, p, bytes, MSG_DONTWAIT);
    if (done > 0) {
      p += done;
      bytes -= static_cast<size_t>(done);
    } else if (done == 0) {
      errno = ECONNRESET;
      return false;
    } else if (errno == EAGAIN) {
      if (!wait_for(fd, POLLIN, deadline_ns)) return false;
    } else if (errno != EINTR) {
      return false;
    }
  }
  return true;
}

bool send_files(int fd, const int files[2], uint64_t deadline_ns) {
  char byte = 'f';
  iovec part = {&byte, 1};
  alignas(cmsghdr) char room[CMSG_SPACE(2 * sizeof(int))] = {};
  msghdr message{};
  message.msg_iov = &part;
  message.msg_iovlen = 1;
  message.msg_control = room;
  message.msg_controllen = sizeof room;
  cmsghdr* control = CMSG_FIRSTHDR(&message);
  control->cmsg_level = SOL_SOCKET;
  control->cmsg_type = SCM_RIGHTS;
  control->cmsg_len = CMSG_LEN(2 * sizeof(int));
  memcpy(CMSG_DATA(control), files, 2 * sizeof(int));
  while (sendmsg(fd, &message, MSG_NOSIGNAL | MSG_DONTWAIT) != 1)
    if (errno != EINTR && (errno != EAGAIN || !wait_for(fd, POLLOUT, deadline_ns))) return false;
  return true;
}

bool receive_files(int fd, int files_out[2], uint64_t deadline_ns) {
  char byte = 0;
  iovec part = {&byte, 1};
  alignas(cmsghdr) char room[CMSG_SPACE(2 * sizeof(int))] = {};
  msghdr message{};
  message.msg_iov = &part;
  message.msg_iovlen = 1;
  message.msg_control = room;
  message.msg_controllen = sizeof room;
  ssize_t got;
  while ((got = recvmsg(fd, &message, MSG_CMSG_CLOEXEC | MSG_DONTWAIT)) < 0)
    if (errno != EINTR && (errno != EAGAIN || !wait_for(fd, POLLIN, deadline_ns))) return false;
  const cmsghdr* control = got == 1 ? CMSG_FIRSTHDR(&message) : nullptr;
  errno = ECONNRESET;
  if (control == nullptr || control->cmsg_type != SCM_RIGHTS ||
      control->cmsg_len != CMSG_LEN(2 * sizeof(int)))
    return false;
  memcpy(files_out, CMSG_DATA(control), 2 * sizeof(int));
  return true;
}

}  // namespace uccs::rte::hub
