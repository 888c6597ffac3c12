// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include <sys/types.h>

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "base/ring.hpp"
#include "net/transport.hpp"

/// What an EC's inbox looks like to everybody who maps it. All-zero is an inbox where nothing has
/// arrived, so peers may send before its owner has opened it.
///
///     | header | lane 0: reply, request, send ring | lane 1 ... | channel 0: buffers | channel 1
///     ...
///
/// The rings are what others write to. The buffers are what the *owner's* channels write payloads
/// to, and others read in place.
namespace uccs::net::shm {

constexpr size_t kRingSlots = 512;
constexpr size_t kMediumMax = 8192;
/// Of each channel and credit class, so that a payload that waits for a callback holds up no reply.
/// Requests come in bursts: when sender and receiver share a CPU, it changes hands each time the
/// buffers are full (8: 2 M/s of 2 KiB, 32: 6 M/s).
constexpr int kBuffers[kTrafficClasses] = {8, 32, 8};
constexpr size_t kBuffersBefore[kTrafficClasses + 1] = {0, 8, 40, 48};

struct alignas(64) Header {
  std::atomic<int32_t> pid;        ///< for cross-memory attach; 0 until the owner has opened it
  std::atomic<uint32_t> doorbell;  ///< changes when a message arrives while somebody sleeps
};

/// One payload on its way. Owner: sets busy, fills, sends its offset. Reader: clears busy.
struct Buffer {
  alignas(64) std::atomic<uint32_t> busy;
  alignas(64) std::byte data[kMediumMax];
};
static_assert(sizeof(Header) == 64 && sizeof(Buffer) == 64 + kMediumMax);

using Ring = base::Ring<kRingSlots>;
constexpr size_t kRingBytes = Ring::kBytes;
constexpr size_t kLaneBytes = kTrafficClasses * kRingBytes;
constexpr size_t kChannelBytes = kBuffersBefore[kTrafficClasses] * sizeof(Buffer);

constexpr size_t inbox_bytes(const Shape& shape) {
  return sizeof(Header) + static_cast<size_t>(shape.lanes) * kLaneBytes +
         static_cast<size_t>(shape.channels) * kChannelBytes;
}
constexpr size_t ring_offset(int lane, Traffic traffic) {
  return sizeof(Header) + static_cast<size_t>(lane) * kLaneBytes +
         static_cast<size_t>(traffic) * kRingBytes;
}
constexpr size_t buffer_offset(const Shape& shape, int channel, Traffic traffic) {
  return sizeof(Header) + static_cast<size_t>(shape.lanes) * kLaneBytes +
         static_cast<size_t>(channel) * kChannelBytes +
         kBuffersBefore[static_cast<int>(traffic)] * sizeof(Buffer);
}

/// The 64-bit word of a slot:
///
///     bits 0-7        8-12   13-15  16-23  24-31       32-55      56-63
///          generation kind   form   id     head bytes  source EC  source lane
///
/// (kind, id and source lane are where an Envelope has them),
///
/// and where the payload is:
enum class Form : uint8_t {
  kNone = 0,    ///< data: head of up to 56 bytes
  kInline = 1,  ///< data: head, padding to 8, payload, ..., its length in the last byte
  kBuffer = 2   ///< data: head of up to 48 bytes, then a Descriptor
};
struct Descriptor {
  uint32_t offset;  ///< of the Buffer, from the start of the sender's inbox
  uint32_t bytes;
};
static_assert(sizeof(Descriptor) == 8);
constexpr size_t kHeadMax = Ring::kDataBytes;
constexpr size_t kHeadWithPayloadMax = kHeadMax - sizeof(Descriptor);
constexpr size_t kInlineMax = kHeadMax - 1;
constexpr int kMaxEcs = 1 << 24;
static_assert(kHeadReadable == kHeadMax);

constexpr uint64_t make_word(Envelope envelope, Form form, size_t head_bytes, int source) {
  return envelope.carried() | static_cast<uint64_t>(form) << 13 |
         static_cast<uint64_t>(head_bytes) << 24 | static_cast<uint64_t>(source) << 32;
}
constexpr Form word_form(uint64_t word) { return static_cast<Form>(word >> 13 & 7); }
constexpr uint32_t word_head_bytes(uint64_t word) { return word >> 24 & 255; }
constexpr int word_source(uint64_t word) { return static_cast<int>(word >> 32 & (kMaxEcs - 1)); }

}  // namespace uccs::net::shm
