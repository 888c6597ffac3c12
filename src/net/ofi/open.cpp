// SPDX-License-Identifier: BSD-3-Clause
/// Opening and closing, addresses, and what peers have told.
#include <stdio.h>
#include <string.h>

#include <algorithm>
#include <new>

#include "base/backoff.hpp"
#include "base/clock.hpp"
#include "base/config.hpp"
#include "base/config_values.hpp"
#include "base/log.hpp"
#include "net/ofi/ofi.hpp"

namespace uccs::net::ofi {
namespace {

constexpr uint64_t kCloseNs = 5'000'000'000;

}  // namespace

Capabilities Ofi::describe(const Shape&, const Transport* const*) {
  Capabilities all = network_capabilities("libfabric: InfiniBand, EFA, Slingshot, Omni-Path, tcp");
  all.batch_bytes = kBatchBytes;
  return all;
}

uccs_status_t Ofi::open(const OpenParameters& parameters, Ofi** instance_out) {
  base::log_set_identity(parameters.me, parameters.num_ecs);
  char reason[160];
  const Wish wish = {parameters.provider, base::config().net_interface, parameters.is_one_host};
  fi_info* info = choose(wish, reason, sizeof reason);
  if (!info) {
    base::log_line(base::LogLevel::kError,
                   "no network: %s; `fi_info -t FI_EP_RDM -c FI_RMA` lists what there is, UCCS_NET "
                   "and UCCS_NET_INTERFACE choose",
                   reason);
    return UCCS_ERR_NOT_FOUND;
  }
  base::log_line(base::LogLevel::kInfo, "network: %s", reason);
  auto* self = new (std::nothrow) Ofi;
  if (!self) {
    fi_freeinfo(info);
    return UCCS_ERR_NO_MEMORY;
  }
  self->fabric_.reset(new (std::nothrow) Fabric(info, parameters.heap, parameters.statics));
  self->me_ = parameters.me;
  self->num_ecs_ = parameters.num_ecs;
  self->shape_ = parameters.shape;
  self->may_differ_in_lanes_ = parameters.may_differ_in_lanes;
  self->is_crowded_ = parameters.is_crowded;
  self->apply_batch_ = parameters.apply_batch;
  self->user_ = parameters.user;
  self->inlets_.reset(new (std::nothrow) Inlet[static_cast<size_t>(parameters.shape.lanes)]);
  self->channels_.reset(new (std::nothrow) Channel[static_cast<size_t>(parameters.shape.channels)]);
  const Peers<PeerState>::Reader reader = {
      .user = self,
      .address_max = kAddressMax,
      .read =
          [](void* user, PeerState& peer, const std::byte* bytes, size_t length) {
            return static_cast<Ofi*>(user)->read_address(peer, bytes, length);
          },
  };
  const MailOptions mail = {
      .me = parameters.me,
      .num_ecs = parameters.num_ecs,
      .lanes = parameters.shape.lanes,
      .prefix = sizeof(Tracked),
      .user = self,
      .send_credits =
          [](void* user, int ec, int lane, const Returned& returned) {
            return static_cast<Ofi*>(user)->send_credits(ec, lane, returned);
          },
      .describe =
          [](void* user, int lane, std::byte* memory, size_t bytes) {
            return static_cast<Ofi*>(user)->describe_nodes(lane, memory, bytes);
          },
  };
  const Engine::Duties duties = {
      .user = self,
      .shares_cpus = !parameters.has_spare_cpus,
      .count = [](void* user,
                  const Engine::Share& share) { return static_cast<Ofi*>(user)->count(share); },
      .collect = [](void* user, Engine::Watch& watch) { static_cast<Ofi*>(user)->collect(watch); },
      .look = [](void* user,
                 const Engine::Look& look) { return static_cast<Ofi*>(user)->look(look); },
  };
  const bool is_open = self->fabric_ && self->inlets_ && self->channels_ &&
                       self->peers_.start(parameters, reader) && self->mail_.start(mail) &&
                       self->fabric_->start() && self->start_inlets() &&
                       self->engine_.start(duties, self->shape_.lanes);
  if (!is_open) {
    base::log_line(base::LogLevel::kError,
                   "the network (%s) cannot be opened; UCCS_NET=ofi:<provider> chooses another",
                   reason);
    delete self;
    return UCCS_ERR_SYSTEM;
  }
  *instance_out = self;
  return UCCS_OK;
}

bool Ofi::start_inlets() {
  for (int lane = 0; lane < shape_.lanes; ++lane) {
    Inlet& inlet = inlets_[lane];
    inlet.lane = lane;
    inlet.port = fabric_->open_port(table_size());
    if (!inlet.port || !fabric_->register_areas(inlet.port)) return false;
    inlet.to_post = kReceives;
    post_receives(inlet);
    if (!start_landings(inlet)) return false;
  }
  return true;
}

Ofi::~Ofi() {
  engine_.stop();
  fabric_.reset();
}

void Ofi::close() {
  is_closing_.store(true, std::memory_order_relaxed);  // others may be gone already
  // What has been posted leaves, or its receiver would wait for ever. Nobody may be left to answer,
  // and nobody waits for answers any more: those are to `probe_peers`.
  const uint64_t deadline = base::now_ns() + kCloseNs;
  const Sink nobody = {[](void*, const Arrival&) { return false; }, nullptr};
  base::Backoff backoff;
  for (int i = 0; i < open_channels_.load(std::memory_order_acquire); ++i)
    while (channels_[i].port_ && channels_[i].has_unsent() && base::now_ns() < deadline)
      if (channels_[i].progress(0, 0, 0, nobody) == 0) backoff.pause();
  delete this;
}

size_t Ofi::address(void* buffer, size_t capacity) {
  auto* out = static_cast<std::byte*>(buffer);
  size_t name_bytes = 0;
  for (int lane = 0; lane < shape_.lanes; ++lane) {
    size_t bytes = 0;
    fi_getname(&inlets_[lane].port->ep->fid, nullptr, &bytes);
    name_bytes = std::max(name_bytes, bytes);
  }
  const size_t total =
      sizeof(AddressHead) + static_cast<size_t>(shape_.lanes) * (sizeof(LaneAddress) + name_bytes);
  if (name_bytes > kNameMax || total > capacity) return 0;
  memset(out, 0, total);
  const AddressHead head = {kMagic,
                            mail_.cookie(),
                            static_cast<uint32_t>(shape_.lanes),
                            static_cast<uint32_t>(name_bytes),
                            fabric_->heap().bytes,
                            fabric_->statics().bytes};
  memcpy(out, &head, sizeof head);
  std::byte* at = out + sizeof head;
  for (int lane = 0; lane < shape_.lanes; ++lane) {
    const Port& port = *inlets_[lane].port;
    const LaneAddress keys = {fabric_->key_of(port.heap[0], fabric_->heap(), 0),
                              fabric_->key_of(port.statics, fabric_->statics(), 0)};
    memcpy(at, &keys, sizeof keys);
    size_t bytes = name_bytes;
    if (fi_getname(&port.ep->fid, at + sizeof keys, &bytes) != 0) return 0;
    at += sizeof keys + name_bytes;
  }
  return total;
}

bool Ofi::read_address(PeerState& peer, const std::byte* bytes, size_t length) {
  AddressHead head;
  if (length < sizeof head) return false;
  memcpy(&head, bytes, sizeof head);
  if (head.magic != kMagic || head.lanes < 1 || head.lanes > kLanesMax ||
      head.name_bytes > kNameMax ||
      length != sizeof head + head.lanes * (sizeof(LaneAddress) + head.name_bytes))
    return false;
  if (!peer.by_lane)
    peer.by_lane.reset(new (std::nothrow) PeerLane[static_cast<size_t>(shape_.lanes)]);
  if (!peer.by_lane) base::fatal("no memory for the address of an EC");
  peer.lanes = std::min(static_cast<int>(head.lanes), shape_.lanes);
  peer.cookie = head.cookie;
  peer.heap_bytes = head.heap_bytes;
  peer.static_bytes = head.static_bytes;
  const std::byte* at = bytes + sizeof head;
  for (int lane = 0; lane < peer.lanes; ++lane) {
    LaneAddress keys;
    memcpy(&keys, at, sizeof keys);
    peer.by_lane[lane].heap = keys.heap;
    peer.by_lane[lane].statics = keys.statics;
    memcpy(peer.by_lane[lane].name, at + sizeof keys, head.name_bytes);
    at += sizeof keys + head.name_bytes;
  }
  return true;
}

uccs_status_t Ofi::connect(const Peer& peer) { return peers_.connect(peer); }

fi_addr_t Ofi::address_of(Port& port, const PeerState& peer, int ec, int lane) {
  fi_addr_t& known = port.addresses[static_cast<size_t>(ec * shape_.lanes + lane)];
  if (~known == FI_ADDR_UNSPEC) {
    fi_addr_t found = FI_ADDR_UNSPEC;
    if (fi_av_insert(port.av, peer.by_lane[lane].name, 1, &found, 0, nullptr) == 1) known = ~found;
  }
  return ~known;
}

uccs_status_t Ofi::open_channel(int index, Channel** channel_out) {
  const std::lock_guard guard(ports_lock_);
  Channel& channel = channels_[index];
  if (!channel.start(this, index)) return UCCS_ERR_NO_MEMORY;
  open_channels_.store(std::max(open_channels_.load(), index + 1), std::memory_order_release);
  *channel_out = &channel;
  return UCCS_OK;
}

// Private memory is reached over messages.
uccs_status_t Ofi::register_memory(void*, size_t, uint64_t* key_out) {
  *key_out = 0;
  return UCCS_OK;
}
void Ofi::release_memory(uint64_t) {}

}  // namespace uccs::net::ofi
