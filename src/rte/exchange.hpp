// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include <cstdint>
#include <deque>
#include <string>
#include <unordered_map>
#include <vector>

#include "rte/packet.hpp"
#include "uccs/status.h"

namespace uccs::rte {

/// The job's key-value store, fence and mailboxes: matches the requests of all ECs and answers
/// them. The launcher runs one for its job, a process without launcher one for itself. Owned by one
/// thread. Bounded: what does not fit is answered with UCCS_AGAIN or UCCS_ERR_NO_MEMORY.
class Exchange {
 public:
  /// Takes the answer for EC `ec`; `reply` is valid during the call only.
  using ReplyFunction = void (*)(void* user, int ec, const Packet& reply);

  Exchange(int num_ecs, ReplyFunction reply, void* user);

  /// One decoded request (any kind but kEnd and kReply) of EC `ec`.
  void handle(int ec, const Packet& packet);

  /// EC `ec` has ended: requests that only it could have answered fail.
  void remove(int ec);

 private:
  struct Message {
    int source;
    int tag;
    std::string data;
  };
  struct Receive {
    uint64_t id;
    int source;
    int tag;
  };
  struct Waiting {
    int ec;
    uint64_t id;
  };
  struct Ec {
    std::unordered_map<std::string, std::string> values;
    std::unordered_map<std::string, std::vector<Waiting>> waiting;  ///< gets, by key
    size_t value_bytes = 0;
    std::deque<Message> mailbox;
    size_t mailbox_bytes = 0;
    std::deque<Receive> receives;
    std::deque<uint64_t> fences;
    bool has_ended = false;
  };

  void put(int ec, const Packet& packet);
  void get(int ec, const Packet& packet);
  void fence(int ec, uint64_t id);
  void send(int ec, const Packet& packet);
  void receive(int ec, const Packet& packet);
  void cancel(int ec, uint64_t id);
  void fail_fences();
  void answer(int ec, uint64_t id, uccs_status_t status);
  void answer_data(int ec, uint64_t id, int source, int tag, const char* data, size_t bytes);

  std::vector<Ec> ecs_;
  int in_fence_ = 0;  ///< ECs with a fence pending
  int ended_ = 0;
  ReplyFunction reply_;
  void* user_;
};

}  // namespace uccs::rte
