// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include <atomic>
#include <cstddef>
#include <cstdint>

#include "common.hpp"
#include "options.hpp"

namespace uccs::perf {

/// Operations that are under way together before they are completed.
constexpr int kWindow = 64;

/// Local memory begins this far into a page, remote memory at the beginning of one: a load from one
/// never looks to the CPU as if it followed a store to the other.
constexpr size_t kLocalOffset = 2112;

/// Handlers of a context that measures messages.
enum Handler : int { kCount = 1, kAsk = 2, kAnswer = 3, kAskAnyThread = 4 };

/// Messages that callbacks of one lane have counted.
struct alignas(kApart) Arrivals {
  std::atomic<uint64_t> requests = 0;
  std::atomic<uint64_t> answers = 0;
};
constexpr int kLanesMax = 64;

/// One thread that measures, with memory that no other thread touches.
struct alignas(kApart) Worker {
  int index = 0;  ///< of the thread within its process
  uccs_context_t context = nullptr;
  uccs_endpoint_t peer = nullptr;
  std::byte* remote = nullptr;  ///< symmetric: named alike here and at the peer
  std::byte* local = nullptr;   ///< private
  Arrivals* arrivals = nullptr;
  int peer_ec = 0;
  int lane = 0;
  int64_t* fetched = nullptr;  ///< where atomics put what they fetch: local
  uint64_t expected = 0;       ///< requests that its lane has been promised so far
  uint32_t misses = 0;         ///< progress calls in vain since the CPU was given away
};

/// Makes the handlers of `context` count into `arrivals`, one element per lane.
void register_handlers(uccs_context_t context, Arrivals* arrivals);

/// A look for messages by one who waits. Gives the CPU away after a few in vain, as a program with
/// more threads than CPUs should.
void look(Worker& worker);

/// Starts one operation and returns; a null `request` is completed by a flush. Waits while there is
/// no room for it.
void post(Worker& worker, Operation operation, size_t bytes, uccs_request_t* request);

/// Issues `count` one-sided operations and completes them, or as many messages, which are complete
/// when they are on their way.
void issue(Worker& worker, Operation operation, size_t bytes, int count);

/// One operation until its effect is known here: a put is flushed, a message answered. `ask`: the
/// handler of a message.
void issue_blocking(Worker& worker, Operation operation, size_t bytes, Handler ask = kAsk);

/// Waits until `count` more requests have arrived than all earlier calls have waited for.
void await_requests(Worker& worker, uint64_t count);

/// Sends and receives up to kWindow messages of `bytes`, all under way together.
void exchange(Worker& worker, size_t bytes, int count, bool sends, bool receives);

/// A message of a byte that says "your turn".
void send_token(Worker& worker);
void receive_token(Worker& worker);

}  // namespace uccs::perf
