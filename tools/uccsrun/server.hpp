// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include <deque>
#include <memory>
#include <string>
#include <vector>

#include "events.hpp"
#include "rte/exchange.hpp"

namespace uccs::run {

/// Serves the ECs' control sockets: key-value store, fence, messages, and the wish to end the job.
class Server {
 public:
  using EndFunction = void (*)(void* user, int ec, int status, const std::string& message);
  using MisuseFunction = void (*)(void* user, int ec);

  /// `on_end`: an EC ends the job. `on_misuse`: an EC sent what is no packet, and is no longer
  /// heard.
  Server(int epoll_fd, int num_ecs, EndFunction on_end, MisuseFunction on_misuse, void* user);
  ~Server();
  Server(const Server&) = delete;
  Server& operator=(const Server&) = delete;

  /// Takes over our end of EC `ec`'s control socket.
  void add(int ec, int fd);

  void on_ready(int ec, uint32_t events);

  /// Handles what EC `ec`, or all, have sent up to now.
  void drain(int ec);
  void drain_all();

  /// EC `ec` has ended.
  void remove(int ec);

 private:
  struct Connection {
    int fd = -1;
    bool is_write_watched = false;
    std::deque<std::string> replies;  ///< at most one per request that the EC waits for
  };

  static void send_reply(void* user, int ec, const rte::Packet& reply);
  void handle(int ec, size_t bytes);
  void write_replies(int ec);
  void close_connection(int ec);

  int epoll_fd_;
  EndFunction on_end_;
  MisuseFunction on_misuse_;
  void* user_;
  rte::Exchange exchange_;
  std::vector<Connection> connections_;
  std::unique_ptr<char[]> buffer_;
};

}  // namespace uccs::run
