// SPDX-License-Identifier: BSD-3-Clause
/// Channels: puts, gets, and the completions of all that they post.
#include <string.h>

#include <new>
#include <type_traits>

#include "base/clock.hpp"
#include "mem/copy.hpp"
#include "net/ofi/ofi.hpp"
#include "net/parts/foreign.hpp"

namespace uccs::net::ofi {
namespace {

/// Looks between those for what was injected, of which nothing is heard, when it cannot leave at
/// once.
constexpr uint32_t kInjectedEvery = 16;
/// Looks between those that are timed.
constexpr uint32_t kTimedEvery = 8;

/// A thread that has not looked at its channel's inlet for so many looks serves another one.
constexpr uint32_t kAwayTurns = 64;

/// Of puts by others the provider says nothing, but a look that takes in many bytes is so much
/// longer; one in vain takes less than that.
constexpr uint64_t kMovingNs = 5'000, kVainNs = 500;

bool is_within(const Extent& area, const void* memory, size_t bytes) {
  const auto offset = reinterpret_cast<uintptr_t>(memory) - reinterpret_cast<uintptr_t>(area.base);
  return offset < area.bytes && bytes <= area.bytes - offset;
}

uccs_status_t status_of(int error) {
  switch (error) {
    case FI_EACCES:
    case FI_EINVAL:
    case FI_ENOKEY:
      return UCCS_ERR_ADDRESS;
    default:
      return UCCS_ERR_PEER_FAILED;
  }
}

}  // namespace

bool Ofi::Channel::start(Ofi* owner, int index) {
  Fabric& fabric = *owner->fabric_;
  owner_ = owner;
  index_ = index;
  is_connected_ = base::make_sparse<bool>(owner->table_size());
  unproved_ = base::make_sparse<Proof>(static_cast<size_t>(owner->num_ecs_));
  inlet_ = index < owner->shape_.lanes ? &owner->inlets_[index] : nullptr;
  Port* opened = inlet_ ? inlet_->port : fabric.open_port(owner->table_size());
  if (!is_connected_ || !unproved_ || !opened) return false;
  buffers_ = make_pool<Buffer>(opened, kBuffers, free_buffers_);
  works_ = make_pool<Work>(opened, kWorks, free_works_);
  if (!buffers_ || !works_) return false;
  if (!inlet_ && fabric.needs_local_registration() && !fabric.register_areas(opened)) return false;
  port_ = opened;
  if (inlet_) {
    const std::lock_guard guard(port_->domain->lock);
    inlet_->is_shared = true;
  }
  return true;
}

template <typename T>
std::unique_ptr<T[]> Ofi::Channel::make_pool(Port* of, size_t count, Work*& pool) {
  std::unique_ptr<T[]> made(new (std::nothrow) T[count]);
  if (!made) return nullptr;
  void* descriptor = nullptr;
  if constexpr (!std::is_same_v<T, Work>)
    if (!owner_->fabric_->register_buffers(of, made.get(), count * sizeof(T), &descriptor))
      return nullptr;
  for (size_t i = 0; i < count; ++i) {
    if constexpr (!std::is_same_v<T, Work>) made[i].descriptor = descriptor;
    made[i].home = &pool;
    give_back(&made[i]);
  }
  return made;
}
template std::unique_ptr<Carrier[]> Ofi::Channel::make_pool(Port*, size_t, Work*&);

Work* Ofi::Channel::take(Work*& pool) {
  Work* work = pool;
  if (work) pool = static_cast<Work*>(work->next);
  return work;
}

void Ofi::Channel::give_back(Work* work) {
  work->next = *work->home;
  *work->home = work;
}

/// What the local side is called by a provider that wants it registered: this EC's areas are, other
/// memory is for as long as the operation takes. nullptr, with `work->temporary` as well: refused.
void* Ofi::Channel::describe_local(const void* memory, size_t bytes, Work* work) {
  work->temporary = nullptr;
  const Fabric& fabric = *owner_->fabric_;
  if (is_within(fabric.heap(), memory, bytes)) {
    const auto* at = static_cast<const std::byte*>(memory);
    const Remote here = {Area::kHeap, static_cast<uint64_t>(at - fabric.heap().base), 0};
    fid_mr* mr = bytes_in_chunk(here, bytes) == bytes
                     ? owner_->fabric_->register_chunk(port_, chunk_of(here.offset))
                     : nullptr;
    if (mr) return fi_mr_desc(mr);
  }
  if (is_within(fabric.statics(), memory, bytes)) return fi_mr_desc(port_->statics);
  auto* base = static_cast<std::byte*>(const_cast<void*>(memory));
  work->temporary = owner_->fabric_->register_with(port_, {base, bytes});
  return work->temporary ? fi_mr_desc(work->temporary) : nullptr;
}

uccs_status_t Ofi::Channel::finish_post(ssize_t posted, Work* work, PeerState& peer, int ec,
                                        size_t bytes) {
  if (posted == 0) {
    std::atomic<uint64_t>& refused_ns = peer.trouble.refused_ns;
    if (refused_ns.load(std::memory_order_relaxed) != 0)
      refused_ns.store(0, std::memory_order_relaxed);
    if (!work) return UCCS_IN_PROGRESS;
    work->ec = ec;
    work->bytes = bytes;
    work->posted_ns = owner_->silence_.now_ns();
    under_way_.fetch_add(1, std::memory_order_relaxed);
    return UCCS_IN_PROGRESS;
  }
  if (work && work->temporary) {
    fi_close(&work->temporary->fid);
    work->temporary = nullptr;
  }
  if (work) give_back(work);
  if (posted == -FI_EAGAIN) owner_->silence_.note_refused(peer.trouble);
  if (posted != -FI_EAGAIN) return status_of(static_cast<int>(-posted));
  poll();
  return UCCS_AGAIN;
}

uccs_status_t Ofi::Channel::transfer(bool is_put, int ec, const Remote& remote, void* local,
                                     size_t bytes, Completion* completion) {
  Ofi& ofi = *owner_;
  if (remote.area == Area::kRegistered) return UCCS_ERR_UNSUPPORTED;
  const bool is_heap = remote.area == Area::kHeap;
  if (ec == ofi.me_) {
    const Extent area = is_heap ? ofi.fabric_->heap() : ofi.fabric_->statics();
    if (remote.offset > area.bytes || bytes > area.bytes - remote.offset) return UCCS_ERR_ADDRESS;
    std::byte* there = area.base + remote.offset;
    if (bytes > 0) mem::copy(is_put ? there : local, is_put ? local : there, bytes);
    return UCCS_OK;
  }
  if (bytes == 0) return UCCS_OK;
  PeerState* peer = ofi.peers_.reach(ec);
  if (!peer) return UCCS_ERR_PEER_FAILED;
  const size_t room = is_heap ? peer->heap_bytes : peer->static_bytes;
  if (remote.offset > room || bytes > room - remote.offset) return UCCS_ERR_ADDRESS;
  if (bytes > ofi.fabric_->info().ep_attr->max_msg_size || bytes_in_chunk(remote, bytes) < bytes)
    return UCCS_ERR_UNSUPPORTED;
  const std::lock_guard guard(port_->domain->lock);  // for a moment: others only look at the queue
  const int lane = index_ % peer->lanes;
  Key key;
  if (!find_key(*peer, ec, lane, remote, &key)) {
    poll();
    return UCCS_AGAIN;
  }
  const fi_addr_t address = ofi.address_of(*port_, *peer, ec, lane);
  const uint64_t there = key.base + remote.offset;
  const bool may_go_unasked = !completion && (remote.is_flag || !habit_.is_awaited());
  if (may_go_unasked && address != FI_ADDR_UNSPEC && bytes <= ofi.fabric_->unproved_put_max())
    return put_unproved(*peer, ec, local, bytes, address, there, key.key, remote.is_flag);
  const bool is_copied = is_put && bytes <= kPayloadMax;
  Work* work = is_copied ? take_buffer() : take_work();
  if (!work || address == FI_ADDR_UNSPEC) {
    if (work) give_back(work);
    poll();
    return address == FI_ADDR_UNSPEC ? UCCS_ERR_PEER_FAILED : UCCS_AGAIN;
  }
  work->kind = Tracked::Kind::kTransfer;
  work->completion = completion;
  void* descriptor = nullptr;
  if (is_copied) {
    auto* buffer = static_cast<Buffer*>(work);
    memcpy(buffer->data, local, bytes);
    local = buffer->data;
    descriptor = buffer->descriptor;
  } else if (ofi.fabric_->needs_local_registration()) {
    descriptor = describe_local(local, bytes, work);
    if (!descriptor) {
      give_back(work);
      return UCCS_ERR_NO_MEMORY;
    }
  }
  const fi_rma_iov target = {there, bytes, key.key};
  const size_t piece = ofi.fabric_->piece_bytes();
  const bool is_long = piece > 0 && bytes > piece;
  ssize_t posted = 0;
  if (is_long)
    rests_.push_back({work, is_put, static_cast<std::byte*>(local), there, key.key, bytes});
  else if (is_put)
    posted = write(local, descriptor, address, target, work);
  else
    posted = fi_read(port_->ep, local, bytes, descriptor, address, there, key.key, &work->context);
  const uccs_status_t status = finish_post(posted, work, *peer, ec, bytes);
  if (is_long) post_rests();
  if (bytes >= kLongBytes) long_posts_.fetch_add(1, std::memory_order_relaxed);
  if (completion || status != UCCS_IN_PROGRESS) return status;
  if (!remote.is_flag) habit_.put();
  proofs_.await(work->proof, ofi.flushes_.now());
  return UCCS_OK;
}

/// Complete when the endpoint's attributes say. xnet's fi_write takes no notice of them: it is
/// told.
ssize_t Ofi::Channel::write(const void* source, void* descriptor, fi_addr_t address,
                            const fi_rma_iov& target, Work* work) {
  const Fabric& fabric = *owner_->fabric_;
  if (!fabric.is_xnet())
    return fi_write(port_->ep, source, target.len, descriptor, address, target.addr, target.key,
                    &work->context);
  return write_until(fabric.info().tx_attr->op_flags, source, descriptor, address, target, work);
}

ssize_t Ofi::Channel::write_until(uint64_t when, const void* source, void* descriptor,
                                  fi_addr_t address, const fi_rma_iov& target, Work* work) {
  const iovec from = {const_cast<void*>(source), target.len};
  const fi_msg_rma put = {&from, &descriptor, 1, address, &target, 1, &work->context, 0};
  return fi_writemsg(port_->ep, &put, FI_COMPLETION | when);
}

uccs_status_t Ofi::Channel::put(int ec, const Remote& dest, const void* source, size_t bytes,
                                Completion* completion) {
  return transfer(true, ec, dest, const_cast<void*>(source), bytes, completion);
}

uccs_status_t Ofi::Channel::get(int ec, const Remote& source, void* dest, size_t bytes,
                                Completion* completion) {
  return transfer(false, ec, source, dest, bytes, completion);
}

int Ofi::Channel::poll() {
  const Seen seen = owner_->read(*port_, inlet_, this);
  if (seen.pushed > 0) owner_->mail_.ring();
  return seen.ended;
}

void Ofi::Channel::take(Work* work, int error) {
  if (work->kind == Tracked::Kind::kTransfer) return end(work, error);
  Trouble& trouble = owner_->peers_.state_of(work->ec).trouble;
  if (error != 0) owner_->silence_.note_failed(trouble, error);
  if (work->kind == Tracked::Kind::kPiece) {
    --pieces_;
    if (error == 0) owner_->silence_.note_heard(trouble);
  }
  work->posted_ns = 0;
  give_back(work);
  under_way_.fetch_sub(1, std::memory_order_release);
}

void Ofi::Channel::end(Work* work, int error) {
  const uccs_status_t status = error == 0 ? UCCS_OK : status_of(error);
  Trouble& trouble = owner_->peers_.state_of(work->ec).trouble;
  work->posted_ns = 0;
  if (status == UCCS_ERR_PEER_FAILED)
    owner_->silence_.note_failed(trouble, error);
  else
    owner_->silence_.note_heard(trouble);
  // Of a put that a quiet waits for nobody else can be told. What names the peer ends the job.
  const bool is_named = status == UCCS_ERR_PEER_FAILED && owner_->is_watching();
  if (!is_named || !work->proof.is_awaited) finished_.add(work, status);
}

int Ofi::Channel::complete_finished() {
  return finished_.tell(
      port_->domain->lock,
      [this](Pending* pending) {
        auto* work = static_cast<Work*>(pending);
        if (work->temporary) {
          fi_close(&work->temporary->fid);
          work->temporary = nullptr;
        }
        if (work->proof.is_awaited) proofs_.end(work->proof, work->status, owner_->is_closing());
        give_back(work);
      },
      [this] { under_way_.fetch_sub(1, std::memory_order_release); });
}

/// Has the thread of the channel that the inlet belongs to looked since this one last asked? What
/// this one takes there, on another CPU, it takes from that.
bool Ofi::Channel::is_attended(int lane) {
  if (lane >= owner_->shape_.channels) return false;
  const uint32_t turn = owner_->channels_[lane].home_turn_.load(std::memory_order_relaxed);
  const bool has_looked = turn != turns_seen_[lane].load(std::memory_order_relaxed);
  turns_seen_[lane].store(turn, std::memory_order_relaxed);
  return has_looked;
}

bool Ofi::Channel::await(const Flag& flag, int looks) {
  if (!inlet_) return false;
  Ofi& ofi = *owner_;
  int looked = 0, taken = 0, pushed = 0, steps = 0;
  bool has_come = flag.is_set();
  const uint64_t start = base::now_ns();
  for (; looked < looks && !has_come; ++looked) {
    pushed = ofi.poll_inlet(*inlet_, this, &taken);
    steps = complete_finished();
    has_come = taken > 0 || steps > 0 || flag.is_set();
  }
  note_polls(looked);
  const bool has_moved =
      base::now_ns() - start > kMovingNs + kVainNs * static_cast<uint64_t>(looked);
  if (taken > 0 || has_moved) ofi.mail_.note_movement();
  if (pushed > 0) ofi.mail_.ring();  // this thread may not come back
  return has_come;
}

/// Returns how often it has.
uint32_t Ofi::Channel::note_polls(int more) {
  const uint32_t before = polls_.load(std::memory_order_relaxed);
  const uint32_t polls = before + static_cast<uint32_t>(more);
  polls_.store(polls, std::memory_order_relaxed);
  owner_->engine_.note_polls(index_, before, polls);
  return polls;
}

void Ofi::Channel::look_at_foreign(int lane, uint32_t turn) {
  Ofi& ofi = *owner_;
  const uint32_t every = foreign_every(ofi.is_crowded_());
  if (turn % every >= 2) return;
  const auto other = static_cast<int>(turn / every % ofi.shape_.lanes);
  if (other != lane && !is_attended(other) && ofi.poll_inlet(ofi.inlets_[other], this) > 0)
    ofi.mail_.ring();
}

/// Each look at a queue is a system call or more, so none is looked at twice in a round: core calls
/// for each lane that it serves, and once without classes for completions when it waits for some.
int Ofi::Channel::progress(int lane, uint32_t traffic, int budget, const Sink& sink) {
  Ofi& ofi = *owner_;
  const uint32_t turn = note_polls(1);
  const bool is_for_completions = traffic == 0;
  const int looked = looked_.load(std::memory_order_relaxed);
  const bool was_looked_at = !is_for_completions && looked > 0;
  if (is_for_completions || was_looked_at)
    looked_.store(is_for_completions ? ofi.shape_.lanes : looked - 1, std::memory_order_relaxed);
  const bool has_more = !was_looked_at && under_way_.load(std::memory_order_relaxed) >
                                              asked_.load(std::memory_order_relaxed);
  const bool is_its_lane = !is_for_completions && inlet_ == &ofi.inlets_[lane];
  if (!is_its_lane && (has_more || turn % kInjectedEvery == 0)) {
    if (inlet_) {
      if (ofi.poll_inlet(*inlet_, this) > 0) ofi.mail_.ring();
    } else if (port_->domain->lock.try_lock()) {
      poll();
      port_->domain->lock.unlock();
    }
  }
  int steps = complete_finished();
  ofi.mail_.return_owed();
  if (is_for_completions) return steps;
  if (is_its_lane) home_turn_.store(turn, std::memory_order_relaxed);
  // Answers come to where the thread looks all the time, not to lanes that it looks after besides.
  if (is_its_lane || turn - home_turn_.load(std::memory_order_relaxed) > kAwayTurns)
    lane_.store(lane, std::memory_order_relaxed);
  const bool is_timed = turn % kTimedEvery < 2;  // of two calls in a round it may be either
  int taken = 0;
  const uint64_t start = is_timed ? base::now_ns() : 0;
  ofi.poll_inlet(ofi.inlets_[lane], this, &taken);
  if (taken > 0 || (start != 0 && base::now_ns() - start > kMovingNs)) ofi.mail_.note_movement();
  if (ofi.shape_.lanes > 1 && turn % kForeignEvery < 2) look_at_foreign(lane, turn);
  steps += complete_finished();
  steps += ofi.mail_.deliver(lane, traffic, budget, sink);
  if (ofi.mail_.has_waiting(lane)) ofi.mail_.ring();  // this thread may not come back
  return steps;
}

}  // namespace uccs::net::ofi
