// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include <atomic>
#include <cstdint>

#include "uccs/context.h"

/// Where all ECs of the job meet, in two steps: each says that it has come, and can ask whether all
/// have. Neither waits, and nobody's progress depends on another's calls: on a machine's node the
/// ECs count themselves in one word of the first one's memory; the last to come sends what is known
/// by then to other nodes' first ECs, by dissemination, and what comes from there is taken further
/// by the progress thread of the job's context.
///
/// A meeting may have a name, which is compared. What is known of names is a *word*: bit 30:
/// somebody named it, bit 31: mismatch, bits 32-63: the name. Words are joined in any order and
/// more than once. In the word of a node's arrivals, bits 0-29 count them.
namespace uccs::gasnet {

/// One kind of meeting, in the memory of a node's first EC. Zero at first.
struct Meeting {
  static constexpr int kMostRounds = 31;

  /// By parity of the meeting's number. The last to come clears it before it goes on.
  struct alignas(64) Arrivals {
    std::atomic<uint64_t> word;
  } arrivals[2];
  alignas(64) std::atomic<uint64_t> result;  ///< the last one that is over << 1 | mismatch

  /// Between nodes. `under_way`: the number of the meeting whose words travel, 0: none does.
  alignas(64) std::atomic<uint64_t> under_way;
  std::atomic<uint32_t> is_locked;  ///< guards the next three while a meeting is under way
  bool has_sent;                    ///< this round's word
  int round;
  uint64_t word;
  /// Words received since; whoever holds the lock looks again when it has changed.
  std::atomic<uint32_t> events;
  /// By parity of the number, and round. A node is ahead of another by one meeting at most.
  struct Heard {
    std::atomic<uint64_t> number;  ///< of the meeting that `word` belongs to
    std::atomic<uint64_t> word;
  } heard[2][kMostRounds];
};

enum class Occasion : uint8_t { kBarrier, kExit };
constexpr int kOccasions = 2;

/// Prepares messages between nodes. Collective where the job spans them.
uccs_status_t open_meetings();

/// What this EC knows of the name, from the arguments of gasnet_barrier_notify.
uint64_t word_of_name(int id, int flags);

/// This EC has come to meeting number `number` (1, 2, ...) of its kind. It has left the one before.
void come_to(Occasion occasion, uint64_t number, uint64_t word);

/// Whether all have come; sends what could not be sent before.
bool is_over(Occasion occasion, uint64_t number);

/// Of the one that is over, until this EC comes to the next.
bool has_mismatch(Occasion occasion);

/// Sends what could not be sent before. For all who poll.
void advance_meetings();

/// Has ECs of other nodes that have not come to the end raise SIGQUIT where they handle it; and how
/// many have said that they did. exit.cpp says what each does.
void signal_others();
int signalled();
bool raise_quit();

}  // namespace uccs::gasnet
