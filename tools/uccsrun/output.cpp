// SPDX-License-Identifier: BSD-3-Clause
#include "output.hpp"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "format.hpp"

namespace uccs::run {
namespace {

constexpr size_t kReadBytes = 64 * 1024;
constexpr size_t kPipeMax = 1 << 20;  // the largest an unprivileged process can make a pipe
constexpr size_t kLineMax = 1 << 20;
constexpr size_t kPendingMax = 256 * 1024;
/// A pipe that polls as writable takes this much without blocking (PIPE_BUF).
constexpr size_t kWriteBytes = 4096;
constexpr uint64_t kPromptNs = 100000000;

bool is_same_file(int a, int b) {
  struct stat x;
  struct stat y;
  return fstat(a, &x) == 0 && fstat(b, &y) == 0 && x.st_dev == y.st_dev && x.st_ino == y.st_ino;
}

}  // namespace

Output::Output(int epoll_fd, int num_ecs, bool is_tagged, bool is_interactive)
    : epoll_fd_(epoll_fd),
      is_tagged_(is_tagged),
      is_passed_through_(num_ecs == 1 && !is_tagged),
      is_interactive_(is_interactive),
      out_(static_cast<size_t>(num_ecs)),
      err_(static_cast<size_t>(num_ecs)) {
  if (is_same_file(1, 2)) stderr_sink_ = 0;
  for (int i = 0; i < 2; ++i) {
    Sink& sink = sinks_[i];
    sink.fd = i + 1;
    sink.is_always_ready = !watch(epoll_fd_, sink.fd, EPOLLOUT, {Source::kSink, i});
    if (!sink.is_always_ready) watch(epoll_fd_, sink.fd, 0, {});
  }
}

Output::Stream& Output::stream(Event event) {
  const auto index = static_cast<size_t>(event.index);
  return event.source == Source::kStdout ? out_[index] : err_[index];
}

void Output::add(int ec, int out_fd, int err_fd) {
  const int fds[2] = {out_fd, err_fd};
  const Source sources[2] = {Source::kStdout, Source::kStderr};
  for (int i = 0; i < 2; ++i) {
    const Event event = {sources[i], ec};
    Stream& added = stream(event);
    added.fd = fds[i];
    ++open_streams_;
    if (sink_of(event.source).is_broken)
      close_stream(event);
    else
      added.is_watched = watch(epoll_fd_, added.fd, EPOLLIN, event);
  }
}

void Output::on_readable(Event event) {
  if (stream(event).fd >= 0) read_some(event);
}

/// One read; false at the end of the stream.
bool Output::read_some(Event event) {
  static char buffer[kReadBytes];
  const ssize_t bytes = read(stream(event).fd, buffer, sizeof buffer);
  if (bytes < 0 && (errno == EINTR || errno == EAGAIN)) return true;
  if (bytes <= 0) {
    close_stream(event);
    return false;
  }
  take(event, buffer, static_cast<size_t>(bytes));
  return true;
}

void Output::take(Event event, const char* data, size_t bytes) {
  Stream& from = stream(event);
  Sink& sink = sink_of(event.source);
  const void* last = memrchr(data, '\n', bytes);
  size_t whole = 0;
  if (is_passed_through_) {
    whole = bytes;
  } else if (last != nullptr) {
    whole = static_cast<size_t>(static_cast<const char*>(last) - data) + 1;
  }
  if (whole > 0) {
    emit_partial(event);
    emit(event, data, whole);
  }
  from.partial.append(data + whole, bytes - whole);
  if (from.partial.size() > kLineMax) emit_partial(event);
  if (is_interactive_ && event.index == 0 && !from.partial.empty())
    prompt_time_ = now_ns() + kPromptNs;
  write_sink(&sink);
  if (unwritten(sink) > kPendingMax) set_paused(&sink, true);
}

/// Appends to the sink, with tags where lines begin.
void Output::emit(Event event, const char* data, size_t bytes) {
  Stream& from = stream(event);
  Sink& sink = sink_of(event.source);
  if (sink.is_broken || bytes == 0) return;
  if (!is_tagged_) {
    sink.pending.append(data, bytes);
    return;
  }
  const std::string tag = format("[%d] ", event.index);
  while (bytes > 0) {
    if (from.is_at_line_start) sink.pending += tag;
    const void* newline = memchr(data, '\n', bytes);
    const size_t line = newline != nullptr
                            ? static_cast<size_t>(static_cast<const char*>(newline) - data) + 1
                            : bytes;
    sink.pending.append(data, line);
    from.is_at_line_start = newline != nullptr;
    data += line;
    bytes -= line;
  }
}

void Output::emit_partial(Event event) {
  Stream& from = stream(event);
  emit(event, from.partial.data(), from.partial.size());
  from.partial.clear();
}

void Output::close_stream(Event event) {
  Stream& closed = stream(event);
  if (closed.fd < 0) return;
  if (closed.is_watched) watch(epoll_fd_, closed.fd, 0, event);
  close(closed.fd);
  closed.fd = -1;
  closed.is_watched = false;
  --open_streams_;
  emit_partial(event);
  std::string().swap(closed.partial);
  if (!closed.is_at_line_start) emit(event, "\n", 1);
  write_sink(&sink_of(event.source));
}

void Output::catch_up(int ec) {
  for (const Source source : {Source::kStdout, Source::kStderr}) {
    const Event event = {source, ec};
    pollfd ready = {stream(event).fd, POLLIN, 0};
    // Bounded: others may still be writing there. More than a pipe holds cannot be old.
    for (size_t bytes = 0; bytes < kPipeMax; bytes += kReadBytes)
      if (stream(event).fd < 0 || poll(&ready, 1, 0) <= 0 || !read_some(event)) break;
  }
}

void Output::close_streams() {
  for (int ec = 0; ec < static_cast<int>(out_.size()); ++ec) {
    catch_up(ec);
    close_stream({Source::kStdout, ec});
    close_stream({Source::kStderr, ec});
  }
}

void Output::on_writable(int sink) { write_sink(&sinks_[sink]); }

/// Writes as much as does not block.
void Output::write_sink(Sink* sink) {
  while (!sink->is_broken && unwritten(*sink) > 0) {
    size_t bytes = unwritten(*sink);
    if (!sink->is_always_ready) {
      pollfd ready = {sink->fd, POLLOUT, 0};
      if (poll(&ready, 1, 0) <= 0) break;
      if (bytes > kWriteBytes) bytes = kWriteBytes;
    }
    const ssize_t written = write(sink->fd, sink->pending.data() + sink->written, bytes);
    if (written >= 0)
      sink->written += static_cast<size_t>(written);
    else if (errno == EAGAIN)
      break;
    else if (errno != EINTR)
      break_sink(sink, errno);
  }
  if (unwritten(*sink) == 0) {
    sink->pending.clear();
    sink->written = 0;
  } else if (sink->written > kPendingMax) {
    sink->pending.erase(0, sink->written);
    sink->written = 0;
  }
  const bool must_watch = unwritten(*sink) > 0;
  if (must_watch != sink->is_watched) {
    const int index = sink == &sinks_[0] ? 0 : 1;
    watch(epoll_fd_, sink->fd, must_watch ? EPOLLOUT : 0u, {Source::kSink, index});
    sink->is_watched = must_watch;
  }
  if (unwritten(*sink) <= kPendingMax / 2) set_paused(sink, false);
}

/// Nobody reads it any more, or the disk is full: the ECs learn it as if they wrote there
/// themselves.
void Output::break_sink(Sink* sink, int error) {
  sink->is_broken = true;
  sink->pending.clear();
  sink->written = 0;
  for (const Source source : {Source::kStdout, Source::kStderr})
    for (int ec = 0; &sink_of(source) == sink && ec < static_cast<int>(out_.size()); ++ec)
      close_stream({source, ec});
  if (error != EPIPE && sink == &sinks_[0])
    say(format("cannot write the output: %s", strerror(error)));
}

void Output::set_paused(Sink* sink, bool is_paused) {
  for (const Source source : {Source::kStdout, Source::kStderr}) {
    if (&sink_of(source) != sink) continue;
    for (int ec = 0; ec < static_cast<int>(out_.size()); ++ec) {
      Stream& fed_by = stream({source, ec});
      if (fed_by.fd < 0 || fed_by.is_watched != is_paused) continue;
      watch(epoll_fd_, fed_by.fd, is_paused ? 0u : EPOLLIN, {source, ec});
      fed_by.is_watched = !is_paused;
    }
  }
}

void Output::say(const std::string& text) {
  Sink& sink = sinks_[stderr_sink_];
  if (sink.is_broken) return;
  sink.pending.append("uccsrun: ").append(text).append("\n");
  write_sink(&sink);
}

void Output::on_time(uint64_t now) {
  if (now < prompt_time_) return;
  prompt_time_ = UINT64_MAX;
  for (const Source source : {Source::kStdout, Source::kStderr}) {
    emit_partial({source, 0});
    write_sink(&sink_of(source));
  }
}

bool Output::is_written() const { return unwritten(sinks_[0]) == 0 && unwritten(sinks_[1]) == 0; }

}  // namespace uccs::run
