// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include <cstring>

#include "core/request.hpp"
#include "net/transport.hpp"

namespace uccs::core {

/// A message taken out of its inbox: the arrival with the bytes it points to, so that it can be
/// handled after the inbox has been unlocked.
struct Kept {
  net::Arrival arrival;
  int link;
  Request* receive;  ///< the receive that a rendezvous was matched with
  alignas(8) std::byte bytes[net::kHeadReadable];

  void keep(const net::Arrival& source, int from_link, Request* matched) {
    arrival = source;
    link = from_link;
    receive = matched;
    memcpy(bytes, source.head, sizeof bytes);
    arrival.head = bytes;
    if (source.payload && !source.token) arrival.payload = bytes + (source.payload - source.head);
  }
};

}  // namespace uccs::core
