// SPDX-License-Identifier: BSD-3-Clause
/// Peers that are gone or do not answer (parts/silence.hpp): which operations are under way, and
/// what is reported. That ends the job.
#include <stdio.h>

#include "net/ucx/ucx.hpp"

namespace uccs::net::ucx {

void Ucx::note_failure(PeerState& peer, ucs_status_t status) {
  silence_.note_failed(peer.trouble, status);
}

/// An operation on a broken connection. Nobody is told: the launcher knows more about a peer that
/// is gone, and if it says nothing the engine ends the job and says what UCX told.
uccs_status_t Ucx::fail_operation(PeerState& peer, ucs_status_t status) {
  note_failure(peer, status);
  if (!is_watching()) return UCCS_ERR_PEER_FAILED;
  peer.is_missed.store(true, std::memory_order_relaxed);
  return UCCS_AGAIN;
}

void Ucx::tick() {
  if (!silence_.tick() || !is_watching()) return;
  const int ec = find_overdue();
  if (ec >= 0) peers_.lose(ec, Silence::kOverdue);
  if (silence_.has_trouble()) judge_peers();
  uint32_t polls = 0;
  for (int i = 0; i < workers_max(); ++i)
    polls += channels_[i].polls_.load(std::memory_order_relaxed);
  if (silence_.is_waiting_long(polls)) probe_peers();
}

/// Asks those for a word that have not been heard for long: what is under way becomes overdue. Not
/// those that leave, whose farewell comes by this channel as well.
void Ucx::probe_peers() {
  static Completion nobody = {[](Completion*, uccs_status_t) {}};
  peers_.for_each([&](int ec, PeerState& peer) {
    ucx::Channel& channel = channels_[0];
    if (!peer.is_greeted.load(std::memory_order_relaxed) || !channel.lock_->try_lock()) return;
    const std::lock_guard guard(*channel.lock_, std::adopt_lock);
    if (!peer.says_farewell.load(std::memory_order_relaxed) && silence_.is_to_probe(peer.trouble))
      (void)channel.ask_for_a_word(ec, peer, &nobody);
  });
}

/// The target of an operation that takes too long, or -1.
int Ucx::find_overdue() {
  int found = -1;
  const auto look = [&](uint64_t posted_ns, const Link* link, uint64_t bytes) {
    if (posted_ns != 0 && silence_.is_overdue(link->peer->trouble, posted_ns, bytes))
      found = link->ec;
  };
  for (int i = 0; i < workers_max() && found < 0; ++i) {
    ucx::Channel& channel = channels_[i];
    if (!channel.is_open_.load(std::memory_order_acquire)) continue;
    if (channel.under_way_.count() == 0) continue;
    if (!channel.lock_->try_lock()) continue;
    for (size_t k = 0; k < kBuffers; ++k) {
      const Buffer& buffer = channel.buffers_[k];
      look(buffer.posted_ns, buffer.link, 0);
    }
    for (size_t k = 0; k < kOperations; ++k) {
      const Operation& operation = channel.operations_[k];
      look(operation.posted_ns, operation.link, operation.bytes);
    }
    channel.lock_->unlock();
  }
  return found;
}

void Ucx::judge_peers() {
  peers_.for_each([&](int ec, const PeerState& peer) {
    if (!silence_.has_failed(peer.trouble)) return;
    // Connections with a peer that closes break, and nobody minds.
    if (peer.says_farewell.load(std::memory_order_relaxed) &&
        !peer.is_missed.load(std::memory_order_relaxed))
      return;
    char what[160];
    snprintf(what, sizeof what, "cannot be reached: UCX says '%s'",
             ucs_status_string(static_cast<ucs_status_t>(peer.trouble.error.load())));
    peers_.lose(ec, what);
  });
}

}  // namespace uccs::net::ucx
