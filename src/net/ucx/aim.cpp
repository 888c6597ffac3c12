// SPDX-License-Identifier: BSD-3-Clause
/// Where an operation goes: the place over there, the connection, and the key.
#include <algorithm>

#include "net/ucx/ucx.hpp"

namespace uccs::net::ucx {
namespace {

bool is_within(uint64_t offset, size_t bytes, uint64_t room) {
  return offset <= room && bytes <= room - offset;
}

}  // namespace

/// Checks the range; `*address_out`: of the memory here if `ec` is this EC, else over there.
uccs_status_t Channel::prepare(int ec, const Remote& remote, size_t bytes, PeerState** peer_out,
                               uint64_t* address_out) {
  Ucx& ucx = *owner_;
  if (remote.area == Area::kRegistered) return UCCS_ERR_UNSUPPORTED;
  const bool is_heap = remote.area == Area::kHeap;
  uint64_t base, room;
  *peer_out = nullptr;
  if (ec == ucx.me_) {
    const Extent& memory = is_heap ? ucx.heap_ : ucx.statics_.memory;
    base = reinterpret_cast<uint64_t>(memory.base);
    room = memory.bytes;
  } else {
    PeerState* peer = ucx.peers_.reach(ec);
    if (!peer) return UCCS_ERR_PEER_FAILED;
    const AddressHead& head = peer->address.head();
    base = is_heap ? head.heap_base : head.static_base;
    room = is_heap ? head.heap_bytes : head.static_bytes;
    *peer_out = peer;
  }
  *address_out = base + remote.offset;
  return is_within(remote.offset, bytes, room) ? UCCS_OK : UCCS_ERR_ADDRESS;
}

/// What every operation needs of the target; with the lock held.
uccs_status_t Channel::aim(int ec, PeerState& peer, Link** link_out) {
  Link* link = link_to(ec, peer, index_ % peer.workers);
  if (!link) return UCCS_ERR_PEER_FAILED;
  if (link->error != UCS_OK) return status_of(*link, link->error);
  *link_out = link;
  return UCCS_OK;
}

/// As `aim`, with the key of the memory there, all in `aim_`.
uccs_status_t Channel::aim_at(int ec, PeerState& peer, const Remote& remote, uint64_t there) {
  Link* link = nullptr;
  const uccs_status_t aimed = aim(ec, peer, &link);
  if (aimed != UCCS_OK) return aimed;
  uccs_status_t why_not;
  const ucp_rkey_h key = key_of(*link, remote, &why_not);
  if (!key) {
    poll();
    return why_not;
  }
  note_aim(*link, remote, there, key);
  return UCCS_OK;
}

/// `key`: nullptr if it was not asked for.
void Channel::note_aim(Link& link, const Remote& remote, uint64_t there, ucp_rkey_h key) {
  const AddressHead& head = link.peer->address.head();
  const bool is_heap = remote.area == Area::kHeap;
  const int chunk = chunk_of(remote.offset);
  aim_ = {
      .ec = link.ec,
      .area = remote.area,
      .begin = is_heap ? chunk_begin(chunk) : 0,
      .end = is_heap ? std::min<uint64_t>(chunk_end(chunk), head.heap_bytes) : head.static_bytes,
      .base = there - remote.offset,
      .link = &link,
      .key = key};
}

}  // namespace uccs::net::ucx
