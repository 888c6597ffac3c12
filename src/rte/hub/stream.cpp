// SPDX-License-Identifier: BSD-3-Clause
#include "rte/hub/stream.hpp"

#include <errno.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include <utility>

namespace uccs::rte::hub {
namespace {

constexpr size_t kLength = sizeof(uint32_t);

}  // namespace

Stream::Stream(Stream&& other) noexcept { *this = std::move(other); }

Stream& Stream::operator=(Stream&& other) noexcept {
  std::swap(fd_, other.fd_);
  std::swap(in_, other.in_);
  std::swap(taken_, other.taken_);
  std::swap(out_, other.out_);
  std::swap(written_, other.written_);
  return *this;
}

Stream::~Stream() { close(); }

void Stream::close() {
  if (fd_ >= 0) ::close(fd_);
  fd_ = -1;
}

bool Stream::receive() {
  if (taken_ > 0) in_.erase(0, taken_);
  taken_ = 0;
  // One packet more than is being put together: who sends faster is held back by its socket.
  while (in_.size() < 2 * kPacketMax) {
    const size_t before = in_.size();
    in_.resize(before + 16384);
    const ssize_t got = fd_ < 0 ? 0 : recv(fd_, in_.data() + before, 16384, MSG_DONTWAIT);
    in_.resize(before + static_cast<size_t>(got > 0 ? got : 0));
    if (got > 0) continue;
    if (got < 0 && errno == EINTR) continue;
    return got < 0 && errno == EAGAIN;
  }
  return true;
}

bool Stream::next(int num_ecs, Packet* packet_out) {
  if (in_.size() - taken_ < kLength) return false;
  uint32_t bytes;
  memcpy(&bytes, in_.data() + taken_, kLength);
  if (bytes <= kPacketMax) {
    if (in_.size() - taken_ - kLength < bytes) return false;
    const char* body = in_.data() + taken_ + kLength;
    taken_ += kLength + bytes;
    if (decode_packet(body, bytes, num_ecs, packet_out)) return true;
  }
  close();
  in_.clear();
  taken_ = 0;
  return false;
}

bool Stream::send(const Packet& packet) {
  const PacketHeader& header = packet.header;
  const auto bytes = static_cast<uint32_t>(sizeof header + header.key_bytes + header.data_bytes);
  const size_t before = out_.size();
  out_.resize(before + kLength + bytes);
  memcpy(out_.data() + before, &bytes, kLength);
  encode_packet(packet, out_.data() + before + kLength);
  return flush();
}

bool Stream::flush() {
  while (fd_ >= 0 && written_ < out_.size()) {
    const ssize_t done =
        ::send(fd_, out_.data() + written_, out_.size() - written_, MSG_DONTWAIT | MSG_NOSIGNAL);
    if (done < 0 && errno == EINTR) continue;
    if (done < 0 && (errno == EAGAIN || errno == ENOBUFS)) return true;
    if (done < 0) return false;
    written_ += static_cast<size_t>(done);
    if (written_ >= 2 * kPacketMax) {
      out_.erase(0, written_);
      written_ = 0;
    }
  }
  out_.clear();
  written_ = 0;
  return fd_ >= 0;
}

}  // namespace uccs::rte::hub
