// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include <atomic>
#include <memory>

#include "base/spinlock.hpp"
#include "core/endpoint.hpp"
#include "core/wire.hpp"
#include "net/parts/proofs.hpp"

/// How what a Pack holds for one EC leaves it: in parcels, of which one is filled while others are
/// on their way, so that nobody waits for a thread that is inside a call of the network.
namespace uccs::core {

struct PackTarget;

/// Records that leave as one message. Told of its end by the network, or named by the answer.
struct Parcel : net::Completion {
  Parcel* next = nullptr;
  PackTarget* to = nullptr;
  std::unique_ptr<std::byte[]> records;  ///< until it has left
  uint32_t used = 0;                     ///< bytes of records
  uint32_t answer_bytes = 0;             ///< that they will come back with
  net::Proof proof;  ///< numbered at its first record, awaited from when it is closed on
};

/// The parcels of a share of a Pack. Threads: any.
class Parcels {
 public:
  ~Parcels();
  /// An empty one with room for as many bytes of records, the same at each call; nullptr: no
  /// memory.
  Parcel* take(PackTarget* to, size_t room);
  /// It has got its first record, after `flush` had begun and no later one.
  void fill(Parcel* parcel, uint64_t flush) {
    parcel->proof.number = flush;
    filled_.fetch_add(1, std::memory_order_relaxed);
  }
  /// No more records: flushes wait for it.
  void close(Parcel* parcel);
  /// One has left, and this is its records' memory or what the network gave for it.
  void note_left(std::byte* records);
  /// It is over: who is told so sees its results.
  void end(Parcel* parcel);
  /// One that does not leave any more.
  void give_back(Parcel* parcel);

  /// Is all over whose first record came before that flush, and which is closed?
  bool are_over(uint64_t flush) const { return proofs_.are_over(flush); }
  /// Is nothing of what the caller knows of filled, on its way or unanswered? What is filled is
  /// awaited before it is filled no more.
  bool are_none() const {
    return filled_.load(std::memory_order_acquire) == 0 && proofs_.are_none();
  }
  /// Is there something to be sent?
  bool are_any_waiting() const {
    return filled_.load(std::memory_order_acquire) > 0 || are_any_closed();
  }
  /// Is there something that is closed and has not left? For whoever waits for it, to try again.
  bool are_any_closed() const { return closed_.load(std::memory_order_acquire) > 0; }

 private:
  void keep(Parcel* parcel);

  base::SpinLock lock_;  // guards the next three
  Parcel* free_ = nullptr;
  std::byte* spares_ = nullptr;  ///< memory of records, each begins with the next one's address
  net::Proofs proofs_;
  std::atomic<uint32_t> filled_ = 0;  ///< with records, and not closed
  std::atomic<uint32_t> closed_ = 0;
};

/// What is packed for one EC. Made at first use, kept as long as its Pack.
struct alignas(64) PackTarget {
  ~PackTarget();

  Parcels* parcels = nullptr;                ///< of its share
  const net::FlushCount* flushes = nullptr;  ///< of its Pack
  Endpoint* endpoint = nullptr;
  Kind kind = Kind::kPack;
  PackTarget* next = nullptr;
  size_t room = 0;      ///< of a parcel, in bytes
  size_t capacity = 0;  ///< bytes of records without results; with some kPackMax, if less

  base::SpinLock lock;  ///< guards the next three, and what is in `open`
  bool is_aging = false;
  Parcel* open = nullptr;    ///< being filled
  Parcel* closed = nullptr;  ///< those that have not left

  /// Parcels that are closed and not over. Release and acquire on both sides, so that whoever sees
  /// 0 sees the results.
  alignas(64) std::atomic<uint32_t> unanswered = 0;
};

/// One record of `head` and `body`; a put's data follow the head.
struct Record {
  uint64_t head;
  const void* body;
  size_t body_bytes;
  size_t answer_bytes;
};

/// UCCS_OK; UCCS_AGAIN: there is no room and nothing can leave now; or what went wrong.
uccs_status_t append(PackTarget& to, const Record& record);

/// With the lock held, which is given back for a while: what has been appended is closed and
/// leaves. UCCS_AGAIN: not all of it, now.
uccs_status_t send(PackTarget& to);
/// The same of what has been closed before.
uccs_status_t send_closed(PackTarget& to);

/// The parcel's answer has come.
void end_parcel(Parcel* parcel);

}  // namespace uccs::core
