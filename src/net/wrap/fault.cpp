// SPDX-License-Identifier: BSD-3-Clause
/// Makes a quick transport behave like a slow, busy and poor one, for tests: every fourth post
/// answers UCCS_AGAIN, operations on memory complete some calls of `progress` later, requests come
/// late, so that replies overtake them, private memory is out of reach, short messages want the
/// channel, and connecting takes an address.
#include <cstring>

#include "base/spinlock.hpp"
#include "net/wrap/forward.hpp"

namespace uccs::net::wrap {
namespace {

constexpr uint32_t kRefuseOneIn = 4;
constexpr int kDelayed = 16;  ///< completions held back per channel; beyond that they are immediate
constexpr int kDelayCalls = 3;
constexpr int kHoldCalls = 20;  ///< for which requests wait: a pass over all lanes
constexpr size_t kInjectMax = 64;

class FaultChannel : public ForwardChannel {
 public:
  uccs_status_t put(int ec, const Remote& dest, const void* source, size_t bytes,
                    Completion* completion) {
    if (dest.area == Area::kRegistered) return UCCS_ERR_UNSUPPORTED;
    if (refuses()) return UCCS_AGAIN;
    return delay(ForwardChannel::put(ec, dest, source, bytes, completion), completion);
  }
  uccs_status_t get(int ec, const Remote& source, void* dest, size_t bytes,
                    Completion* completion) {
    if (source.area == Area::kRegistered) return UCCS_ERR_UNSUPPORTED;
    if (refuses()) return UCCS_AGAIN;
    return delay(ForwardChannel::get(ec, source, dest, bytes, completion), completion);
  }
  uccs_status_t atomic(int ec, const Remote& target, const AtomicArguments& arguments,
                       uint64_t* result_out, Completion* completion) {
    if (target.area == Area::kRegistered) return UCCS_ERR_UNSUPPORTED;
    if (refuses()) return UCCS_AGAIN;
    return delay(ForwardChannel::atomic(ec, target, arguments, result_out, completion), completion);
  }
  uccs_status_t message(int ec, Envelope envelope, const void* head, size_t head_bytes,
                        const Payload* payload) {
    if (refuses()) return UCCS_AGAIN;
    return ForwardChannel::message(ec, envelope, head, head_bytes, payload);
  }
  uccs_status_t flush(int ec, Flush* flush) {
    lock_.lock();
    const bool is_idle = held_ == 0;
    lock_.unlock();
    return is_idle ? ForwardChannel::flush(ec, flush) : UCCS_IN_PROGRESS;
  }
  int progress(int lane, uint32_t traffic, int budget, const Sink& sink) {
    int completed = 0;
    while (Completion* due = take_due()) {
      due->done(due, UCCS_OK);
      ++completed;
    }
    return completed + look(lane, traffic, budget, sink);
  }

 private:
  static constexpr uint32_t kRequests = traffic_bit(Traffic::kRequest);

  int look(int lane, uint32_t traffic, int budget, const Sink& sink) {
    if ((traffic & kRequests) == 0) return ForwardChannel::progress(lane, traffic, budget, sink);
    const int calls_left = hold_.load(std::memory_order_relaxed);
    if (calls_left > 0) {
      hold_.store(calls_left - 1, std::memory_order_relaxed);
      return ForwardChannel::progress(lane, traffic & ~kRequests, budget, sink);
    }
    const int came = ForwardChannel::progress(lane, kRequests, budget, sink);
    if (came > 0) hold_.store(kHoldCalls, std::memory_order_relaxed);
    return came + ForwardChannel::progress(lane, traffic & ~kRequests, budget, sink);
  }

  /// A fixed sequence per channel, so that a failing test fails again. Messages may be posted by
  /// several threads at once.
  bool refuses() {
    uint32_t state = sequence_.load(std::memory_order_relaxed);
    state = state * 1664525u + 1013904223u;
    sequence_.store(state, std::memory_order_relaxed);
    return (state >> 16) % kRefuseOneIn == 0;
  }

  uccs_status_t delay(uccs_status_t status, Completion* completion) {
    if (status != UCCS_OK || !completion) return status;
    lock_.lock();
    const bool has_room = held_ < kDelayed;
    if (has_room) queue_[(first_ + held_++) % kDelayed] = {completion, kDelayCalls};
    lock_.unlock();
    return has_room ? UCCS_IN_PROGRESS : UCCS_OK;
  }

  /// The oldest completion, once it has waited long enough.
  Completion* take_due() {
    lock_.lock();
    Completion* due = nullptr;
    if (held_ > 0 && queue_[first_].calls_left-- <= 0) {
      due = queue_[first_].completion;
      first_ = (first_ + 1) % kDelayed;
      --held_;
    }
    lock_.unlock();
    return due;
  }

  struct Held {
    Completion* completion;
    int calls_left;
  };
  std::atomic<uint32_t> sequence_ = 1;
  std::atomic<int> hold_ = 0;
  base::SpinLock lock_;  // guards what follows
  Held queue_[kDelayed] = {};
  int first_ = 0;
  int held_ = 0;
};

/// What `address` says, so that a peer can verify that it got the right one.
struct Address {
  uint32_t magic;
  int32_t ec;
};
constexpr uint32_t kMagic = 0x464c5431;

class Fault : public Forward<FaultChannel> {
 public:
  static Capabilities describe(const Shape& shape, const Transport* const* inner) {
    Capabilities can = Forward::describe(shape, inner);
    can.short_is_shared = false;
    can.inject_max = kInjectMax;
    return can;
  }
  size_t address(void* buffer, size_t capacity) {
    const Address mine = {kMagic, parameters_.me};
    if (capacity < sizeof mine) return 0;
    memcpy(buffer, &mine, sizeof mine);
    inner_bytes_ =
        Forward::address(static_cast<std::byte*>(buffer) + sizeof mine, capacity - sizeof mine);
    return sizeof mine + inner_bytes_;
  }
  uccs_status_t connect(const Peer& peer) {
    Peer bare = peer;
    bare.address_bytes = 0;
    if (inner_bytes_ > 0 && peer.address_bytes == 0) return Forward::connect(bare);  // asks later
    Address theirs;
    std::byte own[sizeof theirs];
    const void* bytes = peer.address;
    size_t length = peer.address_bytes;
    if (length == 0 && parameters_.find_address) {
      length = parameters_.find_address(parameters_.user, peer.ec, own, sizeof own);
      bytes = own;
    }
    if (length != sizeof theirs + inner_bytes_) return UCCS_ERR_INVALID;
    memcpy(&theirs, bytes, sizeof theirs);
    if (theirs.magic != kMagic || theirs.ec != peer.ec) return UCCS_ERR_INVALID;
    if (inner_bytes_ > 0) {
      bare.address = static_cast<const std::byte*>(bytes) + sizeof theirs;
      bare.address_bytes = inner_bytes_;
    }
    return Forward::connect(bare);
  }
  static uccs_status_t open(const OpenParameters& parameters, Fault** instance_out) {
    return open_wrapped(parameters, instance_out);
  }
  /// Who has looked may not sleep until something comes: it may be there.
  std::atomic<uint32_t>* arm(int, bool) { return nullptr; }
  void prepare(OpenParameters* next) {
    next->find_address = find_inner;
    next->user = this;
  }
  void close() {
    table_->close(inner_);
    delete this;
  }

 private:
  /// OpenParameters::find_address of the wrapped transport: what follows our own part.
  static size_t find_inner(void* user, int ec, void* buffer, size_t capacity) {
    const OpenParameters& mine = static_cast<Fault*>(user)->parameters_;
    if (!mine.find_address) return 0;
    const size_t room = capacity + sizeof(Address);
    std::unique_ptr<std::byte[]> whole(new (std::nothrow) std::byte[room]);
    const size_t bytes = whole ? mine.find_address(mine.user, ec, whole.get(), room) : 0;
    if (bytes <= sizeof(Address)) return 0;
    memcpy(buffer, whole.get() + sizeof(Address), bytes - sizeof(Address));
    return bytes - sizeof(Address);
  }

  size_t inner_bytes_ = 0;
};

}  // namespace

extern constinit const Transport fault = make_transport<Fault>("fault");

}  // namespace uccs::net::wrap
