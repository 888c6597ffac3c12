// SPDX-License-Identifier: BSD-3-Clause
/// What goes on beside the calls: what the instance's thread sleeps on and looks at, credits,
/// and farewells.
#include <algorithm>

#include "base/backoff.hpp"
#include "base/clock.hpp"
#include "net/ucx/ucx.hpp"

namespace uccs::net::ucx {

Engine::Counts Ucx::count(const Engine::Share& share) {
  if (share.index == 0) tick();
  Engine::Counts counts;
  for (int i = share.index; i < workers_max(); i += share.count) {
    counts.polls += channels_[i].polls_.load(std::memory_order_relaxed);
    counts.long_posts += channels_[i].long_posts_.load(std::memory_order_relaxed);
  }
  return counts;
}

void Ucx::collect(Engine::Watch& watch) {
  for (int i = watch.share.index; i < workers_max(); i += watch.share.count) {
    ucx::Channel& channel = channels_[i];
    // Acquire: pairs with the end of `start`.
    if (!channel.is_open_.load(std::memory_order_acquire)) continue;
    if (i >= inlets_ && channel.under_way_.count() == 0) continue;
    if (channel.is_armed_) {
      watch.add(channel.fd_, i);
      continue;
    }
    if (channel.fd_ < 0 || !channel.lock_->try_lock()) {
      watch.can_sleep = false;
      continue;
    }
    const ucs_status_t armed = ucp_worker_arm(channel.worker_);
    channel.lock_->unlock();
    if (armed == UCS_ERR_BUSY) watch.has_events = true;
    channel.is_armed_ = armed == UCS_OK;
    watch.add(armed == UCS_OK || armed == UCS_ERR_BUSY ? channel.fd_ : -1, i);
  }
}

Ucx::Found Ucx::poll_those(const Engine::Look& look) {
  Found found;
  for (int i = 0; i < workers_max(); ++i) {
    ucx::Channel& channel = channels_[i];
    if (!look.is_at(i) || !channel.is_open_.load(std::memory_order_acquire)) continue;
    if (i >= inlets_ && channel.under_way_.count() == 0) continue;
    if (!channel.lock_->try_lock()) continue;
    const uint32_t before = channel.ended_, short_before = channel.messages_,
                   long_before = channel.long_messages_;
    const int handled = channel.poll();
    found.is_any = handled > 0 || found.is_any;
    found.has_ended = channel.ended_ != before || found.has_ended;
    // UCX's own gets and atomics are short, too; here it says how many of all it has handled.
    const auto own_short = static_cast<int>(channel.messages_ - short_before),
               own_long = static_cast<int>(channel.long_messages_ - long_before);
    found.messages += std::max(own_short, handled - own_long);
    channel.lock_->unlock();
  }
  return found;
}

int Ucx::look(const Engine::Look& look) {
  for (int i = 0; i < workers_max(); ++i)
    if (look.is_at(i)) channels_[i].is_armed_ = false;
  const Found found = poll_those(look);
  if (found.has_ended || mail_.has_waiting()) {
    mail_.ring();
  } else if (found.is_any || look.was_woken) {
    mail_.ring_for_memory();
  }
  mail_.return_owed();
  attend();
  return found.messages;
}

bool Ucx::send_credits(int ec, int lane, const Returned& returned) {
  PeerState* peer = peers_.reach(ec);
  if (!peer) return true;  // nobody waits for them
  ucx::Channel& channel = channels_[lane % inlets_];
  if (!channel.lock_->try_lock()) return false;
  const std::lock_guard guard(*channel.lock_, std::adopt_lock);
  return channel.send_control(ec, *peer, lane, MessageKind::kCredit, &returned, sizeof returned);
}

void Ucx::take_control(int source, MessageKind kind) {
  PeerState& peer = peers_.state_of(source);
  switch (kind) {
    case MessageKind::kHello:
      peer.is_talking.store(true, std::memory_order_relaxed);
      return;
    case MessageKind::kFarewell:
      peer.says_farewell.store(true, std::memory_order_relaxed);
      peer.wants_answer.store(true, std::memory_order_relaxed);
      has_duties_.store(true, std::memory_order_release);
      return;
    case MessageKind::kAnswer:
      peer.has_answered.store(true, std::memory_order_relaxed);
      return;
    default:
      return;
  }
}

/// False: it is still owed.
bool Ucx::send_owed(int ec, PeerState& peer, MessageKind kind, std::atomic<bool>& is_owed) {
  if (!is_owed.exchange(false, std::memory_order_relaxed) || !peers_.reach(ec)) return true;
  ucx::Channel& channel = channels_[0];
  const bool is_mine = channel.lock_->try_lock();
  const bool is_sent = is_mine && channel.send_control(ec, peer, 0, kind, nullptr, 0);
  if (is_mine) channel.lock_->unlock();
  if (!is_sent) is_owed.store(true, std::memory_order_relaxed);
  return is_sent;
}

void Ucx::attend_now() {
  if (!has_duties_.exchange(false, std::memory_order_acquire)) return;
  bool is_unfinished = false;
  peers_.for_each([&](int ec, PeerState& peer) {
    is_unfinished = !send_owed(ec, peer, MessageKind::kHello, peer.is_owed_hello) || is_unfinished;
    is_unfinished = !send_owed(ec, peer, MessageKind::kAnswer, peer.wants_answer) || is_unfinished;
    is_unfinished = !send_keys(ec, peer) || is_unfinished;
  });
  if (is_unfinished) has_duties_.store(true, std::memory_order_relaxed);
}

/// All that was posted arrives, and all that this EC has talked with learn that it closes, before
/// it does: what is under way on a connection when it closes may be lost, and to the others a
/// connection that closes looks like an EC that died.
void Ucx::say_farewell(uint64_t deadline_ns) {
  base::Backoff backoff;
  const auto wait_for = [&](auto is_done) {
    while (!is_done() && base::now_ns() < deadline_ns) {
      const bool has_moved = poll_those({}).is_any;
      attend();
      if (has_moved)
        backoff.reset();
      else
        backoff.pause();
    }
  };
  const auto is_quiet = [&] {
    for (int i = 0; i < workers_max(); ++i)
      if (!channels_[i].under_way_.is_none()) return false;
    return true;
  };
  wait_for(is_quiet);
  const auto for_talkers = [&](auto act) {
    bool is_all = true;
    peers_.for_each([&](int ec, PeerState& peer) {
      const bool has_talked = peer.is_greeted.load(std::memory_order_relaxed) ||
                              peer.is_talking.load(std::memory_order_relaxed);
      if (!has_talked || peer.says_farewell.load(std::memory_order_relaxed) ||
          peer.trouble.failed_ns.load(std::memory_order_relaxed) != 0)
        return;
      is_all = act(ec, peer) && is_all;
    });
    return is_all;
  };
  wait_for([&] {
    return for_talkers([&](int ec, PeerState& peer) {
      if (peer.has_heard_farewell || !peers_.reach(ec)) return true;
      const std::lock_guard guard(*channels_[0].lock_);
      peer.has_heard_farewell =
          channels_[0].send_control(ec, peer, 0, MessageKind::kFarewell, nullptr, 0);
      return peer.has_heard_farewell;
    });
  });
  wait_for([&] {
    const bool is_answered = for_talkers(
        [](int, PeerState& peer) { return peer.has_answered.load(std::memory_order_relaxed); });
    return is_answered && !has_duties_.load(std::memory_order_relaxed) && is_quiet();
  });
  for (int i = 0; i < workers_max(); ++i) channels_[i].drain(deadline_ns);
}

}  // namespace uccs::net::ucx
