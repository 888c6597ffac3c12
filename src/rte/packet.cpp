// SPDX-License-Identifier: BSD-3-Clause
#include "rte/packet.hpp"

#include <string.h>

#include "rte/phase.hpp"

namespace uccs::rte {

bool decode_packet(const void* buffer, size_t bytes, int num_ecs, Packet* packet_out) {
  Packet packet;
  if (bytes < sizeof packet.header) return false;
  memcpy(&packet.header, buffer, sizeof packet.header);
  const PacketHeader& header = packet.header;
  const bool is_end = header.kind == PacketKind::kEnd;
  if (header.key_bytes > (is_end ? kMessageMax : kKeyMax) || header.data_bytes > kDataMax)
    return false;
  if (bytes != sizeof header + header.key_bytes + header.data_bytes) return false;
  const bool has_ec = header.ec >= 0 && header.ec < num_ecs;
  switch (header.kind) {
    case PacketKind::kPut:
      if (header.key_bytes == 0) return false;
      break;
    case PacketKind::kGet:
      if (header.key_bytes == 0 || header.data_bytes != 0 || !has_ec) return false;
      break;
    case PacketKind::kSend:
      if (header.key_bytes != 0 || !has_ec || header.tag < 0) return false;
      break;
    case PacketKind::kReceive:
      if (header.key_bytes != 0 || header.data_bytes != 0) return false;
      if (!has_ec && header.ec != kAnyEc) return false;
      if (header.tag < 0 && header.tag != kAnyTag) return false;
      break;
    case PacketKind::kFence:
    case PacketKind::kCancel:
      if (header.key_bytes != 0 || header.data_bytes != 0) return false;
      break;
    case PacketKind::kEnd:
      if (header.data_bytes != 0) return false;
      break;
    case PacketKind::kReply:
      if (header.key_bytes != 0) return false;
      break;
    case PacketKind::kHello:
      if (header.key_bytes == 0) return false;
      break;
    case PacketKind::kWelcome:
      if (header.key_bytes != 0 || !has_ec) return false;
      break;
    case PacketKind::kPhase:
      if (header.key_bytes != 0 || header.data_bytes != 0) return false;
      if (header.tag < 0 || header.tag > static_cast<int32_t>(Phase::kFinalized)) return false;
      break;
    default:
      return false;
  }
  packet.key = static_cast<const char*>(buffer) + sizeof header;
  packet.data = packet.key + header.key_bytes;
  *packet_out = packet;
  return true;
}

size_t encode_packet(const Packet& packet, void* buffer) {
  const PacketHeader& header = packet.header;
  char* bytes = static_cast<char*>(buffer);
  memcpy(bytes, &header, sizeof header);
  bytes += sizeof header;
  if (header.key_bytes != 0) memcpy(bytes, packet.key, header.key_bytes);
  bytes += header.key_bytes;
  if (header.data_bytes != 0) memcpy(bytes, packet.data, header.data_bytes);
  return sizeof header + header.key_bytes + header.data_bytes;
}

}  // namespace uccs::rte
