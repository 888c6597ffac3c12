// SPDX-License-Identifier: BSD-3-Clause
/// Long puts and gets over a provider that sends and takes in by the CPU: in pieces, a few of which
/// are under way at a time. What is short gets in between, and where the system sends at a pace,
/// that is not slowed by targets which read for long. Pieces for one peer go by one connection, so
/// the last one ends after the others; of a put only that waits for the target's word.
#include "net/ofi/ofi.hpp"

namespace uccs::net::ofi {

ssize_t Ofi::Channel::post_piece(const Rest& rest, size_t bytes, Work* work) {
  const int ec = rest.work->ec;
  PeerState& peer = owner_->peers_.state_of(ec);
  const fi_addr_t address = owner_->address_of(*port_, peer, ec, index_ % peer.lanes);
  if (!rest.is_put)
    return fi_read(port_->ep, rest.local, bytes, nullptr, address, rest.there, rest.key,
                   &work->context);
  const fi_rma_iov target = {rest.there, bytes, rest.key};
  if (work == rest.work) return write(rest.local, nullptr, address, target, work);
  return write_until(FI_INJECT_COMPLETE, rest.local, nullptr, address, target, work);
}

/// Goes on as far as there is room; with the domain's lock held.
void Ofi::Channel::post_rests() {
  const size_t piece = owner_->fabric_->piece_bytes();
  while (!rests_.empty()) {
    Rest& rest = rests_.front();
    const bool is_last = rest.bytes <= piece;
    Work* work = is_last ? rest.work : pieces_ < kPiecesMax ? take_work() : nullptr;
    if (!work) return;
    const size_t bytes = is_last ? rest.bytes : piece;
    if (!is_last) work->kind = Tracked::Kind::kPiece;
    const ssize_t posted = post_piece(rest, bytes, work);
    if (posted != 0 && !is_last) give_back(work);
    if (posted == -FI_EAGAIN) return;
    if (posted != 0) {
      end(rest.work, static_cast<int>(-posted));
      rests_.pop_front();
    } else if (is_last) {
      rests_.pop_front();
    } else {
      work->ec = rest.work->ec;
      under_way_.fetch_add(1, std::memory_order_relaxed);
      ++pieces_;
      rest.local += bytes;
      rest.there += bytes;
      rest.bytes -= bytes;
    }
  }
}

}  // namespace uccs::net::ofi
