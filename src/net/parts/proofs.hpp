// SPDX-License-Identifier: BSD-3-Clause
/// What a flush waits for: puts without completion that are not known to be visible yet. Flushes
/// are numbered, and a put knows how many had begun before it, so that a flush waits for those that
/// came before it and not for what other threads go on putting.
#pragma once
#include <atomic>
#include <cstdint>

#include "base/log.hpp"
#include "uccs/status.h"

namespace uccs::net {

/// The flushes of an instance. What happens before a flush begins has an earlier number.
class FlushCount {
 public:
  uint64_t begin() { return begun_.fetch_add(1, std::memory_order_acq_rel) + 1; }
  uint64_t now() const { return begun_.load(std::memory_order_relaxed); }

 private:
  std::atomic<uint64_t> begun_ = 1;
};

/// Some puts whose end is awaited, together.
struct Proof {
  Proof *previous = nullptr, *next = nullptr;
  uint64_t number = 0;  ///< of the last flush that had begun before the first of them
  bool is_awaited = false;
};

/// Those of a channel, or what else has a lock to guard them, the oldest first. `are_over` needs
/// none.
class Proofs {
 public:
  Proofs() { list_.previous = list_.next = &list_; }

  void await(Proof& proof, uint64_t number) {
    proof.is_awaited = true;
    proof.number = number;
    Proof* before = &list_;
    while (before->previous != &list_ && before->previous->number > number)
      before = before->previous;
    insert(proof, *before);
    publish();
  }
  /// `by` is awaited in the place of `proof`: what it is about is asked for now.
  void replace(Proof& proof, Proof& by) {
    by.is_awaited = true;
    by.number = proof.number;
    insert(by, proof);
    remove(proof);
  }
  void end(Proof& proof) {
    remove(proof);
    publish();
  }

  /// The same, as an operation ended. Nobody else could be told that it failed, but then an
  /// instance that closes need not care.
  void end(Proof& proof, uccs_status_t status, bool is_closing) {
    if (status < 0 && !is_closing)
      base::fatal("a put that a quiet or fence waits for failed: %s", uccs_status_string(status));
    end(proof);
  }

  /// Nothing is awaited. For any thread.
  bool are_none() const { return oldest_.load(std::memory_order_acquire) == kNone; }
  /// All that was put before the flush with that number began is visible. For any thread: who is
  /// told so sees what `end` came after.
  bool are_over(uint64_t flush) const { return oldest_.load(std::memory_order_acquire) >= flush; }
  bool are_over() const { return are_over(kNone); }

 private:
  static constexpr uint64_t kNone = ~uint64_t{0};

  static void insert(Proof& proof, Proof& before) {
    proof.next = &before;
    proof.previous = before.previous;
    before.previous->next = &proof;
    before.previous = &proof;
  }
  static void remove(Proof& proof) {
    proof.previous->next = proof.next;
    proof.next->previous = proof.previous;
    proof.is_awaited = false;
  }
  void publish() {
    const uint64_t oldest = list_.next == &list_ ? kNone : list_.next->number;
    if (oldest != oldest_.load(std::memory_order_relaxed))
      oldest_.store(oldest, std::memory_order_release);
  }

  Proof list_;
  std::atomic<uint64_t> oldest_ = kNone;
};

}  // namespace uccs::net
