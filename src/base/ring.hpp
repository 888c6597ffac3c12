// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include <atomic>
#include <bit>
#include <cstddef>
#include <cstdint>
#ifdef __SANITIZE_THREAD__
#include <sanitizer/tsan_interface.h>
#endif

namespace uccs::base {

/// A bounded queue of 64-byte slots in memory that several processes map: many producers, one
/// consumer at a time. All-zero memory is an empty ring, so nobody has to prepare it and a producer
/// may come before the consumer. A message moves exactly one cache line from producer to consumer.
///
///     | tail, head_seen | head, sleepers | slot 0 | slot 1 | ... | slot capacity-1 |
///       line of producers line of consumer  one line each
///
///     slot:  | word: bits 0-7 generation, bits 8-63 the caller's | 56 bytes of the caller |
///
/// Positions count up for ever; position p lives in slot p % capacity and is of generation
/// (p / capacity + 1) % 256. A slot that is not written yet holds the generation of the lap before,
/// so the slot itself says whether its message is there, and the consumer never writes a slot.
///
/// Steps, who owns what, and what can fail:
///   1. `reserve` (producer): tail moves from p to p + 1 by compare-and-swap while p - head is
///   below
///      the capacity. From then on slot p is this producer's alone. Fails (false) when the ring
///      is full as far as the consumer has said; nothing has happened then.
///   2. The producer fills the 56 bytes.
///   3. `commit` (producer): the word is stored with release; the slot is the consumer's. Cannot
///      fail. A producer that dies or sleeps between 1 and 3 holds up what is behind it.
///   4. `peek` (consumer): loads the word with acquire; nullptr while the generation is the old
///   one.
///   5. `pop` (consumer): the slot may be reused once `head` says so, which is published after
///   every
///      quarter of the ring: producers' cached line of `head` stays valid for a quarter of a lap.
///      A full ring is at least a quarter away from `head`, so a consumer that empties it always
///      publishes.
/// Invariant: head <= consumer's position <= tail <= head + capacity.
template <size_t kCapacity>
class Ring {
  static_assert(std::has_single_bit(kCapacity) && kCapacity >= 4);

 public:
  static constexpr size_t kDataBytes = 56;

  struct alignas(64) Slot {
    std::atomic<uint64_t> word;
    std::byte data[kDataBytes];
  };
  struct Control {
    alignas(64) std::atomic<uint64_t> tail;
    std::atomic<uint64_t>
        head_seen;  ///< a head of some time ago; saves reading the consumer's line
    alignas(64) std::atomic<uint64_t> head;
    std::atomic<uint32_t> sleepers;  ///< consumers that wait on a doorbell; see `has_sleepers`
  };
  static_assert(sizeof(Slot) == 64 && sizeof(Control) == 128);
  static_assert(offsetof(Slot, data) == 8 && offsetof(Control, head) == 64);

  static constexpr size_t kBytes = sizeof(Control) + kCapacity * sizeof(Slot);

  Ring() = default;
  /// The ring in `memory`: kBytes, 64-byte aligned. Does not touch it.
  explicit Ring(void* memory) : memory_(static_cast<std::byte*>(memory)) {}

  /// Step 1. On success the slot is to be filled and committed with the same position.
  bool reserve(uint64_t* position_out) {
    uint64_t tail = control().tail.load(std::memory_order_relaxed);
    for (;;) {
      // Acquire: pairs with the release below, through which another producer passes on what it
      // acquired from the consumer: the reads of the slot's last lap are over.
      if (tail - control().head_seen.load(std::memory_order_acquire) >= kCapacity) [[unlikely]] {
        const uint64_t head = control().head.load(std::memory_order_acquire);  // pairs with publish
        if (static_cast<int64_t>(tail - head) < 0) {  // others went on since tail was loaded
          tail = control().tail.load(std::memory_order_relaxed);
          continue;
        }
        if (tail - head >= kCapacity) return false;
        control().head_seen.store(head, std::memory_order_release);
      }
      if (control().tail.compare_exchange_weak(tail, tail + 1, std::memory_order_relaxed))
          [[likely]] {
        consumed_elsewhere();
        *position_out = tail;
        return true;
      }
    }
  }

  std::byte* data(uint64_t position) { return slot(position).data; }

  /// Step 3. `word`: the caller's 56 bits, bits 0-7 clear.
  void commit(uint64_t position, uint64_t word) {
    committed_here();
    slot(position).word.store(word | generation(position), std::memory_order_release);
  }

  /// True when a consumer announced that it sleeps. Looked at after commit without a fence: an
  /// announcement that is missed costs the consumer one bounded sleep.
  bool has_sleepers() const { return control().sleepers.load(std::memory_order_relaxed) != 0; }
  void add_sleeper(uint32_t delta) {
    control().sleepers.fetch_add(delta, std::memory_order_seq_cst);
  }

  /// Where a consumer that attaches starts: everything below has been taken.
  uint64_t published_head() const { return control().head.load(std::memory_order_acquire); }

  /// Step 4, any thread: the slot at `position` if its message is there.
  const Slot* peek(uint64_t position) const {
    const Slot& candidate = slot(position);
    const uint64_t word = candidate.word.load(std::memory_order_acquire);
    return static_cast<uint8_t>(word) == generation(position) ? &candidate : nullptr;
  }

  /// Step 5, the consumer: everything below `position` has been taken and is not looked at again.
  /// `published` is the consumer's copy of head.
  void pop(uint64_t position, uint64_t* published) {
    if (position - *published >= kCapacity / 4) [[unlikely]]
      publish(position, published);
  }
  void publish(uint64_t position, uint64_t* published) {
    control().head.store(position, std::memory_order_release);
    *published = position;
  }

 private:
  Control& control() const { return *reinterpret_cast<Control*>(memory_); }
  Slot& slot(uint64_t position) const {
    auto* slots = reinterpret_cast<Slot*>(memory_ + sizeof(Control));
    return slots[position % kCapacity];
  }
  static constexpr uint8_t generation(uint64_t position) {
    return static_cast<uint8_t>(position / kCapacity + 1);
  }

  // A producer's fill happens before the consumer's publish, and that before the next producer's
  // load of head or head_seen. ThreadSanitizer sees neither the consumer nor producers of other
  // processes, who may have stored what is loaded.
#ifdef __SANITIZE_THREAD__
  void committed_here() { __tsan_release(&control().head); }
  void consumed_elsewhere() { __tsan_acquire(&control().head); }
#else
  void committed_here() {}
  void consumed_elsewhere() {}
#endif

  std::byte* memory_ = nullptr;
};

}  // namespace uccs::base
