// SPDX-License-Identifier: BSD-3-Clause
/// Counts what passes and logs the sums when the instance is closed.
#include <atomic>

#include "base/log.hpp"
#include "net/wrap/forward.hpp"

namespace uccs::net::wrap {
namespace {

/// One operation's numbers, written by all channels.
struct Count {
  std::atomic<uint64_t> calls = 0;
  std::atomic<uint64_t> bytes = 0;
  std::atomic<uint64_t> refused = 0;  ///< UCCS_AGAIN

  uccs_status_t note(uccs_status_t status, size_t moved) {
    if (status == UCCS_AGAIN) {
      refused.fetch_add(1, std::memory_order_relaxed);
    } else {
      calls.fetch_add(1, std::memory_order_relaxed);
      bytes.fetch_add(moved, std::memory_order_relaxed);
    }
    return status;
  }
};

struct Counts {
  Count puts, gets, atomics, arrivals, messages[kTrafficClasses];
};

struct TraceChannel : ForwardChannel {
  Counts& counts() { return *static_cast<Counts*>(owner); }

  uccs_status_t put(int ec, const Remote& dest, const void* source, size_t bytes,
                    Completion* completion) {
    return counts().puts.note(ForwardChannel::put(ec, dest, source, bytes, completion), bytes);
  }
  uccs_status_t get(int ec, const Remote& source, void* dest, size_t bytes,
                    Completion* completion) {
    return counts().gets.note(ForwardChannel::get(ec, source, dest, bytes, completion), bytes);
  }
  uccs_status_t atomic(int ec, const Remote& target, const AtomicArguments& arguments,
                       uint64_t* result_out, Completion* completion) {
    return counts().atomics.note(
        ForwardChannel::atomic(ec, target, arguments, result_out, completion),
        base::atomic_size(arguments.type));
  }
  uccs_status_t message(int ec, Envelope envelope, const void* head, size_t head_bytes,
                        const Payload* payload) {
    const size_t bytes = head_bytes + (payload ? payload->bytes : 0);
    Count& count = counts().messages[static_cast<int>(envelope.traffic())];
    return count.note(ForwardChannel::message(ec, envelope, head, head_bytes, payload), bytes);
  }
  int progress(int lane, uint32_t traffic, int budget, const Sink& sink) {
    struct Counting {
      const Sink& outer;
      Count& count;
    } counting = {sink, counts().arrivals};
    const Sink counted = {[](void* user, const Arrival& arrival) {
                            auto* self = static_cast<Counting*>(user);
                            const bool is_taken = self->outer.arrive(self->outer.user, arrival);
                            (void)self->count.note(is_taken ? UCCS_OK : UCCS_AGAIN,
                                                   arrival.head_bytes + arrival.payload_bytes);
                            return is_taken;
                          },
                          &counting};
    return ForwardChannel::progress(lane, traffic, budget, counted);
  }
};

class Trace : public Forward<TraceChannel> {
 public:
  static uccs_status_t open(const OpenParameters& parameters, Trace** instance_out) {
    return open_wrapped(parameters, instance_out);
  }
  uccs_status_t open_channel(int index, Channel** channel_out) {
    const uccs_status_t status = Forward::open_channel(index, channel_out);
    if (status == UCCS_OK) (*channel_out)->owner = &counts_;
    return status;
  }
  void close() {
    report("put", counts_.puts);
    report("get", counts_.gets);
    report("atomic", counts_.atomics);
    report("reply", counts_.messages[static_cast<int>(Traffic::kReply)]);
    report("request", counts_.messages[static_cast<int>(Traffic::kRequest)]);
    report("send", counts_.messages[static_cast<int>(Traffic::kSend)]);
    report("arrival", counts_.arrivals);
    table_->close(inner_);
    delete this;
  }

 private:
  void report(const char* what, const Count& count) const {
    base::log_line(base::LogLevel::kInfo, "trace of %s: %-8s %llu calls, %llu bytes, %llu refused",
                   table_->name, what, static_cast<unsigned long long>(count.calls.load()),
                   static_cast<unsigned long long>(count.bytes.load()),
                   static_cast<unsigned long long>(count.refused.load()));
  }

  Counts counts_;
};

}  // namespace

extern constinit const Transport trace = make_transport<Trace>("trace");

}  // namespace uccs::net::wrap
