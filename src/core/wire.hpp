// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include <cstddef>
#include <cstdint>

#include "net/transport.hpp"

/// What core's messages look like: net::Envelope::kind says which struct the head starts with.
/// Handles are pointers of the EC that gave them out; it alone follows them.
namespace uccs::core {

enum class Kind : uint8_t {
  kAmShort,     ///< request or reply; head: the caller's bytes
  kAmMedium,    ///< request or reply; head: the caller's header; payload
  kAmLarge,     ///< request or reply; head: LargeHead, then the caller's header
  kEager,       ///< send; head: EagerHead, then short data; or payload
  kRendezvous,  ///< send; head: RendezvousHead: come and get it
  kFinish,      ///< reply; head: FinishHead: the receiver has got it
  kClear,       ///< reply; head: ClearHead: send it in fragments
  kFragment,    ///< reply; head: FragmentHead; payload
  kPut,         ///< request; head: PutHead; payload
  kGet,         ///< request; head: GetHead
  kAtomic,      ///< request; head: AtomicHead
  kPutDone,     ///< reply; head: DoneHead
  kGetData,     ///< reply; head: DataHead; payload
  kAtomicDone,  ///< reply; head: DoneHead
  kPack,        ///< request; head: PackHead; payload: records, pack_records.hpp
  kPackDone,    ///< reply; head: PackHead; payload: answers, if there are any
  kPackedAms,   ///< request; payload: records of active messages, packed_ams.cpp; no reply
  kLeave,       ///< request to EC 0: this EC destroys the context; head: LeaveHead
  kLeft         ///< reply of EC 0: all do; id: 1 if nothing is on its way any more
};

/// Does the end of the context wait until it has been handled? Not what the end itself sends.
constexpr bool is_counted(Kind kind) { return kind < Kind::kLeave; }

constexpr net::Envelope make_envelope(net::Traffic traffic, Kind kind, int lane, int source_lane,
                                      int id = 0) {
  return {traffic, lane, source_lane, static_cast<int>(kind), id};
}
constexpr Kind kind_of(const net::Arrival& arrival) {
  return static_cast<Kind>(arrival.envelope.kind());
}

/// Where in an EC's memory, in that EC's own terms: the area in the two highest bits (no address in
/// use has them), below it the offset in the area, or the address in registered memory.
struct WireAddress {
  uint64_t bits = 0;
};
constexpr WireAddress wire_address(net::Area area, uint64_t offset) {
  return {(static_cast<uint64_t>(area) << 62) | offset};
}
constexpr net::Area wire_area(WireAddress at) { return static_cast<net::Area>(at.bits >> 62); }
constexpr uint64_t wire_offset(WireAddress at) { return at.bits & ~(uint64_t{3} << 62); }

struct LargeHead {
  WireAddress payload;
  uint64_t bytes;
};
static_assert(sizeof(LargeHead) == 16);

struct EagerHead {
  uint64_t tag;
};
struct RendezvousHead {
  uint64_t tag;
  uint64_t bytes;
  uint64_t request;  ///< the sender's
  WireAddress source;
  uint64_t is_pullable;  ///< contiguous, so that the receiver may read it
};
static_assert(sizeof(RendezvousHead) == 40);
struct FinishHead {
  uint64_t request;  ///< the sender's
};
struct ClearHead {
  uint64_t send_request;
  uint64_t receive_request;
  uint64_t bytes;  ///< how many the receiver takes
};
struct FragmentHead {
  uint64_t receive_request;
  uint64_t offset;
};

struct PutHead {
  WireAddress dest;
  uint64_t request;
};
struct GetHead {
  WireAddress source;
  uint64_t request;
  uint64_t local;  ///< where the requester wants it
  uint32_t bytes;
};
struct AtomicHead {
  WireAddress target;
  uint64_t request;
  uint64_t operand;
  uint8_t op;
  uint8_t type;
  uint64_t expected;  ///< travels with compare-and-swap only: short messages are injected
};
struct DoneHead {
  uint64_t request;
  uint64_t value;
};
struct DataHead {
  uint64_t request;
  uint64_t local;
};
struct PackHead {
  uint64_t parcel;  ///< the sender's Parcel, to be sent back
};
struct LeaveHead {
  uint64_t sent;     ///< messages by links that are counted, so far
  uint64_t handled;  ///< likewise
  uint64_t others;   ///< by other links, handled since the last time
};
static_assert(sizeof(GetHead) <= 56 && sizeof(AtomicHead) <= 56 && sizeof(PutHead) <= 48);

}  // namespace uccs::core
