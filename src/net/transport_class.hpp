// SPDX-License-Identifier: BSD-3-Clause
/// How a class becomes a transport: the table of functions from its members.
#pragma once
#include <concepts>

#include "net/transport.hpp"

namespace uccs::net {

/// What a class must have to be a transport: these members, called with its own type of channel.
template <typename T>
concept TransportClass = requires(T& self, typename T::Channel& channel,
                                  const OpenParameters& parameters, const Shape& shape,
                                  const Transport* const* inner, const Peer& peer,
                                  const Remote& remote, void* memory, const void* source,
                                  size_t bytes, uint64_t* word_out, uint64_t key,
                                  Completion* completion, const AtomicArguments& arguments,
                                  Envelope envelope, const Payload* payload, const Sink& sink,
                                  T** instance_out, typename T::Channel** channel_out, int number,
                                  uint32_t traffic, Flush* flush) {
  { T::describe(shape, inner) } -> std::same_as<Capabilities>;
  { T::open(parameters, instance_out) } -> std::same_as<uccs_status_t>;
  { self.close() } -> std::same_as<void>;
  { self.address(memory, bytes) } -> std::same_as<size_t>;
  { self.connect(peer) } -> std::same_as<uccs_status_t>;
  { self.register_memory(memory, bytes, word_out) } -> std::same_as<uccs_status_t>;
  { self.release_memory(key) } -> std::same_as<void>;
  { self.open_channel(number, channel_out) } -> std::same_as<uccs_status_t>;
  { channel.put(number, remote, source, bytes, completion) } -> std::same_as<uccs_status_t>;
  { channel.get(number, remote, memory, bytes, completion) } -> std::same_as<uccs_status_t>;
  {
    channel.atomic(number, remote, arguments, word_out, completion)
    } -> std::same_as<uccs_status_t>;
  { channel.message(number, envelope, source, bytes, payload) } -> std::same_as<uccs_status_t>;
  { self.release(memory) } -> std::same_as<void>;
  { channel.flush(number, flush) } -> std::same_as<uccs_status_t>;
  { channel.progress(number, traffic, number, sink) } -> std::same_as<int>;
  { self.arm(number, true) } -> std::same_as<std::atomic<uint32_t>*>;
};

namespace detail {
template <typename T>
T* self(Instance* instance) {
  return reinterpret_cast<T*>(instance);
}
template <typename T>
typename T::Channel* path(Channel* channel) {
  return reinterpret_cast<typename T::Channel*>(channel);
}
}  // namespace detail

/// The table of class `T`. Each slot is a cast and a direct call, which inlines into it.
template <TransportClass T>
constexpr Transport make_transport(const char* name) {
  using detail::path;
  using detail::self;
  Transport table = {};
  table.name = name;
  table.describe = T::describe;
  table.open = [](const OpenParameters& parameters, Instance** out) {
    T* opened = nullptr;
    const uccs_status_t status = T::open(parameters, &opened);
    if (status == UCCS_OK) *out = reinterpret_cast<Instance*>(opened);
    return status;
  };
  table.close = [](Instance* i) { self<T>(i)->close(); };
  table.address = [](Instance* i, void* buffer, size_t capacity) {
    return self<T>(i)->address(buffer, capacity);
  };
  table.connect = [](Instance* i, const Peer& peer) { return self<T>(i)->connect(peer); };
  table.register_memory = [](Instance* i, void* base, size_t bytes, uint64_t* key_out) {
    return self<T>(i)->register_memory(base, bytes, key_out);
  };
  table.release_memory = [](Instance* i, uint64_t key) { self<T>(i)->release_memory(key); };
  table.open_channel = [](Instance* i, int index, Channel** out) {
    typename T::Channel* opened = nullptr;
    const uccs_status_t status = self<T>(i)->open_channel(index, &opened);
    if (status == UCCS_OK) *out = reinterpret_cast<Channel*>(opened);
    return status;
  };
  table.put = [](Channel* c, int ec, const Remote& dest, const void* source, size_t bytes,
                 Completion* completion) {
    return path<T>(c)->put(ec, dest, source, bytes, completion);
  };
  table.get = [](Channel* c, int ec, const Remote& source, void* dest, size_t bytes,
                 Completion* completion) {
    return path<T>(c)->get(ec, source, dest, bytes, completion);
  };
  table.put_signal = [](Channel* c, int ec, const Remote& dest, const void* source, size_t bytes,
                        const Signal& signal, Completion* completion) {
    if constexpr (requires { path<T>(c)->put_signal(ec, dest, source, bytes, signal, completion); })
      return path<T>(c)->put_signal(ec, dest, source, bytes, signal, completion);
    else
      return UCCS_ERR_UNSUPPORTED;
  };
  table.batch = [](Channel* c, int ec, std::byte** batch, size_t bytes, Completion* completion) {
    if constexpr (requires { path<T>(c)->batch(ec, batch, bytes, completion); })
      return path<T>(c)->batch(ec, batch, bytes, completion);
    else
      return UCCS_ERR_UNSUPPORTED;
  };
  table.atomic = [](Channel* c, int ec, const Remote& target, const AtomicArguments& arguments,
                    uint64_t* result_out, Completion* completion) {
    return path<T>(c)->atomic(ec, target, arguments, result_out, completion);
  };
  table.message = [](Channel* c, int ec, Envelope envelope, const void* head, size_t head_bytes,
                     const Payload* payload) {
    return path<T>(c)->message(ec, envelope, head, head_bytes, payload);
  };
  table.release = [](Instance* i, void* token) { self<T>(i)->release(token); };
  table.flush = [](Channel* c, int ec, Flush* flush) { return path<T>(c)->flush(ec, flush); };
  table.progress = [](Channel* c, int lane, uint32_t traffic, int budget, const Sink& sink) {
    return path<T>(c)->progress(lane, traffic, budget, sink);
  };
  table.await = [](Channel* c, const Flag& flag, int looks) {
    if constexpr (requires { path<T>(c)->await(flag, looks); })
      return path<T>(c)->await(flag, looks);
    else
      return false;
  };
  table.arm = [](Instance* i, int lane, bool is_waiting) {
    return self<T>(i)->arm(lane, is_waiting);
  };
  return table;
}

}  // namespace uccs::net
