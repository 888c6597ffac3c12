// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include <poll.h>

#include <cstdint>
#include <string>
#include <vector>

#include "rte/hub/proof.hpp"

namespace uccs::rte::hub {

/// Listening sockets that let in processes of this job only. Who connects and cannot prove that it
/// knows the secret within a few seconds is hung up on; nothing it sends is parsed, and a crowd of
/// such callers keeps nobody out for long.
class Door {
 public:
  struct Guest {
    int fd;
    uint32_t number;  ///< as it proved
  };

  explicit Door(const Secret& secret) : secret_(secret) {}
  ~Door();
  Door(const Door&) = delete;
  Door& operator=(const Door&) = delete;

  bool open_local(const std::string& name);
  bool open_tcp(const std::string& address, uint64_t silence_ns, int* port_out);

  /// Adds what it waits for to a poll set, and handles what poll found there: who has proved itself
  /// is appended to `guests`; its socket is then the caller's.
  void add_to(std::vector<pollfd>* polled);
  void handle(const pollfd* polled, std::vector<Guest>* guests);
  /// Descriptors that `add_to` appends.
  size_t count() const { return listeners_.size() + callers_.size(); }

  void close();

 private:
  struct Listener {
    int fd;
    bool is_local;
  };
  struct Caller {
    int fd;
    uint64_t until_ns;
    Challenge challenge;
    Proof proof;
    size_t have = 0;  ///< bytes of `proof` so far
  };

  void accept_all(const Listener& listener);
  /// False when the caller is done with, one way or the other.
  bool listen_to(Caller* caller, std::vector<Guest>* guests);

  Secret secret_;
  std::vector<Listener> listeners_;
  std::vector<Caller> callers_;
};

}  // namespace uccs::rte::hub
