// SPDX-License-Identifier: BSD-3-Clause
/// Messages: one slot of a ring each; payloads that do not fit it are read in place from a buffer
/// in the sender's inbox.
#include <cstring>

#include "net/shm/shm.hpp"

namespace uccs::net::shm {
namespace {

constexpr size_t round_up_8(size_t bytes) { return (bytes + 7) & ~size_t{7}; }

/// memcpy for at most 56 bytes without a call: overlapping words from both ends.
[[gnu::always_inline]] inline void copy_head(std::byte* dest, const void* source, size_t bytes) {
  const auto* from = static_cast<const std::byte*>(source);
  if (bytes == 8) [[likely]] {
    memcpy(dest, from, 8);
    return;
  }
  if (bytes > 32) {
    memcpy(dest, from, 32);
    std::byte last[24];  // both loads before both stores, so that they may overlap
    memcpy(last, from + bytes - 24, 24);
    memcpy(dest + bytes - 24, last, 24);
  } else if (bytes > 16) {
    std::byte last[16];
    memcpy(last, from + bytes - 16, 16);
    memcpy(dest, from, 16);
    memcpy(dest + bytes - 16, last, 16);
  } else if (bytes >= 8) {
    std::byte last[8];
    memcpy(last, from + bytes - 8, 8);
    memcpy(dest, from, 8);
    memcpy(dest + bytes - 8, last, 8);
  } else {
    for (size_t i = 0; i < bytes; ++i) dest[i] = from[i];
  }
}

void pack(std::byte* dest, const Payload& payload) {
  for (size_t i = 0; i < payload.count; ++i) {
    if (payload.pieces[i].bytes == 0) continue;
    memcpy(dest, payload.pieces[i].base, payload.pieces[i].bytes);
    dest += payload.pieces[i].bytes;
  }
}

}  // namespace

/// A free buffer of the class, nullptr when readers hold all of them.
Buffer* Shm::Channel::find_buffer(Traffic traffic) {
  auto* buffers = reinterpret_cast<Buffer*>(owner_->peers_[owner_->me_].inbox +
                                            buffer_offset(owner_->shape_, index_, traffic));
  const int count = kBuffers[static_cast<int>(traffic)];
  int& next = next_buffer_[static_cast<int>(traffic)];
  for (int tried = 0; tried < count; ++tried) {
    Buffer* candidate = &buffers[next];
    next = next + 1 < count ? next + 1 : 0;
    // Acquire: pairs with `release`; the reader has finished.
    if (candidate->busy.load(std::memory_order_acquire) == 0) return candidate;
  }
  return nullptr;
}

uccs_status_t Shm::Channel::message(int ec, Envelope envelope, const void* head, size_t head_bytes,
                                    const Payload* payload) {
  Shm& shm = *owner_;
  Ring ring = shm.ring_of(ec, envelope.lane(), envelope.traffic());
  uint64_t position;
  if (!payload) [[likely]] {
    if (!ring.reserve(&position)) return UCCS_AGAIN;
    copy_head(ring.data(position), head, head_bytes);
    ring.commit(position, make_word(envelope, Form::kNone, head_bytes, shm.me_));
  } else if (const size_t padded = round_up_8(head_bytes); padded + payload->bytes <= kInlineMax) {
    if (!ring.reserve(&position)) return UCCS_AGAIN;
    std::byte* data = ring.data(position);
    copy_head(data, head, head_bytes);
    pack(data + padded, *payload);
    data[kInlineMax] = static_cast<std::byte>(payload->bytes);
    ring.commit(position, make_word(envelope, Form::kInline, head_bytes, shm.me_));
  } else {
    Buffer* buffer = find_buffer(envelope.traffic());
    if (!buffer) return UCCS_AGAIN;
    if (!ring.reserve(&position)) return UCCS_AGAIN;
    buffer->busy.store(1, std::memory_order_relaxed);  // the commit below makes it visible
    pack(buffer->data, *payload);
    const std::byte* inbox = shm.peers_[shm.me_].inbox;
    const Descriptor where = {
        static_cast<uint32_t>(reinterpret_cast<const std::byte*>(buffer) - inbox),
        static_cast<uint32_t>(payload->bytes)};
    std::byte* data = ring.data(position);
    copy_head(data, head, head_bytes);
    memcpy(data + kHeadWithPayloadMax, &where, sizeof where);
    ring.commit(position, make_word(envelope, Form::kBuffer, head_bytes, shm.me_));
  }
  if (ring.has_sleepers()) [[unlikely]]
    shm.ring_doorbell(ec);
  return UCCS_OK;
}

void Shm::release(void* token) {
  static_cast<Buffer*>(token)->busy.store(0, std::memory_order_release);  // pairs with find_buffer
}

int Shm::drain(Consumer& consumer, int lane, Traffic traffic, int budget, const Sink& sink) {
  uint64_t position = consumer.position.load(std::memory_order_relaxed);
  int taken = 0;
  for (; taken < budget; ++taken) {
    const Ring::Slot* slot = consumer.ring.peek(position);
    if (!slot) break;
    const uint64_t word = slot->word.load(std::memory_order_relaxed);  // acquired by peek
    Arrival arrival = {
        .envelope = Envelope::arrived(word, traffic, lane),
        .source = word_source(word),
        .head_bytes = word_head_bytes(word),
        .payload_bytes = 0,
        .head = slot->data,
        .payload = nullptr,
        .token = nullptr,
    };
    const Form form = word_form(word);
    if (form == Form::kInline) {
      arrival.payload = slot->data + round_up_8(arrival.head_bytes);
      arrival.payload_bytes = static_cast<uint32_t>(slot->data[kInlineMax]);
    } else if (form == Form::kBuffer) {
      Descriptor where;
      memcpy(&where, slot->data + kHeadWithPayloadMax, sizeof where);
      auto* buffer = reinterpret_cast<Buffer*>(peers_[arrival.source].inbox + where.offset);
      arrival.payload = buffer->data;
      arrival.payload_bytes = where.bytes;
      arrival.token = buffer;
    }
    if (!sink.arrive(sink.user, arrival)) break;
    ++position;
  }
  consumer.position.store(position, std::memory_order_relaxed);
  consumer.ring.pop(position, &consumer.published);
  return taken;
}

int Shm::Channel::progress(int lane, uint32_t traffic, int budget, const Sink& sink) {
  int taken = 0;
  Consumer* consumers = &owner_->consumers_[lane * kTrafficClasses];
  const auto look = [&](Traffic which) __attribute__((always_inline)) {
    Consumer& consumer = consumers[static_cast<int>(which)];
    if ((traffic & traffic_bit(which)) == 0) return;
    // Relaxed: a stale position makes this thread miss a message or try in vain, once.
    if (!consumer.ring.peek(consumer.position.load(std::memory_order_relaxed))) [[likely]]
      return;
    if (!consumer.lock.try_lock()) return;
    taken += owner_->drain(consumer, lane, which, budget, sink);
    consumer.lock.unlock();
  };
  look(Traffic::kReply);
  look(Traffic::kRequest);
  look(Traffic::kSend);
  return taken;
}

}  // namespace uccs::net::shm
