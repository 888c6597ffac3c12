// SPDX-License-Identifier: BSD-3-Clause
#include "server.hpp"

#include <errno.h>
#include <sys/socket.h>
#include <unistd.h>

namespace uccs::run {

Server::Server(int epoll_fd, int num_ecs, EndFunction on_end, MisuseFunction on_misuse, void* user)
    : epoll_fd_(epoll_fd),
      on_end_(on_end),
      on_misuse_(on_misuse),
      user_(user),
      exchange_(num_ecs, send_reply, this),
      connections_(static_cast<size_t>(num_ecs)),
      buffer_(new char[rte::kPacketMax]) {}

Server::~Server() {
  for (const Connection& connection : connections_)
    if (connection.fd >= 0) close(connection.fd);
}

void Server::add(int ec, int fd) {
  connections_[static_cast<size_t>(ec)].fd = fd;
  watch(epoll_fd_, fd, EPOLLIN, {Source::kControl, ec});
}

void Server::on_ready(int ec, uint32_t events) {
  if ((events & EPOLLOUT) != 0) write_replies(ec);
  if ((events & ~EPOLLOUT) != 0) drain(ec);
}

void Server::drain(int ec) {
  Connection& connection = connections_[static_cast<size_t>(ec)];
  while (connection.fd >= 0) {
    const ssize_t bytes =
        recv(connection.fd, buffer_.get(), rte::kPacketMax, MSG_DONTWAIT | MSG_TRUNC);
    if (bytes < 0 && errno == EINTR) continue;
    if (bytes < 0 && errno == EAGAIN) return;
    if (bytes <= 0) return close_connection(ec);
    handle(ec, static_cast<size_t>(bytes));
  }
}

void Server::drain_all() {
  for (size_t ec = 0; ec < connections_.size(); ++ec) drain(static_cast<int>(ec));
}

void Server::handle(int ec, size_t bytes) {
  rte::Packet packet;
  const int num_ecs = static_cast<int>(connections_.size());
  if (bytes > rte::kPacketMax || !rte::decode_packet(buffer_.get(), bytes, num_ecs, &packet) ||
      packet.header.kind == rte::PacketKind::kReply) {
    close_connection(ec);
    on_misuse_(user_, ec);
  } else if (packet.header.kind == rte::PacketKind::kEnd) {
    on_end_(user_, ec, packet.header.status & 255,
            std::string(packet.key, packet.header.key_bytes));
  } else {
    exchange_.handle(ec, packet);
  }
}

void Server::send_reply(void* user, int ec, const rte::Packet& reply) {
  auto* self = static_cast<Server*>(user);
  Connection& connection = self->connections_[static_cast<size_t>(ec)];
  if (connection.fd < 0) return;
  std::string bytes(sizeof reply.header + reply.header.data_bytes, '\0');
  rte::encode_packet(reply, bytes.data());
  connection.replies.push_back(std::move(bytes));
  if (connection.replies.size() == 1) self->write_replies(ec);
}

void Server::write_replies(int ec) {
  Connection& connection = connections_[static_cast<size_t>(ec)];
  while (connection.fd >= 0 && !connection.replies.empty()) {
    const std::string& reply = connection.replies.front();
    if (send(connection.fd, reply.data(), reply.size(), MSG_DONTWAIT | MSG_NOSIGNAL) < 0) {
      if (errno == EINTR) continue;
      if (errno == EAGAIN || errno == ENOBUFS) break;
      connection.replies.clear();  // the EC has gone; its end is seen elsewhere
      break;
    }
    connection.replies.pop_front();
  }
  const bool must_watch = connection.fd >= 0 && !connection.replies.empty();
  if (must_watch == connection.is_write_watched) return;
  connection.is_write_watched = must_watch;
  watch(epoll_fd_, connection.fd, must_watch ? EPOLLIN | EPOLLOUT : +EPOLLIN,
        {Source::kControl, ec});
}

void Server::close_connection(int ec) {
  Connection& connection = connections_[static_cast<size_t>(ec)];
  if (connection.fd < 0) return;
  watch(epoll_fd_, connection.fd, 0, {});
  close(connection.fd);
  connection.fd = -1;
  connection.is_write_watched = false;
  connection.replies.clear();
}

void Server::remove(int ec) {
  drain(ec);
  close_connection(ec);
  exchange_.remove(ec);
}

}  // namespace uccs::run
