// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include <memory>
#include <new>

#include "net/transport_class.hpp"

/// What every decorator is made from: a transport that passes all operations on to the one it
/// wraps. A decorator declares the members it changes; they hide those of these classes, and
/// `make_transport` sees the hiding ones.
namespace uccs::net::wrap {

struct ForwardChannel {
  const Transport* table = nullptr;
  net::Channel* inner = nullptr;
  void* owner = nullptr;  ///< the decorator

  uccs_status_t put(int ec, const Remote& dest, const void* source, size_t bytes,
                    Completion* completion) {
    return table->put(inner, ec, dest, source, bytes, completion);
  }
  uccs_status_t get(int ec, const Remote& source, void* dest, size_t bytes,
                    Completion* completion) {
    return table->get(inner, ec, source, dest, bytes, completion);
  }
  uccs_status_t atomic(int ec, const Remote& target, const AtomicArguments& arguments,
                       uint64_t* result_out, Completion* completion) {
    return table->atomic(inner, ec, target, arguments, result_out, completion);
  }
  uccs_status_t message(int ec, Envelope envelope, const void* head, size_t head_bytes,
                        const Payload* payload) {
    return table->message(inner, ec, envelope, head, head_bytes, payload);
  }
  uccs_status_t flush(int ec, Flush* flush) { return table->flush(inner, ec, flush); }
  int progress(int lane, uint32_t traffic, int budget, const Sink& sink) {
    return table->progress(inner, lane, traffic, budget, sink);
  }
  bool await(const Flag& flag, int looks) { return table->await(inner, flag, looks); }
};

template <typename ChannelType>
class Forward {
 public:
  using Channel = ChannelType;

  static Capabilities describe(const Shape& shape, const Transport* const* inner) {
    Capabilities can = inner[0]->describe(shape, inner + 1);
    can.batch_bytes = 0;  // decorators look at operations one by one
    return can;
  }
  size_t address(void* buffer, size_t capacity) {
    return table_->address(inner_, buffer, capacity);
  }
  uccs_status_t connect(const Peer& peer) { return table_->connect(inner_, peer); }
  uccs_status_t register_memory(void* base, size_t bytes, uint64_t* key_out) {
    return table_->register_memory(inner_, base, bytes, key_out);
  }
  void release_memory(uint64_t key) { table_->release_memory(inner_, key); }
  uccs_status_t open_channel(int index, Channel** channel_out) {
    Channel& channel = channels_[index];
    channel.table = table_;
    channel.owner = this;
    const uccs_status_t status = table_->open_channel(inner_, index, &channel.inner);
    if (status == UCCS_OK) *channel_out = &channel;
    return status;
  }
  void release(void* token) { table_->release(inner_, token); }
  std::atomic<uint32_t>* arm(int lane, bool is_waiting) {
    return table_->arm(inner_, lane, is_waiting);
  }

 protected:
  /// `Self::open` of a decorator without settings of its own.
  template <typename Self>
  static uccs_status_t open_wrapped(const OpenParameters& parameters, Self** instance_out) {
    std::unique_ptr<Self> self(new (std::nothrow) Self);
    if (!self) return UCCS_ERR_NO_MEMORY;
    self->channels_.reset(new (std::nothrow)
                              Channel[static_cast<size_t>(parameters.shape.channels)]);
    if (!self->channels_) return UCCS_ERR_NO_MEMORY;
    self->table_ = parameters.inner[0];
    self->parameters_ = parameters;
    OpenParameters next = parameters;
    next.inner = parameters.inner + 1;
    self->prepare(&next);
    const uccs_status_t status = self->table_->open(next, &self->inner_);
    if (status == UCCS_OK) *instance_out = self.release();
    return status;
  }

  /// Before the wrapped transport is opened.
  void prepare(OpenParameters*) {}

  const Transport* table_ = nullptr;
  Instance* inner_ = nullptr;
  OpenParameters parameters_;
  std::unique_ptr<Channel[]> channels_;
};

}  // namespace uccs::net::wrap
