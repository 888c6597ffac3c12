// SPDX-License-Identifier: BSD-3-Clause
/// Opening, connecting, and the operations on memory. Messages are in message.cpp.
#include "net/shm/shm.hpp"

#include <unistd.h>

#include <new>

#include "base/backoff.hpp"
#include "mem/copy.hpp"
#include "net/transport_class.hpp"

namespace uccs::net::shm {

Capabilities Shm::describe(const Shape& shape, const Transport* const*) {
  return {
      .description = "loads, stores and rings in memory that the ECs of a node share",
      .has_put_get = true,
      .has_atomics = true,
      .is_same_node = true,
      .short_is_shared = true,
      .head_max = kHeadMax,
      .head_with_payload_max = kHeadWithPayloadMax,
      .medium_max = kMediumMax,
      .inject_max = SIZE_MAX,
      .inbox_bytes = inbox_bytes(shape),
  };
}

uccs_status_t Shm::open(const OpenParameters& parameters, Shm** instance_out) {
  const Shape shape = parameters.shape;
  if (parameters.num_ecs > kMaxEcs) return UCCS_ERR_UNSUPPORTED;
  if (inbox_bytes(shape) > UINT32_MAX) return UCCS_ERR_NO_MEMORY;  // Descriptor::offset
  auto* self = new (std::nothrow) Shm;
  if (!self) return UCCS_ERR_NO_MEMORY;
  self->me_ = parameters.me;
  self->shape_ = shape;
  self->peers_ = base::make_sparse<Mapped>(static_cast<size_t>(parameters.num_ecs));
  self->consumers_.reset(new (std::nothrow)
                             Consumer[static_cast<size_t>(shape.lanes) * kTrafficClasses]);
  self->channels_.reset(new (std::nothrow) Channel[static_cast<size_t>(shape.channels)]);
  if (!self->peers_ || !self->consumers_ || !self->channels_) {
    delete self;
    return UCCS_ERR_NO_MEMORY;
  }
  self->peers_[self->me_] = {parameters.inbox, parameters.heap.base, parameters.statics.base};
  for (int lane = 0; lane < shape.lanes; ++lane) {
    for (int traffic = 0; traffic < kTrafficClasses; ++traffic) {
      Consumer& consumer = self->consumers_[lane * kTrafficClasses + traffic];
      consumer.ring = self->ring_of(self->me_, lane, static_cast<Traffic>(traffic));
      // An inbox that was used before goes on where it was.
      consumer.published = consumer.ring.published_head();
      consumer.position.store(consumer.published, std::memory_order_relaxed);
    }
  }
  // Release: who finds the pid set may rely on nothing else, but TSan shall see the pairing.
  self->header_of(self->me_).pid.store(getpid(), std::memory_order_release);
  *instance_out = self;
  return UCCS_OK;
}

void Shm::close() {
  for (int i = 0; i < shape_.lanes * kTrafficClasses; ++i) {
    Consumer& consumer = consumers_[i];
    consumer.ring.publish(consumer.position.load(std::memory_order_relaxed), &consumer.published);
  }
  delete this;
}

size_t Shm::address(void*, size_t) { return 0; }

uccs_status_t Shm::connect(const Peer& peer) {
  if (!peer.inbox) return UCCS_ERR_UNSUPPORTED;
  peers_[peer.ec] = {peer.inbox, peer.heap, peer.statics};
  return UCCS_OK;
}

// Cross-memory attach needs no preparation.
uccs_status_t Shm::register_memory(void*, size_t, uint64_t* key_out) {
  *key_out = 0;
  return UCCS_OK;
}
void Shm::release_memory(uint64_t) {}

uccs_status_t Shm::open_channel(int index, Channel** channel_out) {
  Channel* channel = &channels_[index];
  channel->owner_ = this;
  channel->index_ = index;
  *channel_out = channel;
  return UCCS_OK;
}

std::byte* Shm::mapped(int ec, const Remote& remote) const {
  switch (remote.area) {
    case Area::kHeap:
      return peers_[ec].heap + remote.offset;
    case Area::kStatic:
      return peers_[ec].statics + remote.offset;
    case Area::kRegistered:
      break;
  }
  return ec == me_ ? reinterpret_cast<std::byte*>(remote.offset) : nullptr;
}

uccs_status_t Shm::Channel::put(int ec, const Remote& dest, const void* source, size_t bytes,
                                Completion*) {
  if (std::byte* at = owner_->mapped(ec, dest)) {
    mem::copy(at, source, bytes);
    return UCCS_OK;
  }
  // cross_copy reads from `source` only.
  return cross_copy(owner_->header_of(ec).pid.load(std::memory_order_acquire),
                    const_cast<void*>(source), dest.offset, bytes, true);
}

uccs_status_t Shm::Channel::get(int ec, const Remote& source, void* dest, size_t bytes,
                                Completion*) {
  if (const std::byte* at = owner_->mapped(ec, source)) {
    mem::copy(dest, at, bytes);
    return UCCS_OK;
  }
  return cross_copy(owner_->header_of(ec).pid.load(std::memory_order_acquire), dest, source.offset,
                    bytes, false);
}

uccs_status_t Shm::Channel::atomic(int ec, const Remote& target, const AtomicArguments& arguments,
                                   uint64_t* result_out, Completion*) {
  std::byte* at = owner_->mapped(ec, target);
  if (!at) return UCCS_ERR_UNSUPPORTED;
  const uint64_t old = base::atomic_apply_any(arguments.op, arguments.type, at, arguments.operand,
                                              arguments.expected);
  if (result_out) *result_out = old;
  return UCCS_OK;
}

// Every operation is complete when it returns; the fence makes that true for other CPUs too.
uccs_status_t Shm::Channel::flush(int, Flush*) {
  std::atomic_thread_fence(std::memory_order_seq_cst);
  return UCCS_OK;
}

std::atomic<uint32_t>* Shm::arm(int lane, bool is_waiting) {
  for (int traffic = 0; traffic < kTrafficClasses; ++traffic)
    consumers_[lane * kTrafficClasses + traffic].ring.add_sleeper(is_waiting ? 1u : ~0u);
  return &header_of(me_).doorbell;
}

void Shm::ring_doorbell(int ec) {
  std::atomic<uint32_t>* doorbell = &header_of(ec).doorbell;
  doorbell->fetch_add(1, std::memory_order_release);
  base::wake_all(doorbell);
}

extern constinit const Transport transport = make_transport<Shm>("shm");

}  // namespace uccs::net::shm
