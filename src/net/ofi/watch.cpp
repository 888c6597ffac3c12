// SPDX-License-Identifier: BSD-3-Clause
/// Peers that do not answer. Providers wait for a cut link as long as TCP does, a quarter of an
/// hour, and for a refused connection for ever. So the engine looks at what is under way: an
/// operation that is not complete after UCCS_PEER_TIMEOUT, while no other on that peer ends either,
/// or that cannot even be posted, means that the peer is lost. It is reported, and that ends the
/// job.
#include <stdio.h>

#include <algorithm>

#include "base/clock.hpp"
#include "base/config.hpp"
#include "base/config_values.hpp"
#include "net/ofi/ofi.hpp"

namespace uccs::net::ofi {
namespace {

constexpr uint64_t kWatchNs = 100'000'000;
/// More time between two turns does not count: this process was stopped, or had no CPU.
constexpr uint64_t kTurnMaxNs = 100'000'000;
/// What a slow network still moves in a second; large operations get the time for it.
constexpr uint64_t kBytesPerMs = 1000;
/// Attempts that lie further apart are no attempt that lasts.
constexpr uint64_t kGapNs = 2'000'000'000;
/// From a failure to our words: the launcher or the hub, which see processes end, know more.
constexpr uint64_t kWordsNs = 2'500'000'000;

}  // namespace

template <typename Look>
void Ofi::Channel::visit(const Look& look) {
  for (size_t i = 0; i < kBuffers; ++i) look(buffers_[i]);
  for (size_t i = 0; i < kWorks; ++i) look(works_[i]);
}

void Ofi::note_refused(PeerState& peer) {
  Trouble& trouble = peer.trouble;
  const uint64_t now = clock_ns_.load(std::memory_order_relaxed);
  const uint64_t last = trouble.asked_ns.exchange(now, std::memory_order_relaxed);
  const bool is_new = trouble.refused_ns.load(std::memory_order_relaxed) == 0 ||
                      now - std::min(last, now) > kGapNs ||
                      trouble.heard_ns.load(std::memory_order_relaxed) >= last;
  if (is_new) trouble.refused_ns.store(now, std::memory_order_relaxed);
  has_trouble_.store(true, std::memory_order_relaxed);
}

void Ofi::note_failed(int ec, int error) {
  Trouble& trouble = state_of(ec).trouble;
  trouble.error.store(error, std::memory_order_relaxed);
  uint64_t never = 0;
  trouble.failed_ns.compare_exchange_strong(never, clock_ns_.load(std::memory_order_relaxed),
                                            std::memory_order_relaxed);
  has_trouble_.store(true, std::memory_order_relaxed);
}

void Ofi::tick() {
  const uint64_t real = base::now_ns();
  if (last_tick_ns_ == 0) last_tick_ns_ = real;
  const uint64_t step = std::min(real - last_tick_ns_, kTurnMaxNs);
  last_tick_ns_ = real;
  const uint64_t now = clock_ns_.load(std::memory_order_relaxed) + step;
  clock_ns_.store(now, std::memory_order_relaxed);
  if (now - last_watch_ns_ < kWatchNs || !peer_lost_ || is_closing_.load(std::memory_order_relaxed))
    return;
  last_watch_ns_ = now;
  if (base::config().peer_timeout_ns > 0) {
    const int ec = find_overdue();
    if (ec >= 0)
      lose(ec, "has not answered in time: it is stopped, or the network does not get there");
  }
  if (has_trouble_.load(std::memory_order_relaxed)) judge_peers();
}

/// The target of an operation that takes too long, or -1.
int Ofi::find_overdue() {
  const uint64_t now = clock_ns_.load(std::memory_order_relaxed);
  const uint64_t patience = base::config().peer_timeout_ns;
  int found = -1;
  const auto look = [&](const Work& work) {
    if (work.posted_ns == 0) return;
    const uint64_t heard = state_of(work.ec).trouble.heard_ns.load(std::memory_order_relaxed);
    const uint64_t since = std::max(work.posted_ns, heard);
    if (now - std::min(since, now) > patience + work.bytes / kBytesPerMs * 1'000'000)
      found = work.ec;
  };
  for (int i = 0; i < open_channels_.load(std::memory_order_acquire) && found < 0; ++i) {
    Channel& channel = channels_[i];
    if (channel.under_way_.load(std::memory_order_relaxed) == 0) continue;
    if (!channel.port->domain->lock.try_lock()) continue;
    channel.visit(look);
    channel.port->domain->lock.unlock();
  }
  return found;
}

void Ofi::judge_peers() {
  const uint64_t now = clock_ns_.load(std::memory_order_relaxed);
  const uint64_t patience = base::config().peer_timeout_ns;
  for (int ec = 0; ec < num_ecs_; ++ec) {
    PeerState* peer = peers_[ec].load(std::memory_order_acquire);
    if (!peer) continue;
    const Trouble& trouble = peer->trouble;
    const uint64_t failed = trouble.failed_ns.load(std::memory_order_relaxed);
    if (failed != 0 && now - failed > kWordsNs) {
      char what[160];
      snprintf(what, sizeof what, "cannot be reached any more: %s",
               fi_strerror(trouble.error.load(std::memory_order_relaxed)));
      lose(ec, what);
    }
    const uint64_t refused = trouble.refused_ns.load(std::memory_order_relaxed);
    const uint64_t asked = trouble.asked_ns.load(std::memory_order_relaxed);
    if (patience > 0 && refused != 0 && asked > refused && asked - refused > patience &&
        trouble.heard_ns.load(std::memory_order_relaxed) < refused)
      lose(ec, "cannot be connected to: it is stopped, or the network does not get there");
  }
}

void Ofi::lose(int ec, const char* what) { peer_lost_(user_, ec, what); }

}  // namespace uccs::net::ofi
