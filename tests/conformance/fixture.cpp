// SPDX-License-Identifier: BSD-3-Clause
#include "fixture.hpp"

#include <cstring>
#include <map>
#include <tuple>

#include "base/config.hpp"
#include "base/config_values.hpp"
#include "coll/coll.hpp"
#include "core/direct.hpp"
#include "core/group.hpp"
#include "core/job.hpp"
#include "rte/identity.hpp"

namespace conformance {
namespace {

alignas(64) std::byte static_area[kStaticBytes];

std::byte* at_peer(void* mine, int ec) {
  return static_cast<std::byte*>(core::translate(mine, ec));
}

/// Memory for inboxes of a shape, used again by the next fixture of that shape: internal memory is
/// never freed.
std::byte* inbox_of(const Shape& shape, size_t bytes) {
  static std::map<std::tuple<int, int, size_t>, std::byte*> all;
  std::byte*& inbox = all[{shape.lanes, shape.channels, bytes}];
  if (!inbox && bytes > 0) inbox = static_cast<std::byte*>(core::internal_allocate(bytes, 4096));
  return inbox;
}

/// Connecting may take an address: everybody's, by a collective.
void connect_all(const Fixture& fixture, std::byte* inbox) {
  constexpr size_t kAddress = 4096;
  std::byte mine[kAddress] = {};
  const size_t bytes = fixture.table->address(fixture.instance, mine, sizeof mine);
  const std::vector<std::byte> all = fixture.gather(mine, sizeof mine);
  for (int ec = 0; ec < fixture.size; ++ec) {
    const Peer peer = {.ec = ec,
                       .inbox = inbox ? at_peer(inbox, ec) : nullptr,
                       .heap = at_peer(reinterpret_cast<void*>(core::direct_map.heap_low), ec),
                       .statics = at_peer(reinterpret_cast<void*>(core::direct_map.static_low), ec),
                       .address = all.data() + static_cast<size_t>(ec) * kAddress,
                       .address_bytes = bytes};
    CHECK(fixture.table->connect(fixture.instance, peer) == UCCS_OK);
  }
}

/// UCCS_NET=ofi:PROVIDER chooses among a network's providers, as for programs.
const char* provider_wanted() {
  const char* colon = std::strchr(base::config().net, ':');
  return colon ? colon + 1 : nullptr;
}

}  // namespace

void Fixture::barrier() const { coll::barrier(core::world_group()); }

std::vector<std::byte> Fixture::gather(const void* mine, size_t bytes) const {
  std::vector<std::byte> all(bytes * static_cast<size_t>(size));
  coll::allgather(core::world_group(), all.data(), mine, bytes);
  return all;
}

void Fixture::nudge() const {
  const Sink nobody = {[](void*, const Arrival&) { return false; }, nullptr};
  for (Channel* channel : channels) table->progress(channel, 0, kAllTraffic, 1, nobody);
}

Fixture open(const std::vector<const Transport*>& layers, Shape shape) {
  Fixture fixture;
  fixture.me = core::job.me;
  fixture.size = core::job.size;
  fixture.shape = shape;
  for (const Transport* layer : layers) {
    fixture.name += fixture.name.empty() ? "" : "(";
    fixture.name += layer->name;
  }
  fixture.table = layers[0];
  fixture.can = fixture.table->describe(shape, layers.data() + 1);
  std::byte* inbox = inbox_of(shape, fixture.can.inbox_bytes);
  fixture.heap = static_cast<std::byte*>(core::heap_allocate(kHeapBytes, 64));
  CHECK(fixture.heap);
  fixture.heap_offset = reinterpret_cast<uintptr_t>(fixture.heap) - core::direct_map.heap_low;
  fixture.statics = static_area;
  fixture.static_offset = reinterpret_cast<uintptr_t>(static_area) - core::direct_map.static_low;
  const OpenParameters parameters = {
      .me = fixture.me,
      .num_ecs = fixture.size,
      .shape = shape,
      .inbox = inbox,
      .heap = {reinterpret_cast<std::byte*>(core::direct_map.heap_low),
               core::direct_map.heap_bytes},
      .statics = {reinterpret_cast<std::byte*>(core::direct_map.static_low),
                  core::direct_map.static_bytes},
      .provider = provider_wanted(),
      .is_one_host = rte::start().is_one_host,
      .apply_batch = apply_batch,
      .inner = layers.data() + 1};
  CHECK(fixture.table->open(parameters, &fixture.instance) == UCCS_OK);
  connect_all(fixture, inbox);
  for (int i = 0; i < shape.channels; ++i) {
    Channel* channel = nullptr;
    CHECK(fixture.table->open_channel(fixture.instance, i, &channel) == UCCS_OK && channel);
    fixture.channels.push_back(channel);
  }
  fixture.barrier();
  return fixture;
}

void close(Fixture& fixture) {
  fixture.barrier();
  Collector leftovers(fixture);
  for (int lane = 0; lane < fixture.shape.lanes; ++lane) leftovers.poll(lane);
  CHECK(leftovers.messages.empty());
  fixture.table->close(fixture.instance);
  core::heap_free(fixture.heap);
  fixture.barrier();
}

int Collector::poll(int lane, uint32_t traffic, int budget, int channel) {
  return fixture_.table->progress(fixture_.channels[static_cast<size_t>(channel)], lane, traffic,
                                  budget, Sink{arrive, this});
}

bool Collector::arrive(void* user, const Arrival& arrival) {
  auto* self = static_cast<Collector*>(user);
  if (self->messages.size() >= self->limit_) return false;
  Message message = {.source = arrival.source,
                     .source_lane = arrival.envelope.source_lane(),
                     .lane = arrival.envelope.lane(),
                     .kind = arrival.envelope.kind(),
                     .id = arrival.envelope.id(),
                     .traffic = arrival.envelope.traffic(),
                     .head = {},
                     .payload = {}};
  message.head.assign(reinterpret_cast<const char*>(arrival.head), arrival.head_bytes);
  if (arrival.payload)
    message.payload.assign(reinterpret_cast<const char*>(arrival.payload), arrival.payload_bytes);
  if (arrival.token) self->fixture_.table->release(self->fixture_.instance, arrival.token);
  self->messages.push_back(message);
  return true;
}

}  // namespace conformance
