// SPDX-License-Identifier: BSD-3-Clause
#include "worker.hpp"

#include <sched.h>

namespace uccs::perf {
namespace {

constexpr uint32_t kMissesMax = 32;
constexpr uint64_t kDataTag = 1, kTokenTag = 2;

Arrivals& arrivals_of(const uccs_am_t* message, void* user) {
  return static_cast<Arrivals*>(user)[message->lane];
}

// Relaxed everywhere: the numbers stand for the messages, no other data is read because of them.
void on_count(const uccs_am_t* message, void* user) {
  arrivals_of(message, user).requests.fetch_add(1, std::memory_order_relaxed);
}

void on_ask(const uccs_am_t* message, void* user) {
  arrivals_of(message, user).requests.fetch_add(1, std::memory_order_relaxed);
  UCCS_PERF_CHECK(uccs_am_reply_short(message, kAnswer, nullptr, 0));
}

void on_answer(const uccs_am_t* message, void* user) {
  arrivals_of(message, user).answers.fetch_add(1, std::memory_order_relaxed);
}

uccs_status_t post_message(Worker& worker, int id, size_t bytes, uccs_request_t* request) {
  if (bytes <= UCCS_AM_SHORT_MAX)
    return uccs_am_short_nb(worker.peer, id, worker.local, bytes, request);
  if (bytes <= UCCS_AM_MEDIUM_MAX)
    return uccs_am_medium_nb(worker.peer, id, nullptr, 0, worker.local, bytes, request);
  return uccs_am_large_nb(worker.peer, id, nullptr, 0, UCCS_REGION_SYMMETRIC, worker.remote,
                          worker.local, bytes, request);
}

template <Operation operation>
inline uccs_status_t try_post(Worker& worker, size_t bytes, uccs_request_t* request) {
  constexpr uccs_region_t kRegion = UCCS_REGION_SYMMETRIC;
  if constexpr (operation == Operation::kPut)
    return uccs_put_contiguous_nb(worker.peer, kRegion, worker.remote, worker.local, bytes,
                                  request);
  else if constexpr (operation == Operation::kGet)
    return uccs_get_contiguous_nb(worker.peer, kRegion, worker.local, worker.remote, bytes,
                                  request);
  else if constexpr (operation == Operation::kAtomic)
    return uccs_atomic_fadd_int64_nb(worker.peer, kRegion,
                                     reinterpret_cast<int64_t*>(worker.remote), 1, worker.fetched,
                                     request);
  else if constexpr (operation == Operation::kSend)
    return uccs_send_contiguous_nb(worker.peer, kDataTag, worker.local, bytes, request);
  else
    return post_message(worker, kCount, bytes, request);
}

/// Calls `attempt` until it does not answer UCCS_AGAIN.
template <typename Attempt>
inline void insist(Worker& worker, const char* name, Attempt attempt) {
  uccs_status_t status;
  while ((status = attempt()) == UCCS_AGAIN) look(worker);
  if (status < 0) check(status, name);
}

template <Operation operation>
void issue_all(Worker& worker, size_t bytes, int count) {
  for (int i = 0; i < count; ++i)
    insist(worker, "post", [&] { return try_post<operation>(worker, bytes, nullptr); });
  if (operation != Operation::kAm) check(uccs_flush(&worker.peer, 1), "uccs_flush");
}

template <Operation operation>
void post_one(Worker& worker, size_t bytes, uccs_request_t* request) {
  insist(worker, "post", [&] { return try_post<operation>(worker, bytes, request); });
}

}  // namespace

void register_handlers(uccs_context_t context, Arrivals* arrivals) {
  UCCS_PERF_CHECK(uccs_am_register(context, kCount, on_count, UCCS_AM_USER, arrivals));
  UCCS_PERF_CHECK(uccs_am_register(context, kAsk, on_ask, UCCS_AM_USER, arrivals));
  UCCS_PERF_CHECK(uccs_am_register(context, kAnswer, on_answer, UCCS_AM_USER, arrivals));
  UCCS_PERF_CHECK(uccs_am_register(context, kAskAnyThread, on_ask, UCCS_AM_PROTOCOL, arrivals));
}

void look(Worker& worker) {
  if (uccs_progress(worker.context) > 0) {
    worker.misses = 0;
  } else if (++worker.misses == kMissesMax) {
    worker.misses = 0;
    sched_yield();
  }
}

void post(Worker& worker, Operation operation, size_t bytes, uccs_request_t* request) {
  switch (operation) {
    case Operation::kPut:
      return post_one<Operation::kPut>(worker, bytes, request);
    case Operation::kGet:
      return post_one<Operation::kGet>(worker, bytes, request);
    case Operation::kAtomic:
      return post_one<Operation::kAtomic>(worker, bytes, request);
    case Operation::kSend:
      return post_one<Operation::kSend>(worker, bytes, request);
    default:
      return post_one<Operation::kAm>(worker, bytes, request);
  }
}

void issue(Worker& worker, Operation operation, size_t bytes, int count) {
  switch (operation) {
    case Operation::kPut:
      return issue_all<Operation::kPut>(worker, bytes, count);
    case Operation::kGet:
      return issue_all<Operation::kGet>(worker, bytes, count);
    case Operation::kAtomic:
      return issue_all<Operation::kAtomic>(worker, bytes, count);
    default:
      return issue_all<Operation::kAm>(worker, bytes, count);
  }
}

void issue_blocking(Worker& worker, Operation operation, size_t bytes, Handler ask) {
  if (operation != Operation::kAm) return issue(worker, operation, bytes, 1);
  const std::atomic<uint64_t>& answers = worker.arrivals[worker.lane].answers;
  const uint64_t before = answers.load(std::memory_order_relaxed);
  insist(worker, "uccs_am_nb", [&] { return post_message(worker, ask, bytes, nullptr); });
  while (answers.load(std::memory_order_relaxed) == before) look(worker);
}

void await_requests(Worker& worker, uint64_t count) {
  const std::atomic<uint64_t>& requests = worker.arrivals[worker.lane].requests;
  worker.expected += count;
  while (requests.load(std::memory_order_relaxed) < worker.expected) look(worker);
}

void exchange(Worker& worker, size_t bytes, int count, bool sends, bool receives) {
  uccs_request_t requests[2 * kWindow];
  size_t posted = 0;
  for (int i = 0; receives && i < count; ++i, ++posted)
    insist(worker, "uccs_recv_nb", [&] {
      return uccs_recv_nb(worker.context, worker.lane, worker.peer_ec, kDataTag, UCCS_TAG_EXACT,
                          worker.remote, bytes, nullptr, &requests[posted]);
    });
  for (int i = 0; sends && i < count; ++i, ++posted)
    post_one<Operation::kSend>(worker, bytes, &requests[posted]);
  UCCS_PERF_CHECK(uccs_wait_all(requests, posted));
}

void send_token(Worker& worker) {
  insist(worker, "uccs_send_contiguous_short_nb", [&] {
    return uccs_send_contiguous_short_nb(worker.peer, kTokenTag, worker.local, 1, nullptr);
  });
}

void receive_token(Worker& worker) {
  std::byte token;
  uccs_request_t request = UCCS_REQUEST_NULL;
  insist(worker, "uccs_recv_nb", [&] {
    return uccs_recv_nb(worker.context, worker.lane, worker.peer_ec, kTokenTag, UCCS_TAG_EXACT,
                        &token, sizeof token, nullptr, &request);
  });
  UCCS_PERF_CHECK(uccs_wait(&request));
}

}  // namespace uccs::perf
