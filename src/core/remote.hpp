// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include "core/channel.hpp"
#include "core/request.hpp"

namespace uccs::core {

/// The job context's endpoint to an EC of another node, made at first use and kept. Ends the job
/// when there is no way to it. Threads: any.
Endpoint* remote_endpoint(int ec);

/// An atomic operation on symmetric memory of EC `ec`, which is on another node. Answers as every
/// posting call. `result_out`: gets the old value, as long as its type; may be nullptr.
uccs_status_t remote_atomic(int ec, const net::AtomicArguments& arguments, const void* symmetric,
                            void* result_out, uccs_request_t* request_out);

/// A put to symmetric memory and the signal, a symmetric word, that tells of it.
struct RemotePut {
  void* dest;
  const void* source;
  size_t bytes;
  uint64_t* signal;
  net::AtomicArguments arguments;
};

/// Looks in a row, for who waits for nothing else: each is a call of the kernel, of a fifth of a
/// microsecond, and what a round of progress takes beside its own is as much.
constexpr uint32_t kLooksAlone = 8;

/// For who waits for a flag that ECs of other nodes write (remote_store): kLooksAlone looks for
/// what comes over the network alone. True: something has come. Who waits on makes progress, too.
bool look_for(const net::Flag& flag);

/// An operation on symmetric memory of an EC of another node that its thread waits for: it goes to
/// the network at once and needs no request. Lives until it is over.
class Errand : net::Completion {
 public:
  Errand();
  Errand(const Errand&) = delete;
  Errand& operator=(const Errand&) = delete;

  // As every posting call, and UCCS_ERR_UNSUPPORTED: the network wants a request, or does not put
  // with signals.
  uccs_status_t get(Endpoint* from, void* dest, const void* source, size_t bytes);
  uccs_status_t fetch(Endpoint* at, const void* target, const net::AtomicArguments& arguments);
  uccs_status_t put_signal(int ec, const RemotePut& put);

  /// UCCS_IN_PROGRESS: it is under way. Made progress on by progress_idle, and by `await`.
  uccs_status_t status() const { return status_.load(std::memory_order_acquire); }
  /// As look_for, for its end.
  bool await() const;
  /// The old value in its low bytes, after `fetch`.
  uint64_t old_value() const { return old_value_; }

 private:
  const net::Transport* table_ = nullptr;
  net::Channel* path_ = nullptr;
  std::atomic<uccs_status_t> status_ = UCCS_IN_PROGRESS;
  uint64_t old_value_ = 0;
};

/// Completed by a flush. Answers as Errand::put_signal; the source is free if it is no longer than
/// UCCS_RMA_MEDIUM_MAX.
uccs_status_t remote_put_signal(int ec, const RemotePut& put);

/// Writes a word of symmetric memory of EC `ec`, which is on another node: at once, and whole. No
/// flush waits for it, only who reads it there. UCCS_AGAIN: not now.
uccs_status_t remote_store(int ec, void* symmetric, uint64_t value);

/// Accounts keep operations that contexts of models post by the job's context apart: they have one
/// each, as long as there are enough; 0 is that of all others.
constexpr uint8_t kAccounts = Pending::kBuckets;
/// Whose the requests of the calling thread are from now on, with a handle or without.
void charge(uint8_t account);
/// All that was charged to it is visible, and what was put without request on any. What was packed,
/// too: of threads that have packed on it, on any.
uccs_status_t flush_account(uint8_t account);

/// The name of the host of EC `ec`, for messages.
const char* host_of(int ec);

/// Why there is no job context where the job spans nodes.
const char* why_no_network();

/// From now on connections that break are no failure: the job has come to its end, and processes
/// leave without closing their contexts.
void expect_departures();

/// Forgets all of them; their context frees them.
void forget_remote_endpoints();

}  // namespace uccs::core
