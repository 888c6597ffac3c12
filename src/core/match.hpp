// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include "base/pool.hpp"
#include "base/spinlock.hpp"
#include "core/kept.hpp"
#include "uccs/message.h"

namespace uccs::core {

constexpr size_t kMaxUnexpected = 8192;

/// A message that no receive has asked for yet. Short data is inside; a longer payload stays in the
/// sender's buffer until it is received.
struct Unexpected {
  Unexpected* pool_next = nullptr;
  Unexpected* next = nullptr;
  Unexpected* previous = nullptr;
  Kept kept;
};

/// What a two-sided message says about itself.
struct MessageTraits {
  uint64_t tag;
  size_t bytes;
};
MessageTraits traits_of(const net::Arrival& arrival);

/// A doubly linked list through `next` and `previous` of `Links(node)`.
template <typename Node, auto Links>
class List {
 public:
  Node* first() const { return first_; }
  static Node* after(Node* node) { return Links(node).next; }
  void append(Node* node) {
    Links(node).next = nullptr;
    Links(node).previous = last_;
    (last_ ? Links(last_).next : first_) = node;
    last_ = node;
  }
  void remove(Node* node) {
    auto& links = Links(node);
    (links.previous ? Links(links.previous).next : first_) = links.next;
    (links.next ? Links(links.next).previous : last_) = links.previous;
  }

 private:
  Node* first_ = nullptr;
  Node* last_ = nullptr;
};
inline Receive& receive_links(Request* request) { return request->receive; }
inline Unexpected& unexpected_links(Unexpected* message) { return *message; }

/// Brings the messages and the receives of one lane together: a message goes to the oldest receive
/// that matches it, a receive takes the oldest message. Either is in a list only while nothing in
/// the other list matches it.
class Matcher {
 public:
  /// A message from the inbox, in the order of its source. Returns the receive it belongs to, which
  /// is the caller's now; nullptr with *is_kept_out: it waits here. nullptr and not kept: no room.
  Request* arrive(const net::Arrival& arrival, int link, bool* is_kept_out);

  /// A receive. Returns the message it takes, to be given back with `release`; nullptr: it waits
  /// here.
  Unexpected* post(Request* receive);
  void release(Unexpected* message);

  /// Takes a waiting receive out; false: it has been matched.
  bool cancel(Request* receive);

  bool find(int source, uint64_t tag, uint64_t mask, uccs_message_info_t* info_out);

  /// Takes any waiting message, for the end of the context.
  Unexpected* take_any();

 private:
  bool reserve();

  base::SpinLock lock_;  // guards what follows
  List<Request, receive_links> receives_;
  List<Unexpected, unexpected_links> messages_;
  base::Pool<Unexpected> pool_;
  bool is_reserved_ = false;
};

}  // namespace uccs::core
