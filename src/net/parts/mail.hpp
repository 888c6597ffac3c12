// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include <atomic>
#include <memory>
#include <mutex>
#include <vector>

#include "base/backoff.hpp"
#include "base/sparse.hpp"
#include "base/spinlock.hpp"
#include "net/parts/wire.hpp"

/// Messages over a network that only moves bytes: inboxes, order, and the credits that bound them.
/// A message costs the sender one credit of its kind (class, with or without payload) at the
/// target's lane; the reader gives it back when it has taken the message, or released its payload.
/// Half a grant is returned at a time, in a message that costs nothing because its reader keeps
/// nothing. So a lane never has to hold more than was granted, and takes in whatever comes at once:
/// no class is ever stuck behind another.
namespace uccs::net {

struct Mailbox;

/// A message that has arrived, or a place for one. `MailOptions::prefix` bytes lie in front of it,
/// for the network's library to keep its own in.
struct alignas(8) Node {
  Node* next;
  Mailbox* home;
  void* descriptor;  ///< what MailOptions::describe said of the memory
  bool is_full;      ///< kMessageMax bytes, else kShortMax

  std::byte* data() { return reinterpret_cast<std::byte*>(this + 1); }
  Header& header() { return *reinterpret_cast<Header*>(data()); }
};

/// Messages of one class that wait for their reader.
struct alignas(64) Inbox {
  base::SpinLock reader;  ///< held by who delivers
  base::SpinLock lock;    ///< guards the list
  Node* first = nullptr;
  Node* last = nullptr;
  std::atomic<uint32_t> count = 0;
};

/// What has come in for one lane.
struct Mailbox {
  int lane = 0;
  Inbox inboxes[kTrafficClasses];

  base::SpinLock pool_lock;  // guards what follows
  Node* free_full = nullptr;
  Node* free_short = nullptr;
  std::vector<std::unique_ptr<std::byte[]>> slabs;
};

/// What threads sleep on.
struct Bell {
  alignas(64) std::atomic<uint32_t> doorbell = 0;
  std::atomic<int> sleepers = 0;
  std::atomic<uint32_t> asked = 0;  ///< how often somebody has begun or ended a sleep
  std::atomic<uint32_t> noted = 0;  ///< `asked` at the last note
  /// Changes the word without waking anybody: once between two that ask, since threads that note
  /// all the time would take the line from each other. An increment may get lost among others, the
  /// change does not.
  void note() {
    const uint32_t now = asked.load(std::memory_order_relaxed);
    if (noted.load(std::memory_order_relaxed) == now) return;
    noted.store(now, std::memory_order_relaxed);
    doorbell.store(doorbell.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
  }
  void ring() {
    if (sleepers.load(std::memory_order_relaxed) == 0) return;
    doorbell.fetch_add(1, std::memory_order_release);
    base::wake_all(&doorbell);
  }
};

/// What is agreed with one lane of another EC.
struct alignas(64) Account {
  std::atomic<int> credits[kCreditKinds];  ///< messages that may be sent to it
  std::atomic<int> owed[kCreditKinds];     ///< messages of that EC's that were read at ours
  base::SpinLock send_lock;                ///< guards next_to_send, and the order of sends
  uint32_t next_to_send = 0;
  uint32_t next_to_read = 0;  ///< guarded by what serialises `take_in`, and so is `early`
  Node* early = nullptr;      ///< sends that overtook others, in no order
};

struct MailOptions {
  int me = 0;
  int num_ecs = 1;
  int lanes = 1;
  size_t prefix = 0;  ///< multiple of 8
  void* user = nullptr;
  /// Sends credits; false: not now, they stay owed. Takes no lock that a caller of `release` holds.
  bool (*send_credits)(void* user, int ec, int lane, const Returned& returned) = nullptr;
  /// Registers memory that full nodes are made of; may be nullptr.
  void* (*describe)(void* user, int lane, std::byte* memory, size_t bytes) = nullptr;
  /// Told of messages of the kinds from kHello on; nullptr: there are none.
  void (*control)(void* user, int source, MessageKind kind) = nullptr;
};

class Mail {
 public:
  ~Mail();
  bool start(const MailOptions& options);

  /// Goes into the addresses of this EC: who knows it belongs to the job.
  uint64_t cookie() const { return cookie_; }

  // Sending. The header is this EC's but for the cookie, which is the receiver's.
  Account& account_of(int ec, int lane);
  static bool take_credit(Account& account, int kind);
  uccs_status_t message_to_self(Envelope envelope, const void* head, size_t head_bytes,
                                const Payload* payload);

  // Receiving. `take_in` is called by one thread at a time per lane.
  Node* take_node(int lane, bool is_full);
  void give_back(Node* node);
  /// `length` bytes have been written to the node's data. Returns how many messages it has put into
  /// the inboxes. Whoever calls it delivers them or rings.
  int take_in(int lane, Node* node, size_t length);
  /// Hands over at most `budget` of each class that `traffic` names. Returns how many.
  int deliver(int lane, uint32_t traffic, int budget, const Sink& sink) {
    return has_waiting(lane) ? deliver_waiting(lane, traffic, budget, sink) : 0;
  }
  /// Messages wait at the lane for their reader.
  bool has_waiting() const {
    for (int lane = 0; lane < options_.lanes; ++lane)
      if (has_waiting(lane)) return true;
    return false;
  }
  bool has_waiting(int lane) const {
    uint32_t count = 0;
    for (const Inbox& inbox : boxes_[lane].inboxes)
      count |= inbox.count.load(std::memory_order_relaxed);
    return count != 0;
  }
  void release(void* token);
  /// What could not be returned when it was due.
  void return_owed() {
    if (owing_.load(std::memory_order_relaxed) > 0) return_all();
  }

  /// Transport::arm, and waking who sleeps there.
  std::atomic<uint32_t>* arm(int lane, bool is_waiting);
  /// For those who sleep until a message or an end comes, and for those who watch memory.
  void ring() {
    bells_[0].ring();
    ring_for_memory();
  }
  void ring_for_memory() { bells_[1].ring(); }
  /// Something has come that the calling thread takes in: who would sleep now finds the word of
  /// kMemory changed.
  void note_movement() { bells_[1].note(); }

 private:
  Account* accounts_of(int ec);
  bool is_sound(int lane, const Header& header, size_t length) const;
  int take_in_order(Mailbox& box, Node* node);
  void push(Mailbox& box, Node* node);
  int deliver_waiting(int lane, uint32_t traffic, int budget, const Sink& sink);
  int deliver_class(int lane, Traffic traffic, int budget, const Sink& sink);
  void owe(int ec, int lane, int kind);
  void return_credits(int ec, int lane);
  void return_all();
  int grant(int kind) const { return kind % 2 ? grant_payload_ : grant_plain_; }

  MailOptions options_;
  uint64_t cookie_ = 0;
  int grant_plain_ = 0, grant_payload_ = 0;
  std::unique_ptr<Mailbox[]> boxes_;
  base::SparseArray<std::atomic<Account*>> accounts_;  ///< [ec][lane], made at first use
  std::mutex making_;                                  // guards making them
  std::atomic<int> owing_ = 0;                         ///< credits could not be returned at once
  Bell bells_[2];                                      ///< of messages and ends, of memory
};

}  // namespace uccs::net
