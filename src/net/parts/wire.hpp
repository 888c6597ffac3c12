// SPDX-License-Identifier: BSD-3-Clause
/// What the messages of networks look like: a header, the head, and the payload.
#pragma once
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "net/transport.hpp"

namespace uccs::net {

constexpr size_t kHeadMax = 56;
constexpr size_t kHeadWithPayloadMax = 48;
constexpr size_t kPayloadMax = 8192;
constexpr int kLanesMax = 64;
/// Longest batch: a call of the kernel costs as much as copying some ten kilobytes.
constexpr size_t kBatchBytes = 64 << 10;

enum class MessageKind : uint8_t {
  kPlain,     ///< head only
  kPayload,   ///< head and payload
  kCredit,    ///< body: Returned
  kHello,     ///< the first one; these three have no body, and are not all networks'
  kFarewell,  ///< the source closes, and waits for the answer
  kAnswer,    ///< to kFarewell
  kExchange,  ///< an atomic, or a put of a word; of these no Mail sees any
  kChunk,     ///< asks for what it takes to reach a chunk of the heap
  kKey,       ///< the answer
  kBatch,     ///< many operations of core's
  kPut,       ///< bytes for the memory here; these four are UCX's
  kDelivery,  ///< a put that is answered
  kFetch,     ///< a get
  kFetched,   ///< what it has got
  kResult     ///< of an exchange, a delivery or a batch
};

/// In front of every message. What does not add up is dropped: sockets take bytes from anybody.
struct Header {
  uint64_t cookie;    ///< the receiver's, from its address: who has read that belongs to the job
  uint64_t envelope;  ///< Envelope::carried
  int32_t source;
  uint32_t sequence;       ///< kSend: place in the order of source and lane
  uint16_t payload_bytes;  ///< follow the head, which is padded to 8 bytes
  uint8_t head_bytes;
  MessageKind kind;
  uint8_t traffic;
  uint8_t lane;
  uint8_t unused[2];
};
static_assert(sizeof(Header) == 32);

constexpr size_t padded(size_t bytes) { return (bytes + 7) & ~size_t{7}; }
constexpr size_t kMessageMax = sizeof(Header) + kHeadMax + kPayloadMax;
/// Longest message without payload; kHeadReadable bytes can be read behind the header.
constexpr size_t kShortMax = sizeof(Header) + kHeadReadable;

/// What a network can do whose messages look like this.
constexpr Capabilities network_capabilities(const char* description) {
  return {
      .description = description,
      .has_put_get = true,
      .has_atomics = true,
      .is_same_node = false,
      .short_is_shared = false,
      .head_max = kHeadMax,
      .head_with_payload_max = kHeadWithPayloadMax,
      .medium_max = kPayloadMax,
      .inject_max = kPayloadMax,
      .inbox_bytes = 0,
      .has_flushed_puts = true,
  };
}

/// Space for messages is granted per sender, lane and traffic, apart for those with payload.
constexpr int kCreditKinds = kTrafficClasses * 2;
inline int credit_kind(Traffic traffic, bool has_payload) {
  return static_cast<int>(traffic) * 2 + (has_payload ? 1 : 0);
}
struct Returned {
  uint16_t counts[kCreditKinds];
};

inline size_t body_bytes(const Header& header) {
  return header.kind == MessageKind::kPayload ? padded(header.head_bytes) + header.payload_bytes
                                              : header.head_bytes;
}

/// Writes everything behind the header; returns the length of the message.
inline size_t fill(std::byte* data, const Header& header, const void* head,
                   const Payload* payload) {
  memcpy(data, &header, sizeof header);
  std::byte* at = data + sizeof header;
  if (header.head_bytes > 0) memcpy(at, head, header.head_bytes);
  if (!payload) return sizeof header + header.head_bytes;
  at += padded(header.head_bytes);
  for (size_t i = 0; i < payload->count; ++i) {
    if (payload->pieces[i].bytes > 0) memcpy(at, payload->pieces[i].base, payload->pieces[i].bytes);
    at += payload->pieces[i].bytes;
  }
  return sizeof header + body_bytes(header);
}

inline Header make_header(Envelope envelope, int source, size_t head_bytes,
                          const Payload* payload) {
  Header header = {};
  header.envelope = envelope.carried();
  header.source = source;
  header.payload_bytes = payload ? static_cast<uint16_t>(payload->bytes) : uint16_t{0};
  header.head_bytes = static_cast<uint8_t>(head_bytes);
  header.kind = payload ? MessageKind::kPayload : MessageKind::kPlain;
  header.traffic = static_cast<uint8_t>(envelope.traffic());
  header.lane = static_cast<uint8_t>(envelope.lane());
  return header;
}

}  // namespace uccs::net
