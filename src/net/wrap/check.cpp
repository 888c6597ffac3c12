// SPDX-License-Identifier: BSD-3-Clause
/// Verifies the arguments of every operation against the contract: says what is wrong in one line
/// and answers with an error instead of passing it on.
#include <stdarg.h>
#include <stdio.h>

#include <atomic>

#include "base/log.hpp"
#include "net/wrap/forward.hpp"

namespace uccs::net::wrap {
namespace {

[[gnu::format(printf, 2, 3)]] uccs_status_t complain(uccs_status_t status, const char* format,
                                                     ...) {
  char text[256];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(text, sizeof text, format, arguments);
  va_end(arguments);
  base::log_line(base::LogLevel::kError, "check: %s", text);
  return status;
}

/// What the channels need of the decorator.
struct Rules {
  OpenParameters parameters;
  Capabilities limits;
  std::unique_ptr<std::atomic<bool>[]> is_connected;

  uccs_status_t check_peer(int ec) const {
    if (ec < 0 || ec >= parameters.num_ecs)
      return complain(UCCS_ERR_INVALID, "there is no EC %d (of %d)", ec, parameters.num_ecs);
    if (!is_connected[ec].load(std::memory_order_relaxed))
      return complain(UCCS_ERR_INVALID, "EC %d is not connected", ec);
    return UCCS_OK;
  }
  uccs_status_t check_range(const Remote& remote, size_t bytes) const {
    if (remote.area == Area::kRegistered) return UCCS_OK;
    const Extent& area = remote.area == Area::kHeap ? parameters.heap : parameters.statics;
    if (remote.offset <= area.bytes && bytes <= area.bytes - remote.offset) return UCCS_OK;
    return complain(UCCS_ERR_ADDRESS, "%zu bytes at offset %zu leave their area of %zu bytes",
                    bytes, static_cast<size_t>(remote.offset), area.bytes);
  }
};

class CheckChannel : public ForwardChannel {
 public:
  uccs_status_t put(int ec, const Remote& dest, const void* source, size_t bytes,
                    Completion* completion) {
    const uccs_status_t wrong = check_memory("put", ec, dest, source, bytes);
    return wrong ? wrong : ForwardChannel::put(ec, dest, source, bytes, completion);
  }
  uccs_status_t get(int ec, const Remote& source, void* dest, size_t bytes,
                    Completion* completion) {
    const uccs_status_t wrong = check_memory("get", ec, source, dest, bytes);
    return wrong ? wrong : ForwardChannel::get(ec, source, dest, bytes, completion);
  }
  uccs_status_t atomic(int ec, const Remote& target, const AtomicArguments& arguments,
                       uint64_t* result_out, Completion* completion) {
    const size_t bytes = base::atomic_size(arguments.type);
    uccs_status_t wrong = rules().check_peer(ec);
    if (wrong) return wrong;
    if (target.offset % bytes != 0)
      return complain(UCCS_ERR_INVALID, "atomic at offset %zu is not aligned to its %zu bytes",
                      static_cast<size_t>(target.offset), bytes);
    wrong = rules().check_range(target, bytes);
    return wrong ? wrong : ForwardChannel::atomic(ec, target, arguments, result_out, completion);
  }
  uccs_status_t message(int ec, Envelope envelope, const void* head, size_t head_bytes,
                        const Payload* payload) {
    const Capabilities& limits = rules().limits;
    if (const uccs_status_t wrong = rules().check_peer(ec)) return wrong;
    if (envelope.lane() >= rules().parameters.shape.lanes)
      return complain(UCCS_ERR_INVALID, "there is no lane %d (of %d)", envelope.lane(),
                      rules().parameters.shape.lanes);
    const size_t head_limit = payload ? limits.head_with_payload_max : limits.head_max;
    if (head_bytes > head_limit)
      return complain(UCCS_ERR_INVALID, "head of %zu bytes, %zu are the limit", head_bytes,
                      head_limit);
    if (payload) {
      size_t sum = 0;
      for (size_t i = 0; i < payload->count; ++i) sum += payload->pieces[i].bytes;
      if (sum != payload->bytes || sum > limits.medium_max)
        return complain(UCCS_ERR_INVALID, "payload of %zu bytes, announced as %zu, %u at most", sum,
                        payload->bytes, limits.medium_max);
    }
    return ForwardChannel::message(ec, envelope, head, head_bytes, payload);
  }
  uccs_status_t flush(int ec, Flush* flush) {
    const uccs_status_t wrong = ec == -1 ? UCCS_OK : rules().check_peer(ec);
    return wrong ? wrong : ForwardChannel::flush(ec, flush);
  }
  int progress(int lane, uint32_t traffic, int budget, const Sink& sink) {
    if (lane < 0 || lane >= rules().parameters.shape.lanes || budget < 0 || !sink.arrive) {
      (void)complain(UCCS_ERR_INVALID, "progress on lane %d with budget %d", lane, budget);
      return 0;
    }
    return ForwardChannel::progress(lane, traffic, budget, sink);
  }

 private:
  const Rules& rules() const { return *static_cast<const Rules*>(owner); }

  uccs_status_t check_memory(const char* call, int ec, const Remote& remote, const void* local,
                             size_t bytes) const {
    if (const uccs_status_t wrong = rules().check_peer(ec)) return wrong;
    if (!local && bytes > 0)
      return complain(UCCS_ERR_INVALID, "%s of %zu bytes with a null buffer", call, bytes);
    return rules().check_range(remote, bytes);
  }
};

class Check : public Forward<CheckChannel> {
 public:
  static uccs_status_t open(const OpenParameters& parameters, Check** instance_out) {
    Check* self = nullptr;
    const uccs_status_t status = open_wrapped(parameters, &self);
    if (status != UCCS_OK) return status;
    self->rules_.parameters = parameters;
    self->rules_.limits = describe(parameters.shape, parameters.inner);
    self->rules_.is_connected.reset(
        new (std::nothrow) std::atomic<bool>[static_cast<size_t>(parameters.num_ecs)]());
    if (!self->rules_.is_connected) {
      self->close();
      return UCCS_ERR_NO_MEMORY;
    }
    *instance_out = self;
    return UCCS_OK;
  }
  void close() {
    table_->close(inner_);
    delete this;
  }
  uccs_status_t connect(const Peer& peer) {
    if (peer.ec < 0 || peer.ec >= parameters_.num_ecs)
      return complain(UCCS_ERR_INVALID, "there is no EC %d (of %d)", peer.ec, parameters_.num_ecs);
    const uccs_status_t status = Forward::connect(peer);
    if (status == UCCS_OK) rules_.is_connected[peer.ec].store(true, std::memory_order_relaxed);
    return status;
  }
  uccs_status_t open_channel(int index, Channel** channel_out) {
    if (index < 0 || index >= parameters_.shape.channels)
      return complain(UCCS_ERR_INVALID, "there is no channel %d (of %d)", index,
                      parameters_.shape.channels);
    const uccs_status_t status = Forward::open_channel(index, channel_out);
    if (status == UCCS_OK) (*channel_out)->owner = &rules_;
    return status;
  }

 private:
  Rules rules_;
};

}  // namespace

extern constinit const Transport check = make_transport<Check>("check");

}  // namespace uccs::net::wrap
