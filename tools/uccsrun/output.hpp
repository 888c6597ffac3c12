// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include <string>
#include <vector>

#include "events.hpp"

namespace uccs::run {

/// Brings what the ECs write to the launcher's stdout and stderr, by whole lines. A line ends up in
/// one piece, whatever others write meanwhile, unless it is longer than 1 MiB. Bounded: when stdout
/// is slower than the ECs they are no longer read until it has caught up.
class Output {
 public:
  /// `is_tagged`: every line gets "[EC] ". `is_interactive`: what EC 0 has written is also shown
  /// without the end of its line after a moment, because it may be a prompt.
  Output(int epoll_fd, int num_ecs, bool is_tagged, bool is_interactive);

  /// Takes over the reading ends of EC `ec`'s pipes.
  void add(int ec, int out_fd, int err_fd);

  void on_readable(Event event);
  void on_writable(int sink);

  /// Reads what EC `ec` has written up to now, so that a message about it comes after its own
  /// words.
  void catch_up(int ec);

  /// One line of the launcher itself, on stderr; `text` without the newline.
  void say(const std::string& text);

  /// When `on_time` wants to be called; UINT64_MAX: never.
  uint64_t next_time() const { return prompt_time_; }
  void on_time(uint64_t now);

  /// True when all pipes of the ECs were read to their end.
  bool are_streams_closed() const { return open_streams_ == 0; }
  /// For when no process that could write is left: reads what there is, and closes all pipes.
  void close_streams();
  /// True when nothing is waiting to be written.
  bool is_written() const;

 private:
  struct Sink {
    int fd = -1;
    std::string pending;
    size_t written = 0;  ///< of `pending`
    bool is_always_ready = false;
    bool is_watched = false;
    bool is_broken = false;
  };
  struct Stream {
    int fd = -1;
    bool is_watched = false;
    bool is_at_line_start = true;
    std::string partial;  ///< the beginning of a line
  };

  Stream& stream(Event event);
  Sink& sink_of(Source source) { return sinks_[source == Source::kStdout ? 0 : stderr_sink_]; }
  size_t unwritten(const Sink& sink) const { return sink.pending.size() - sink.written; }
  bool read_some(Event event);
  void take(Event event, const char* data, size_t bytes);
  void emit(Event event, const char* data, size_t bytes);
  void emit_partial(Event event);
  void close_stream(Event event);
  void write_sink(Sink* sink);
  void break_sink(Sink* sink, int error);
  void set_paused(Sink* sink, bool is_paused);

  int epoll_fd_;
  bool is_tagged_;
  bool is_passed_through_;  ///< a single EC: nothing to keep apart
  bool is_interactive_;
  Sink sinks_[2];
  size_t stderr_sink_ = 1;  ///< 0 if stdout and stderr are the same file
  std::vector<Stream> out_;
  std::vector<Stream> err_;
  int open_streams_ = 0;
  uint64_t prompt_time_ = UINT64_MAX;
};

}  // namespace uccs::run
