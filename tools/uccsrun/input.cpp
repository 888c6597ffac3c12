// SPDX-License-Identifier: BSD-3-Clause
#include "input.hpp"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

namespace uccs::run {

Input::~Input() {
  close_child_end();
  close_pipe();
}

int Input::open() {
  is_terminal_ = isatty(0) == 1;
  if (!is_terminal_) return 0;
  int fds[2];
  if (pipe2(fds, O_CLOEXEC) != 0) return -1;
  child_fd_ = fds[0];
  pipe_fd_ = fds[1];
  fcntl(pipe_fd_, F_SETFL, O_NONBLOCK);
  resume();
  return child_fd_;
}

void Input::close_child_end() {
  if (child_fd_ >= 0) close(child_fd_);
  child_fd_ = -1;
}

void Input::watch_terminal(bool is_on) {
  if (is_on == is_terminal_watched_) return;
  watch(epoll_fd_, 0, is_on ? EPOLLIN : 0u, {Source::kTerminal, 0});
  is_terminal_watched_ = is_on;
}

void Input::resume() {
  // In the background a read would stop us (SIGTTIN), and the input is not for us.
  if (pipe_fd_ >= 0 && pending_ == 0) watch_terminal(tcgetpgrp(0) == getpgrp());
}

void Input::on_readable() {
  if (pipe_fd_ < 0 || pending_ > 0) return;
  if (tcgetpgrp(0) != getpgrp()) return watch_terminal(false);
  const ssize_t bytes = read(0, buffer_, sizeof buffer_);
  if (bytes < 0) {
    if (errno != EINTR && errno != EAGAIN) watch_terminal(false);
    return;
  }
  if (bytes == 0) return close_pipe();
  pending_ = static_cast<size_t>(bytes);
  written_ = 0;
  write_pending();
}

void Input::on_writable() { write_pending(); }

void Input::write_pending() {
  if (pipe_fd_ < 0) return;
  while (pending_ > 0) {
    const ssize_t bytes = write(pipe_fd_, buffer_ + written_, pending_);
    if (bytes < 0 && errno == EINTR) continue;
    if (bytes < 0 && errno == EAGAIN) break;
    if (bytes < 0) return close_pipe();  // EC 0 reads no more
    written_ += static_cast<size_t>(bytes);
    pending_ -= static_cast<size_t>(bytes);
  }
  watch_terminal(pending_ == 0);
  const bool must_watch = pending_ > 0;
  if (must_watch != is_pipe_watched_)
    watch(epoll_fd_, pipe_fd_, must_watch ? EPOLLOUT : 0u, {Source::kStdinPipe, 0});
  is_pipe_watched_ = must_watch;
}

void Input::close_pipe() {
  if (pipe_fd_ < 0) return;
  watch_terminal(false);
  if (is_pipe_watched_) watch(epoll_fd_, pipe_fd_, 0, {});
  close(pipe_fd_);
  pipe_fd_ = -1;
  pending_ = 0;
}

}  // namespace uccs::run
