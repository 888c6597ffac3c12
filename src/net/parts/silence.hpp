// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include <atomic>
#include <cstdint>

/// Peers that do not answer. Libraries wait for a cut link as long as TCP does, a quarter of an
/// hour, and for a refused connection for ever. So the engine of a network looks at what is under
/// way: an operation that is not complete after UCCS_PEER_TIMEOUT, while no other on that peer ends
/// either, or that cannot even be posted, means that the peer is lost. The network finds the
/// operations; what makes one too old is here. Who waits with nothing under way, in a barrier or
/// for a put of a peer's, asks the peers that it talks with for a word now and then.
namespace uccs::net {

/// From a failure to our words: the launcher or the hub, which see processes end, know more.
constexpr uint64_t kWordsNs = 2'500'000'000;

/// Signs that a peer does not answer. Times by Silence::now_ns, 0: never.
struct Trouble {
  std::atomic<uint64_t> heard_ns = 0;    ///< last completion of an operation on it
  std::atomic<uint64_t> refused_ns = 0;  ///< since then no operation could be posted
  std::atomic<uint64_t> asked_ns = 0;    ///< last attempt to
  std::atomic<uint64_t> probed_ns = 0;   ///< last word that it was asked for to see if it answers
  std::atomic<uint64_t> failed_ns = 0;   ///< first operation or connection that failed
  std::atomic<int> error = 0;            ///< why, as the library says
};

class Silence {
 public:
  // What is to be said of a peer.
  static constexpr const char* kOverdue =
      "has not answered in time: it is stopped, or the network does not get there";
  static constexpr const char* kRefused =
      "cannot be connected to: it is stopped, or the network does not get there";

  /// Time that this process has run. Never 0.
  uint64_t now_ns() const { return clock_ns_.load(std::memory_order_relaxed); }

  // By any thread.
  void note_heard(Trouble& trouble) const {
    // Threads hear of one peer all the time, and the clock seldom ticks.
    if (trouble.heard_ns.load(std::memory_order_relaxed) != now_ns())
      trouble.heard_ns.store(now_ns(), std::memory_order_relaxed);
  }
  void note_refused(Trouble& trouble);
  void note_failed(Trouble& trouble, int error);

  // By the engine.
  /// Once per turn. True, now and then: it is time to look at operations and peers.
  bool tick();
  bool has_trouble() const { return has_trouble_.load(std::memory_order_relaxed); }
  /// Whether an operation posted then should have been complete long ago.
  bool is_overdue(const Trouble& trouble, uint64_t posted_ns, uint64_t bytes) const;
  bool is_refused(const Trouble& trouble) const;
  /// When `tick` said so, with how often the program's threads have polled, ever: have they done so
  /// all the time since long ago? Then they may wait for somebody who does not answer.
  bool is_waiting_long(uint32_t polls);
  /// True, once in a while, of a peer that has not been heard meanwhile.
  bool is_to_probe(Trouble& trouble) const;
  /// A failure that others have had the time to explain.
  bool has_failed(const Trouble& trouble) const;

 private:
  alignas(64) std::atomic<uint64_t> clock_ns_ = 1;
  std::atomic<bool> has_trouble_ = false;  ///< some peer's Trouble is to be looked at
  uint64_t last_tick_ns_ = 0, last_watch_ns_ = 0;
  uint64_t idle_ns_ = 1;  ///< last watch when nobody had polled
  uint32_t polls_ = 0;    ///< as of the last watch
};

}  // namespace uccs::net
