// SPDX-License-Identifier: BSD-3-Clause
#include "net/parts/silence.hpp"

#include <algorithm>

#include "base/clock.hpp"
#include "base/config.hpp"
#include "base/config_values.hpp"

namespace uccs::net {
namespace {

constexpr uint64_t kWatchNs = 100'000'000;
/// More time between two turns does not count: this process was stopped, or had no CPU.
constexpr uint64_t kTurnMaxNs = 100'000'000;
/// Turns that come sooner leave the clock alone, which all threads read.
constexpr uint64_t kTickNs = 1'000'000;
/// What a slow network still moves in a second; large operations get the time for it.
constexpr uint64_t kBytesPerMs = 1000;
/// Attempts that lie further apart are no attempt that lasts.
constexpr uint64_t kGapNs = 2'000'000'000;
/// A peer has to answer within UCCS_PEER_TIMEOUT; this part of it passes before it is asked.
constexpr uint64_t kProbesPerTimeout = 4;

}  // namespace

void Silence::note_refused(Trouble& trouble) {
  const uint64_t now = now_ns();
  const uint64_t last = trouble.asked_ns.exchange(now, std::memory_order_relaxed);
  const bool is_new = trouble.refused_ns.load(std::memory_order_relaxed) == 0 ||
                      now - std::min(last, now) > kGapNs ||
                      trouble.heard_ns.load(std::memory_order_relaxed) >= last;
  if (is_new) trouble.refused_ns.store(now, std::memory_order_relaxed);
  has_trouble_.store(true, std::memory_order_relaxed);
}

void Silence::note_failed(Trouble& trouble, int error) {
  trouble.error.store(error, std::memory_order_relaxed);
  uint64_t never = 0;
  trouble.failed_ns.compare_exchange_strong(never, now_ns(), std::memory_order_relaxed);
  has_trouble_.store(true, std::memory_order_relaxed);
}

bool Silence::tick() {
  const uint64_t real = base::now_ns();
  if (last_tick_ns_ == 0) last_tick_ns_ = real;
  if (real - last_tick_ns_ < kTickNs) return false;
  const uint64_t step = std::min(real - last_tick_ns_, kTurnMaxNs);
  last_tick_ns_ = real;
  const uint64_t now = now_ns() + step;
  clock_ns_.store(now, std::memory_order_relaxed);
  if (now - last_watch_ns_ < kWatchNs) return false;
  last_watch_ns_ = now;
  return true;
}

bool Silence::is_overdue(const Trouble& trouble, uint64_t posted_ns, uint64_t bytes) const {
  const uint64_t now = now_ns(), patience = base::config().peer_timeout_ns;
  if (patience == 0) return false;
  const uint64_t since = std::max(posted_ns, trouble.heard_ns.load(std::memory_order_relaxed));
  return now - std::min(since, now) > patience + bytes / kBytesPerMs * 1'000'000;
}

bool Silence::is_refused(const Trouble& trouble) const {
  const uint64_t patience = base::config().peer_timeout_ns;
  const uint64_t refused = trouble.refused_ns.load(std::memory_order_relaxed);
  const uint64_t asked = trouble.asked_ns.load(std::memory_order_relaxed);
  return patience > 0 && refused != 0 && asked > refused && asked - refused > patience &&
         trouble.heard_ns.load(std::memory_order_relaxed) < refused;
}

bool Silence::is_waiting_long(uint32_t polls) {
  const uint64_t now = now_ns(), patience = base::config().peer_timeout_ns;
  if (polls == polls_) idle_ns_ = now;
  polls_ = polls;
  return patience > 0 && now - idle_ns_ > patience / kProbesPerTimeout;
}

bool Silence::is_to_probe(Trouble& trouble) const {
  const uint64_t now = now_ns();
  const uint64_t last = std::max(trouble.heard_ns.load(std::memory_order_relaxed),
                                 trouble.probed_ns.load(std::memory_order_relaxed));
  if (now - std::min(last, now) < base::config().peer_timeout_ns / kProbesPerTimeout) return false;
  trouble.probed_ns.store(now, std::memory_order_relaxed);
  return true;
}

bool Silence::has_failed(const Trouble& trouble) const {
  const uint64_t failed = trouble.failed_ns.load(std::memory_order_relaxed);
  return failed != 0 && now_ns() - failed > kWordsNs;
}

}  // namespace uccs::net
