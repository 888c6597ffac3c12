// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include <cstddef>
#include <cstdint>

namespace uccs::rte {

/// What ECs ask of the exchange, and its answer. Every request but kEnd gets exactly one kReply.
enum class PacketKind : uint32_t {
  kPut = 1,      ///< store key -> data as the sender's
  kGet = 2,      ///< the data of EC `ec` under key; answered once it exists
  kFence = 3,    ///< answered once every EC has asked
  kSend = 4,     ///< data for EC `ec` with `tag`; UCCS_AGAIN when its mailbox is full
  kReceive = 5,  ///< a message from `ec` with `tag`, kAnyEc and kAnyTag match all
  kCancel = 6,   ///< answer request `id` with UCCS_ERR_TIMEOUT now; has no reply of its own
  kEnd = 7,      ///< end the job with `status`; the key is the message
  kReply = 8,    ///< of request `id`: `status`, and data, `ec`, `tag` where there are
  // Of the hub, before and beside the requests; no replies.
  kHello = 9,     ///< joins: the key is the node, the data the rest of hub::Hello
  kWelcome = 10,  ///< all have joined: `ec` is the receiver's number, data the table of nodes
  kPhase = 11,    ///< the sender is in phase `tag`
};

constexpr int32_t kAnyEc = -1;
constexpr int32_t kAnyTag = -1;
constexpr size_t kKeyMax = 255;
constexpr size_t kDataMax = 64 * 1024;
constexpr size_t kMessageMax = 1024;  ///< of kEnd

/// One packet is this header, then key_bytes of key, then data_bytes of data: the length of the
/// datagram is the sum, or it is malformed.
struct PacketHeader {
  uint64_t id = 0;  ///< chosen by the EC that asks
  PacketKind kind = PacketKind::kReply;
  int32_t ec = 0;
  int32_t tag = 0;
  int32_t status = 0;  ///< uccs_status_t in a reply, exit status in kEnd
  uint32_t key_bytes = 0;
  uint32_t data_bytes = 0;
};
static_assert(sizeof(PacketHeader) == 32);

constexpr size_t kPacketMax = sizeof(PacketHeader) + kMessageMax + kDataMax;

/// A decoded packet: points into the bytes it was decoded from.
struct Packet {
  PacketHeader header;
  const char* key = nullptr;
  const char* data = nullptr;
};

/// False when `bytes` bytes are no well-formed packet of a job of `num_ecs`.
bool decode_packet(const void* buffer, size_t bytes, int num_ecs, Packet* packet_out);

/// Writes one packet to `buffer`, which holds kPacketMax bytes; its length.
size_t encode_packet(const Packet& packet, void* buffer);

}  // namespace uccs::rte
