// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include <cstdint>
#include <string>

#include "rte/packet.hpp"

namespace uccs::rte::hub {

/// Packets over a stream socket, each after its length (32 bits). Never blocks; what the socket
/// does not take waits here, bounded by the number of requests that its owner answers or makes.
class Stream {
 public:
  Stream() = default;
  explicit Stream(int fd) : fd_(fd) {}
  Stream(Stream&& other) noexcept;
  Stream& operator=(Stream&& other) noexcept;
  ~Stream();

  int fd() const { return fd_; }
  bool is_open() const { return fd_ >= 0; }
  bool has_output() const { return !out_.empty(); }
  size_t output_bytes() const { return out_.size() - written_; }
  void close();

  /// Reads what is there. False when the peer hung up or broke the framing: packets read before are
  /// still to be had.
  bool receive();
  /// The next whole packet; valid until the next call. Malformed ones close the stream.
  bool next(int num_ecs, Packet* packet_out);
  /// Queues a packet and writes what the socket takes. False when the peer hung up.
  bool send(const Packet& packet);
  bool flush();

 private:
  int fd_ = -1;
  std::string in_;
  size_t taken_ = 0;  ///< bytes of in_ that `next` has given out
  std::string out_;
  size_t written_ = 0;
};

}  // namespace uccs::rte::hub
