// SPDX-License-Identifier: BSD-3-Clause
/// Peers that do not answer (parts/silence.hpp): which operations are under way, and what is
/// reported. That ends the job.
#include <stdio.h>

#include "net/ofi/ofi.hpp"

namespace uccs::net::ofi {

template <typename Look>
void Ofi::Channel::visit(const Look& look) {
  for (size_t i = 0; i < kBuffers; ++i) look(buffers_[i]);
  for (size_t i = 0; i < kWorks; ++i) look(works_[i]);
  for (size_t i = 0; carriers_ && i < kCarriers; ++i) look(carriers_[i]);
}

void Ofi::tick() {
  if (!silence_.tick() || !is_watching()) return;
  const int ec = find_overdue();
  if (ec >= 0) peers_.lose(ec, Silence::kOverdue);
  if (silence_.has_trouble()) judge_peers();
  uint32_t polls = 0;
  const int channels = open_channels_.load(std::memory_order_acquire);
  for (int i = 0; i < channels; ++i) polls += channels_[i].polls_.load(std::memory_order_relaxed);
  if (channels > 0 && silence_.is_waiting_long(polls)) probe_peers();
}

/// Asks those for a word that have not been heard for long: what is under way becomes overdue.
void Ofi::probe_peers() {
  static Completion nobody = {[](Completion*, uccs_status_t) {}};
  const AtomicArguments fetch = {base::AtomicOp::kFetch, base::AtomicType::kUint64, 0, 0};
  Channel& channel = channels_[0];
  channel.complete_finished();  // its thread may have ended
  peers_.for_each([&](int ec, PeerState& peer) {
    const bool is_reached = peer.is_known.load(std::memory_order_acquire) && !peer.is_lost;
    if (!is_reached || !channel.port_->domain->lock.try_lock()) return;
    const std::lock_guard guard(channel.port_->domain->lock, std::adopt_lock);
    const Area area = peer.heap_bytes > 0 ? Area::kHeap : Area::kStatic;
    if (silence_.is_to_probe(peer.trouble))
      (void)channel.ask(peer, ec, {area, 0, 0}, fetch, nullptr, &nobody);
  });
}

/// The target of an operation that takes too long, or -1.
int Ofi::find_overdue() {
  int found = -1;
  const auto look = [&](const Work& work) {
    if (work.posted_ns != 0 &&
        silence_.is_overdue(peers_.state_of(work.ec).trouble, work.posted_ns, work.bytes))
      found = work.ec;
  };
  for (int i = 0; i < open_channels_.load(std::memory_order_acquire) && found < 0; ++i) {
    Channel& channel = channels_[i];
    if (channel.under_way_.load(std::memory_order_relaxed) == 0) continue;
    if (!channel.port_->domain->lock.try_lock()) continue;
    channel.visit(look);
    channel.port_->domain->lock.unlock();
  }
  return found;
}

void Ofi::judge_peers() {
  peers_.for_each([&](int ec, const PeerState& peer) {
    const Trouble& trouble = peer.trouble;
    if (silence_.has_failed(trouble)) {
      char what[160];
      snprintf(what, sizeof what, "cannot be reached any more: %s",
               fi_strerror(trouble.error.load(std::memory_order_relaxed)));
      peers_.lose(ec, what);
    }
    if (silence_.is_refused(trouble)) peers_.lose(ec, Silence::kRefused);
  });
}

}  // namespace uccs::net::ofi
