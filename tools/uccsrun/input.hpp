// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include "events.hpp"

namespace uccs::run {

/// Standard input for EC 0. A file or a pipe is simply inherited. A terminal is not: the EC's
/// process group is not the terminal's, so the launcher reads it and passes on what comes.
class Input {
 public:
  explicit Input(int epoll_fd) : epoll_fd_(epoll_fd) {}
  ~Input();
  Input(const Input&) = delete;
  Input& operator=(const Input&) = delete;

  /// The descriptor that is to become EC 0's standard input; close it with `close_child_end` once
  /// the EC has it. -1 on failure.
  int open();
  void close_child_end();

  /// The terminal has input, or has been given to us.
  void on_readable();
  void on_writable();
  /// After a SIGCONT: we may have become the terminal's foreground group.
  void resume();

  bool is_terminal() const { return is_terminal_; }

 private:
  void watch_terminal(bool is_on);
  void write_pending();
  void close_pipe();

  int epoll_fd_;
  bool is_terminal_ = false;
  bool is_terminal_watched_ = false;
  bool is_pipe_watched_ = false;
  int pipe_fd_ = -1;   ///< our end, to EC 0
  int child_fd_ = -1;  ///< the EC's end
  char buffer_[4096];
  size_t pending_ = 0;  ///< bytes in buffer_ from `written_` on
  size_t written_ = 0;
};

}  // namespace uccs::run
