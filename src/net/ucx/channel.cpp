// SPDX-License-Identifier: BSD-3-Clause
/// Channels: puts and gets, what to do of atomics, and the ends of all.
#include <string.h>

#include <utility>

#include "mem/copy.hpp"
#include "net/parts/foreign.hpp"
#include "net/ucx/ucx.hpp"

namespace uccs::net::ucx {
namespace {

/// What an atomic can write.
bool is_word(uint64_t address, size_t bytes) {
  return (bytes == 8 || bytes == 4) && address % bytes == 0;
}

}  // namespace

/// Over tcp: by messages, of which the short ones of models are not answered.
uccs_status_t Channel::put_by_message(int ec, PeerState& peer, const Remote& dest, uint64_t there,
                                      const void* source, size_t bytes, Completion* completion) {
  if (!completion && may_go_unasked(dest, bytes))
    return put_unasked(ec, peer, dest, there, source, bytes);
  if (is_word(there, bytes)) {
    // Its answer says that it is there, and takes the way of a put's; a flush would take another.
    AtomicArguments set = {};
    set.op = base::AtomicOp::kSet;
    set.type = bytes == 8 ? base::AtomicType::kUint64 : base::AtomicType::kUint32;
    memcpy(&set.operand, source, bytes);
    return exchange(ec, peer, dest, set, nullptr, completion);
  }
  Channel& road = road_for(bytes);
  const uccs_status_t status = road.deliver(ec, peer, dest, source, bytes, nullptr, completion);
  if (bytes >= kLongBytes) help_on(road);
  return status;
}

uccs_status_t Channel::put(int ec, const Remote& dest, const void* source, size_t bytes,
                           Completion* completion) {
  if (!completion && bytes > 0 && may_go_unasked(dest, bytes)) {  // as in `get`
    const std::unique_lock guard(*lock_, std::try_to_lock);
    if (const Aim* again = guard.owns_lock() ? aim_again(ec, dest, bytes) : nullptr) [[likely]]
      return put_unasked_to(*again->link, dest, source, bytes);
  }
  PeerState* peer;
  uint64_t there;
  const uccs_status_t found = prepare(ec, dest, bytes, &peer, &there);
  if (found != UCCS_OK || bytes == 0) return found;
  if (!peer) {
    mem::copy(reinterpret_cast<void*>(there), source, bytes);
    return UCCS_OK;
  }
  const uccs_status_t status =
      owner_->library_.is_tcp()
          ? put_by_message(ec, *peer, dest, there, source, bytes, completion)
          : transfer(true, ec, *peer, dest, there, const_cast<void*>(source), bytes, completion);
  if (completion || status != UCCS_IN_PROGRESS) return status;
  if (!dest.is_flag) habit_.put();
  return UCCS_OK;
}

uccs_status_t Channel::put_signal(int ec, const Remote& dest, const void* source, size_t bytes,
                                  const Signal& signal, Completion* completion) {
  if (!owner_->library_.is_tcp() || ec == owner_->me_ || bytes == 0) return UCCS_ERR_UNSUPPORTED;
  PeerState* peer;
  uint64_t there;
  uccs_status_t found = prepare(ec, signal.target, sizeof(uint64_t), &peer, &there);
  if (found == UCCS_OK) found = prepare(ec, dest, bytes, &peer, &there);
  if (found != UCCS_OK) return found;
  const uccs_status_t status =
      road_for(bytes).deliver(ec, *peer, dest, source, bytes, &signal, completion);
  return !completion && status == UCCS_IN_PROGRESS ? UCCS_OK : status;
}

uccs_status_t Channel::get(int ec, const Remote& source, void* dest, size_t bytes,
                           Completion* completion) {
  if (bytes - 1 < kLongBytes - 1) {  // the quick way, to where the last one went
    const std::unique_lock guard(*lock_, std::try_to_lock);
    if (const Aim* again = guard.owns_lock() ? aim_at_again(ec, source, bytes) : nullptr) [[likely]]
      return transfer_to(*again, false, source, dest, bytes, completion);
  }
  PeerState* peer;
  uint64_t there;
  const uccs_status_t found = prepare(ec, source, bytes, &peer, &there);
  if (found != UCCS_OK || bytes == 0) return found;
  if (!peer) {
    mem::copy(dest, reinterpret_cast<const void*>(there), bytes);
    return UCCS_OK;
  }
  if (bytes < kLongBytes || !owner_->library_.is_tcp())
    return transfer(false, ec, *peer, source, there, dest, bytes, completion);
  Channel& road = road_for(bytes);
  const uccs_status_t status = road.fetch(ec, *peer, source, dest, bytes, completion);
  help_on(road);
  return status;
}

uccs_status_t Channel::atomic(int ec, const Remote& target, const AtomicArguments& arguments,
                              uint64_t* result_out, Completion* completion) {
  const size_t bytes = base::atomic_size(arguments.type);
  if (owner_->library_.has_atomics()) {  // as in `get`
    const std::unique_lock guard(*lock_, std::try_to_lock);
    const Aim* again = guard.owns_lock() ? aim_at_again(ec, target, bytes) : nullptr;
    if (again && is_word(again->base + target.offset, bytes)) [[likely]] {
      const uccs_status_t status = fetch_op_at(*again, target, arguments, result_out, completion);
      if (status != UCCS_ERR_UNSUPPORTED) return status;
    }
  }
  PeerState* peer;
  uint64_t there;
  const uccs_status_t found = prepare(ec, target, bytes, &peer, &there);
  if (found != UCCS_OK) return found;
  if (!is_word(there, bytes)) return UCCS_ERR_INVALID;  // over there it would be no message
  if (!peer) {
    const uint64_t old =
        base::atomic_apply_any(arguments.op, arguments.type, reinterpret_cast<void*>(there),
                               arguments.operand, arguments.expected);
    if (result_out) *result_out = old;
    return UCCS_OK;
  }
  const uccs_status_t status =
      fetch_op(ec, *peer, target, there, arguments, result_out, completion);
  return status == UCCS_ERR_UNSUPPORTED
             ? exchange(ec, *peer, target, arguments, result_out, completion)
             : status;
}

/// What an operation of that length over tcp goes by.
Channel& Channel::road_for(size_t bytes) {
  if (bytes < kLongBytes || index_ >= owner_->inlets_) return *this;
  Channel* bulk = bulk_.load(std::memory_order_acquire);
  if (!bulk) bulk_.store(bulk = owner_->open_bulk(index_), std::memory_order_release);
  return bulk ? *bulk : *this;
}

/// After a long operation was posted by `road`.
void Channel::help_on(Channel& road) {
  long_posts_.fetch_add(1, std::memory_order_relaxed);
  help(kLooksPerLong);
  if (&road != this) road.help(kLooksPerLong);
}

/// Nothing is under way, to the EC or, when that is negative, at all. False also when that cannot
/// be told now.
bool Channel::is_idle(int ec) {
  if (under_way_.is_none()) return true;
  if (ec < 0 || !lock_->try_lock()) return false;
  const std::lock_guard guard(*lock_, std::adopt_lock);
  for (int worker = 0; worker < owner_->inlets_max_; ++worker) {
    const Link* link = links_[static_cast<size_t>(ec * owner_->inlets_max_ + worker)];
    if (link && !link->under_way.is_none()) return false;
  }
  return true;
}

/// No thread has put anything without completion that is not known to be visible.
bool Channel::is_all_proved() const {
  const auto is_proved = [](const Channel* each) { return !each || each->proofs_.are_none(); };
  const int opened = owner_->opened_.load(std::memory_order_acquire);
  for (int i = 0; i < opened; ++i) {
    const Channel& each = owner_->channels_[i];
    if (!is_proved(&each) || !is_proved(each.bulk_.load(std::memory_order_acquire))) return false;
  }
  return true;
}

uccs_status_t Channel::flush(int ec, Flush* flush) {
  const bool has_begun = flush->number != 0;
  if (!has_begun) habit_.flush();
  if (has_begun || !is_all_proved()) {
    if (!has_begun) flush->number = owner_->flushes_.begin();
    if (!prove_all(flush->number)) return UCCS_IN_PROGRESS;
  }
  if (ec == owner_->me_ || flush->leaves_completions) return UCCS_OK;
  Channel* bulk = bulk_.load(std::memory_order_acquire);
  return is_idle(ec) && (!bulk || bulk->is_idle(ec)) ? UCCS_OK : UCCS_IN_PROGRESS;
}

/// False: something from before the flush is not known to be visible yet; that has been asked for.
bool Channel::prove_all(uint64_t flush) {
  // What other threads have put a thread may have to wait for, while they compute, or while they
  // wait for a CPU.
  const bool may_help =
      polls_.load(std::memory_order_relaxed) % kForeignEvery == 0 || under_way_.count() == 0;
  bool is_proved_everywhere = true;
  const int opened = owner_->opened_.load(std::memory_order_acquire);
  const auto look_after = [&](Channel& each) {
    is_proved_everywhere = each.is_proved(flush) && is_proved_everywhere;
    if (may_help && &each != this && each.under_way_.count() > 0) each.look();
  };
  for (int i = 0; i < opened; ++i) {
    Channel& each = owner_->channels_[i];
    if (!each.is_open_.load(std::memory_order_acquire)) continue;
    look_after(each);
    if (Channel* bulk = each.bulk_.load(std::memory_order_acquire)) look_after(*bulk);
  }
  return is_proved_everywhere;
}

int Channel::poll() {
  start_flushes();
  return static_cast<int>(ucp_worker_progress(worker_));
}

uint32_t Channel::note_polls(int more) {
  const uint32_t before = polls_.load(std::memory_order_relaxed);
  const uint32_t polls = before + static_cast<uint32_t>(more);
  polls_.store(polls, std::memory_order_relaxed);
  owner_->engine_.note_polls(index_, before, polls);
  return polls;
}

/// Who posts much moves what it can of the earlier ones, so that nobody has to take the
/// CPU from it for that (Engine).
void Channel::help(int looks) {
  note_polls(1);
  for (; looks > 0 && lock_->try_lock(); --looks) {
    const bool has_moved = poll() > 0;
    lock_->unlock();
    if (!has_moved) return;
  }
}

/// Polls unless another thread does. Returns how many operations have ended.
int Channel::look() {
  if (!lock_->try_lock()) return 0;
  const uint32_t before = ended_;
  looks_.store(looks_.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
  if (poll() > 0) owner_->mail_.note_movement();
  const auto ended = static_cast<int>(ended_ - before);
  lock_->unlock();
  return ended;
}

/// Each look may be a system call, and takes messages from who waits for them: not where somebody
/// looks anyway.
void Channel::look_at_foreign(int own, uint32_t polls) {
  if (polls % kForeignEvery != 0) return;
  const uint32_t every = foreign_every(owner_->is_crowded_());
  if (polls % every != 0) return;
  const auto number = static_cast<int>(polls / every % static_cast<uint32_t>(owner_->inlets_));
  if (number == own || number == index_) return;
  Channel& other = owner_->channels_[number];
  if (other.looks_.load(std::memory_order_relaxed) ==
      looks_seen_[number].load(std::memory_order_relaxed))
    other.look();
  looks_seen_[number].store(other.looks_.load(std::memory_order_relaxed),
                            std::memory_order_relaxed);
}

bool Channel::await(const Flag& flag, int looks) {
  int looked = 0;
  bool has_moved = flag.is_set();
  for (; looked < looks && !has_moved && lock_->try_lock(); ++looked) {
    has_moved = poll() > 0;
    lock_->unlock();
  }
  note_polls(looked);
  looks_.store(looks_.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
  if (!has_moved) return flag.is_set();
  owner_->mail_.note_movement();
  if (owner_->mail_.has_waiting()) owner_->mail_.ring();  // this thread may not come back
  return true;
}

int Channel::progress(int lane, uint32_t traffic, int budget, const Sink& sink) {
  Ucx& ucx = *owner_;
  const uint32_t polls = note_polls(1);
  int steps = 0;
  const int inlet = ucx.inlets_ == 1 ? 0 : lane % ucx.inlets_;
  if (index_ == inlet || under_way_.count() > 0) steps += look();
  if (index_ != inlet) ucx.channels_[inlet].look();
  Channel* bulk = bulk_.load(std::memory_order_acquire);
  if (bulk && bulk->under_way_.count() > 0) steps += bulk->look();
  if (ucx.inlets_ > 1) look_at_foreign(inlet, polls);
  steps += ucx.mail_.deliver(lane, traffic, budget, sink);
  ucx.mail_.return_owed();
  ucx.attend();
  return steps;
}

}  // namespace uccs::net::ucx
