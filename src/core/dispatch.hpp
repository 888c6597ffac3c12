// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include "core/thread.hpp"

namespace uccs::core {

/// What one look into an inbox took out; handled after the inbox has been unlocked, so that
/// callbacks hold up nobody and may look themselves.
struct Batch {
  static constexpr int kCapacity = 24;

  Context* context;
  int link;
  int lane;
  bool runs_user;  ///< the taking thread may run user callbacks of this lane
  int count;
  Kept items[kCapacity];
};

/// net::Sink::arrive of core; `user` is a Batch.
bool arrive(void* user, const net::Arrival& arrival);

/// Counts messages of a link that have been handled, for the end of the context.
inline void note_handled(Context* context, int lane, int link, int count) {
  if (context->links[link].is_counted())
    context->lanes[lane].handled.fetch_add(static_cast<uint64_t>(count), std::memory_order_release);
  else if (context->is_ending.load(std::memory_order_relaxed))
    context->late.fetch_add(static_cast<uint64_t>(count), std::memory_order_relaxed);
}

/// Handles a message that was taken.
void handle(Context* context, ThreadSlot& thread, Kept& kept);

/// An active message as its callback gets it; the callback sees the first member.
struct Delivery {
  uccs_am_t message;
  int link;
  bool is_request;
  bool is_large;             ///< the payload lies where its sender put it
  mutable bool has_replied;  ///< the callback's thread alone writes it
};

inline const Delivery& delivery_of(const uccs_am_t* message) {
  return *reinterpret_cast<const Delivery*>(message);
}

/// Runs the callback; am.cpp.
void run_callback(Context* context, ThreadSlot& thread, Kept& kept);

/// Puts what a reply will tell of, which is then there; am.cpp. For a request's callback. `dest`: a
/// symmetric address, of the EC that sent the request. UCCS_OK or UCCS_ERR_ADDRESS.
uccs_status_t put_before_reply(const uccs_am_t* message, void* dest, const void* payload,
                               size_t bytes);

/// This EC's memory at an address that a message names.
std::byte* own_address(WireAddress at);

/// The handlers of internal messages; emulate.cpp, rendezvous.cpp.
void on_put(Context* context, ThreadSlot& thread, const Kept& kept);
void on_get(Context* context, ThreadSlot& thread, const Kept& kept);
void on_atomic(Context* context, ThreadSlot& thread, const Kept& kept);
void on_put_done(const Kept& kept);
void on_get_data(Context* context, const Kept& kept);
void on_atomic_done(const Kept& kept);
void on_pack(Context* context, ThreadSlot& thread, const Kept& kept);  // pack.cpp
void on_pack_done(Context* context, const Kept& kept);
void on_packed_ams(Context* context, ThreadSlot& thread, const Kept& kept);  // packed_ams.cpp
bool has_user_ams(const Context* context, const net::Arrival& arrival);
void on_finish(const Kept& kept);
void on_clear(const Kept& kept);
void on_fragment(Context* context, const Kept& kept);

/// Replies to the request that `kept` is; gives its payload back.
void answer(Context* context, ThreadSlot& thread, const Kept& kept, Kind kind, const void* head,
            size_t head_bytes, const net::Payload* payload);
void release_payload(Context* context, const Kept& kept);

/// Copies an eager message to the receive it was matched with and gives its buffer back; match.cpp.
/// UCCS_OK or UCCS_ERR_TRUNCATED: the result of the receive.
uccs_status_t deliver_eager(Context* context, const Receive& receive, const net::Arrival& arrival,
                            int link);

/// Fetches an offered message for the receive it was matched with; rendezvous.cpp. The request
/// completes now or later.
void begin_pull(Context* context, Request* request, const net::Arrival& arrival, int link);

template <typename Head>
Head head_of(const net::Arrival& arrival) {
  static_assert(sizeof(Head) <= net::kHeadReadable);
  Head head;
  memcpy(&head, arrival.head, sizeof head);
  return head;
}

}  // namespace uccs::core
