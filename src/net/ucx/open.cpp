// SPDX-License-Identifier: BSD-3-Clause
/// Opening and closing, addresses, and what peers have told.
#include <stdio.h>
#include <string.h>

#include <algorithm>
#include <new>

#include "base/clock.hpp"
#include "base/config.hpp"
#include "base/config_values.hpp"
#include "base/log.hpp"
#include "net/ucx/ucx.hpp"

namespace uccs::net::ucx {

Capabilities Ucx::describe(const Shape&, const Transport* const*) {
  Capabilities all = network_capabilities("UCX: InfiniBand, RoCE, tcp");
  all.batch_bytes = kBatchBytes;
  return all;
}

uccs_status_t Ucx::open(const OpenParameters& parameters, Ucx** instance_out) {
  base::log_set_identity(parameters.me, parameters.num_ecs);
  auto* self = new (std::nothrow) Ucx;
  if (!self) return UCCS_ERR_NO_MEMORY;
  const ucs_status_t status =
      self->library_.start({parameters.provider, base::config().net_interface,
                            parameters.is_one_host, parameters.num_ecs});
  if (status != UCS_OK) {
    const char* interface = base::config().net_interface;
    base::log_line(
        base::LogLevel::kError,
        "no network: UCX does not start%s%s: %s; UCX_TLS and UCX_NET_DEVICES, or UCCS_NET "
        "and UCCS_NET_INTERFACE, choose; UCX_LOG_LEVEL=info tells more",
        *interface ? " on interface " : "", interface, ucs_status_string(status));
    delete self;
    return UCCS_ERR_NOT_FOUND;
  }
  char text[256];
  self->library_.describe(text, sizeof text);
  base::log_line(base::LogLevel::kInfo, "network: %s", text);
  if (!self->start(parameters)) {
    base::log_line(base::LogLevel::kError,
                   "the network (%s) cannot be opened; UCCS_NET chooses another", text);
    delete self;
    return UCCS_ERR_SYSTEM;
  }
  *instance_out = self;
  return UCCS_OK;
}

bool Ucx::start(const OpenParameters& parameters) {
  me_ = parameters.me;
  num_ecs_ = parameters.num_ecs;
  shape_ = parameters.shape;
  may_differ_in_lanes_ = parameters.may_differ_in_lanes;
  is_one_host_ = parameters.is_one_host;
  is_crowded_ = parameters.is_crowded;
  apply_batch_ = parameters.apply_batch;
  user_ = parameters.user;
  inlets_max_ = std::min({shape_.lanes, shape_.channels, kWorkersMax});
  channels_.reset(new (std::nothrow) ucx::Channel[static_cast<size_t>(workers_max())]);
  const Peers<PeerState>::Reader reader = {
      .user = this,
      .address_max = kAddressMax,
      .read =
          [](void* user, PeerState& peer, const std::byte* bytes, size_t length) {
            return static_cast<Ucx*>(user)->read_address(peer, bytes, length);
          },
  };
  const MailOptions mail = {
      .me = me_,
      .num_ecs = num_ecs_,
      .lanes = shape_.lanes,
      .user = this,
      .send_credits =
          [](void* user, int ec, int lane, const Returned& returned) {
            return static_cast<Ucx*>(user)->send_credits(ec, lane, returned);
          },
      .control = [](void* user, int source,
                    MessageKind kind) { static_cast<Ucx*>(user)->take_control(source, kind); },
  };
  if (!channels_ || !peers_.start(parameters, reader) || !mail_.start(mail)) return false;
  heap_ = parameters.heap;
  if (!map_chunk(0) || !library_.map(parameters.statics, &statics_)) {
    base::log_line(
        base::LogLevel::kError,
        "UCX does not map the first %zu bytes of the symmetric heap, or the globals (%zu "
        "bytes): networks that pin memory need `ulimit -l unlimited`",
        std::min<size_t>(heap_.bytes, kFirstChunk), parameters.statics.bytes);
    return false;
  }
  const Engine::Duties duties = {
      .user = this,
      .shares_cpus = !parameters.has_spare_cpus,
      .count = [](void* user,
                  const Engine::Share& share) { return static_cast<Ucx*>(user)->count(share); },
      .collect = [](void* user, Engine::Watch& watch) { static_cast<Ucx*>(user)->collect(watch); },
      .look = [](void* user,
                 const Engine::Look& look) { return static_cast<Ucx*>(user)->look(look); },
  };
  return start_inlets() && engine_.start(duties, inlets_);
}

/// As many as there are lanes to serve, and as fit into the address.
bool Ucx::start_inlets() {
  for (inlets_ = 0; inlets_ < inlets_max_; ++inlets_) {
    if (!channels_[inlets_].start(this, inlets_)) return false;
    std::byte buffer[kAddressMax];
    const size_t length = write_address(buffer, sizeof buffer, inlets_ + 1);
    if (length == 0) return inlets_ > 0;
  }
  return true;
}

size_t Ucx::write_address(void* buffer, size_t capacity, int inlets) {
  AddressWriter out(buffer, capacity);
  out.head({kMagic, mail_.cookie(), reinterpret_cast<uint64_t>(heap_.base), heap_.bytes,
            reinterpret_cast<uint64_t>(statics_.memory.base), statics_.memory.bytes,
            static_cast<uint32_t>(shape_.lanes), static_cast<uint16_t>(inlets),
            Library::version()});
  out.field(chunks_[0].key, chunks_[0].key_bytes);
  out.field(statics_.key, statics_.key_bytes);
  for (int i = 0; i < inlets; ++i) {
    ucp_worker_attr_t attributes = {};
    attributes.field_mask = UCP_WORKER_ATTR_FIELD_ADDRESS | UCP_WORKER_ATTR_FIELD_ADDRESS_FLAGS;
    // Nodes share no memory: nobody who asks for this address is on this one.
    attributes.address_flags = is_one_host_ ? 0 : UCP_WORKER_ADDRESS_FLAG_NET_ONLY;
    const std::lock_guard guard(*channels_[i].lock_);
    if (ucp_worker_query(channels_[i].worker_, &attributes) != UCS_OK) return 0;
    out.field(attributes.address, attributes.address_length);
    ucp_worker_release_address(channels_[i].worker_, attributes.address);
  }
  return out.length();
}

size_t Ucx::address(void* buffer, size_t capacity) {
  const size_t length = write_address(buffer, capacity, inlets_);
  if (length == 0)
    base::log_line(base::LogLevel::kError,
                   "UCX's addresses take more than %zu bytes: fewer devices (UCX_NET_DEVICES) or "
                   "lanes (UCCS_LANES) make them shorter",
                   capacity);
  return length;
}

Ucx::~Ucx() {
  engine_.stop();
  for (int i = 0; channels_ && i < workers_max(); ++i) channels_[i].stop();
  for (Mapped& chunk : chunks_) library_.unmap(chunk);
  library_.unmap(statics_);
}

void Ucx::close() {
  constexpr uint64_t kCloseNs = 5'000'000'000;
  is_closing_.store(true, std::memory_order_relaxed);
  say_farewell(base::now_ns() + kCloseNs);
  delete this;
}

bool Ucx::read_address(PeerState& peer, const std::byte* bytes, size_t length) const {
  if (!peer.address.read(bytes, length)) return false;
  if (const unsigned theirs = peer.address.head().ucx, ours = Library::version(); theirs != ours) {
    base::log_line(base::LogLevel::kError,
                   "another EC has UCX %u.%u, this one has %u.%u, and they do not understand each "
                   "other: LD_LIBRARY_PATH, and what is installed, must be the same everywhere",
                   theirs >> 8, theirs & 255, ours >> 8, ours & 255);
    return false;
  }
  const int lanes = static_cast<int>(peer.address.head().lanes),
            workers = peer.address.head().workers;
  // Its lane of a number is served by its worker of that number modulo all of them.
  peer.workers = std::min(workers, inlets_max_);
  peer.lanes = std::min(lanes, workers > inlets_max_ ? inlets_max_ : shape_.lanes);
  return may_differ_in_lanes_ || (lanes == shape_.lanes && workers <= inlets_max_);
}

uccs_status_t Ucx::connect(const Peer& peer) { return peers_.connect(peer); }

uccs_status_t Ucx::open_channel(int index, ucx::Channel** channel_out) {
  const std::lock_guard guard(channels_lock_);
  ucx::Channel& channel = channels_[index];
  const bool is_open = channel.is_open_.load(std::memory_order_relaxed);
  if (!is_open && !channel.start(this, index)) return UCCS_ERR_NO_MEMORY;
  // Release: pairs with flush.
  opened_.store(std::max(opened_.load(std::memory_order_relaxed), index + 1),
                std::memory_order_release);
  *channel_out = &channel;
  return UCCS_OK;
}

/// nullptr: none can be made.
ucx::Channel* Ucx::open_bulk(int inlet) {
  const std::lock_guard guard(channels_lock_);
  ucx::Channel& channel = channels_[shape_.channels + inlet];
  const bool is_open = channel.is_open_.load(std::memory_order_relaxed);
  return is_open || channel.start(this, inlet) ? &channel : nullptr;
}

// Private memory is reached over messages.
uccs_status_t Ucx::register_memory(void*, size_t, uint64_t* key_out) {
  *key_out = 0;
  return UCCS_OK;
}
void Ucx::release_memory(uint64_t) {}

}  // namespace uccs::net::ucx
