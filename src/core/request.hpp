// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include <atomic>
#include <cstddef>
#include <cstdint>

#include "core/walk.hpp"
#include "core/wire.hpp"
#include "net/transport.hpp"
#include "uccs/message.h"
#include "uccs/request.h"

namespace uccs::core {

using Context = ::uccs_context;
using Endpoint = ::uccs_endpoint;
using Request = ::uccs_request;
struct Channel;
struct ThreadSlot;
class Matcher;

/// What follows the last byte of a transfer.
struct Epilogue {
  enum class Kind : uint8_t { kNone, kSignal, kMessage };
  Kind kind;
  /// kSignal
  net::Remote target;
  void* mapped_target;  ///< where the signal is reached by the CPU, else nullptr
  net::AtomicArguments arguments;
  /// kMessage
  net::Envelope envelope;
  uint8_t head_bytes;
  std::byte head[net::kHeadReadable];
};

/// A put or get that did not complete at once; transfer.cpp.
struct Transfer {
  bool is_put;
  bool is_emulated;    ///< over messages to the target
  net::Remote remote;  ///< what the walk's remote offsets count from
  Walk walk;
  Run run;  ///< what is left of the run the walk gave last
  Epilogue epilogue;
};

/// An atomic operation that did not complete at once; atomic.cpp.
struct PendingAtomic {
  net::Remote target;
  net::AtomicArguments arguments;
  void* result;  ///< the caller's, may be nullptr
  bool is_posted;
};

/// A receive; match.cpp. What the match adds is for rendezvous.cpp.
struct Receive {
  enum class Stage : uint8_t { kPull, kPulling, kFinish, kClear, kFragments };

  Request* next;  ///< among the waiting ones of the lane
  Request* previous;
  Matcher* matcher;
  int source;  ///< or UCCS_EC_ANY
  uint64_t tag;
  uint64_t mask;
  std::byte* dest;
  size_t capacity;
  uccs_message_info_t* info;

  Stage stage;
  int sender_lane;
  int sender;
  int link;
  RendezvousHead offer;
  size_t wanted;  ///< bytes that are to arrive
};

/// A rendezvous send; rendezvous.cpp.
struct Send {
  Walk walk;  ///< over the source; the remote side counts from 0
  Run run;
  int dest;
  int link;
  int dest_lane;
  uint64_t receive_request;
  uint64_t left;  ///< bytes the receiver still wants
};

}  // namespace uccs::core

/// One operation under way. Taken from the pool of the channel it was posted on, and given back to
/// it by whoever finds it complete.
///
/// Life: taken (kPending) -> `complete` stores the status, then kDone with release -> the user's
/// test reads kDone with acquire, then the status, and gives it back. One without handle
/// (is_implicit) is given back by `complete`.
struct alignas(64) uccs_request : uccs::net::Completion {
  enum State : uint32_t { kPending, kDone };

  uccs_request* pool_next = nullptr;
  uccs::core::Channel* home = nullptr;
  uccs::core::Context* context = nullptr;
  uccs::core::Endpoint* endpoint = nullptr;  ///< the target; nullptr: sends and receives
  std::atomic<uint32_t> state = kPending;
  uccs_status_t status = UCCS_OK;  ///< the first error of its parts, then the result
  bool is_implicit = false;
  uint8_t bucket = 0;  ///< where it is counted, if it has an endpoint

  /// Parts under way at the transport or the target. The poster counts up before it posts, whoever
  /// sees the answer counts down (release, paired with the acquire of `advance`).
  std::atomic<uint32_t> outstanding = 0;
  std::atomic<int> part_error = 0;  ///< the first uccs_status_t < 0 of a part

  std::atomic<size_t> received = 0;  ///< bytes that fragments have brought
  uint64_t old_value = 0;            ///< what an atomic part brought
  uint8_t lane = 0;                  ///< of its messages, here and there

  /// Makes what steps it can, with the home channel's lock held. kOver: the caller takes it off the
  /// list and completes it with `status`.
  enum class Step { kIdle, kMoved, kOver };
  Step (*advance)(uccs_request*) = nullptr;
  uccs_request* active_next = nullptr;

  union {
    uccs::core::Transfer transfer;
    uccs::core::PendingAtomic atomic;
    uccs::core::Receive receive;
    uccs::core::Send send;
  };

  uccs_request() {}  // the members of the union are trivial and set by whoever takes the request
};

namespace uccs::core {

/// Takes a request from the thread's channel, whose lock it holds, and counts it as under way on
/// `endpoint` (may be nullptr: not counted). nullptr: none is left.
Request* take_request(Context* context, const ThreadSlot& thread, Endpoint* endpoint,
                      bool is_implicit);
/// Undoes take_request: nothing happened.
void drop_request(Request* request);

/// The operation is over with `status`. Any thread; the request may be gone when this returns.
void complete(Request* request, uccs_status_t status);

/// Completion of a part that a transport or a peer has answered.
void part_done(Request* request, uccs_status_t status);

/// The name of a request in messages to peers, and back. Release and acquire: what was written
/// before the request went out is visible to whichever thread the answer reaches. (The messages
/// order that, too, but through another process, which thread checkers do not see.)
inline uint64_t hand_out(Request* request) {
  request->state.store(Request::kPending, std::memory_order_release);
  return reinterpret_cast<uint64_t>(request);
}
inline Request* handed_in(uint64_t handle) {
  auto* request = reinterpret_cast<Request*>(handle);
  (void)request->state.load(std::memory_order_acquire);
  return request;
}

using Step = uccs_request::Step;

/// Has `advance` called by whoever makes progress, until it is over. With the home channel's lock
/// held, or not held.
void activate_locked(Request* request);
/// The same for one that only waits for an answer: wakes nobody.
void list_locked(Request* request);
void activate(Request* request);

/// UCCS_IN_PROGRESS, or the result of `*handle`, which is null then. Makes no progress.
uccs_status_t look(uccs_request_t* handle);

/// What a posting call answers when it has started `request`.
inline uccs_status_t answer_started(Request* request, uccs_request_t* request_out) {
  if (request_out) *request_out = request;
  return UCCS_IN_PROGRESS;
}
/// What a posting call answers when all is done.
inline uccs_status_t answer_done(uccs_request_t* request_out) {
  if (request_out) *request_out = UCCS_REQUEST_NULL;
  return UCCS_OK;
}

}  // namespace uccs::core
