// SPDX-License-Identifier: BSD-3-Clause
/// Channels: puts and gets, what to do of atomics, and the ends of all.
#include <string.h>

#include <utility>

#include "mem/copy.hpp"
#include "net/parts/foreign.hpp"
#include "net/ucx/ucx.hpp"

namespace uccs::net::ucx {
namespace {

bool is_within(uint64_t offset, size_t bytes, uint64_t room) {
  return offset <= room && bytes <= room - offset;
}

/// What an atomic can write.
bool is_word(uint64_t address, size_t bytes) {
  return (bytes == 8 || bytes == 4) && address % bytes == 0;
}

}  // namespace

Operation* Channel::take_operation(Link& link, size_t bytes, Completion* completion) {
  Pending* pending = free_operations_;
  if (!pending) return nullptr;
  free_operations_ = pending->next;
  auto* operation = static_cast<Operation*>(pending);
  operation->link = &link;
  operation->bytes = bytes;
  operation->completion = completion;
  operation->status = UCCS_OK;
  operation->buffer = nullptr;
  operation->batch = nullptr;
  operation->leaving = 1;
  operation->result = nullptr;
  return operation;
}

void Channel::give_back(Operation* operation) {
  operation->next = free_operations_;
  free_operations_ = operation;
}

/// One of the things that the operation waits for has happened; with the last one it is over.
void Channel::end_one(Operation* operation, ucs_status_t status) {
  if (status != UCS_OK && operation->status == UCCS_OK)
    operation->status = status_of(*operation->link, status);
  if (--operation->waits > 0) return;
  operation->posted_ns = 0;
  if (operation->status == UCCS_AGAIN) return;  // the peer is gone, which ends the job
  if (operation->status == UCCS_OK) owner_->silence_.note_heard(operation->link->peer->trouble);
  if (operation->buffer) give_back(operation->buffer);
  const uccs_status_t outcome = operation->status;
  if (operation->result && outcome == UCCS_OK) *operation->result = operation->reply;
  Link* link = operation->link;
  Completion* completion = operation->completion;
  if (operation->proof.is_awaited) proofs_.end(operation->proof, outcome, owner_->is_closing());
  give_back(operation);
  if (completion) completion->done(completion, outcome);
  link->under_way.remove();
  under_way_.remove();
  ++ended_;
}

/// Looks at the answer of a post whose operation waits for its own end.
uccs_status_t Channel::post_over(Operation* operation, ucs_status_ptr_t posted) {
  Link& link = *operation->link;
  const bool needs_flush = operation->waits > 1;
  if (UCS_PTR_IS_ERR(posted)) {
    const uccs_status_t status = status_of(link, UCS_PTR_STATUS(posted));
    if (operation->buffer) give_back(operation->buffer);
    give_back(operation);
    return status;
  }
  if (!posted) {  // has ended here
    if (operation->buffer) give_back(operation->buffer);
    operation->buffer = nullptr;
    if (!needs_flush) {
      if (operation->result) *operation->result = operation->reply;
      give_back(operation);
      return UCCS_OK;
    }
    --operation->waits;
  }
  if (needs_flush) {
    operation->next = link.unflushed;
    link.unflushed = operation;
    mark_dirty(link);
  }
  if (!operation->completion) proofs_.await(operation->proof, owner_->flushes_.now());
  return go_on(operation);
}

/// From now on the operation is under way.
uccs_status_t Channel::go_on(Operation* operation) {
  operation->posted_ns = owner_->silence_.now_ns();
  operation->link->under_way.add();
  under_way_.add();
  return UCCS_IN_PROGRESS;
}

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

/// By UCX's own puts and gets.
uccs_status_t Channel::transfer(bool is_put, int ec, PeerState& peer, const Remote& remote,
                                uint64_t there, void* local, size_t bytes, Completion* completion) {
  if (bytes_in_chunk(remote, bytes) < bytes) return UCCS_ERR_UNSUPPORTED;
  if (!lock_->try_lock()) return UCCS_AGAIN;
  const std::lock_guard guard(*lock_, std::adopt_lock);
  Link* link = nullptr;
  ucp_rkey_h key = nullptr;
  const uccs_status_t aimed = aim_at(ec, peer, remote, &link, &key);
  if (aimed != UCCS_OK) return aimed;
  const bool is_copied = is_put && bytes <= kPayloadMax;
  Operation* operation = take_operation(*link, bytes, completion);
  if (operation && is_copied) {
    operation->buffer = take_buffer(*link);
    if (!operation->buffer) {
      give_back(operation);
      operation = nullptr;
    }
  }
  if (!operation) {
    poll();
    return UCCS_AGAIN;
  }
  if (is_copied) {
    memcpy(operation->buffer->data, local, bytes);
    local = operation->buffer->data;
  }
  operation->waits = is_put ? 2 : 1;
  ucp_request_param_t parameters;
  parameters.op_attr_mask = UCP_OP_ATTR_FIELD_CALLBACK | UCP_OP_ATTR_FIELD_USER_DATA;
  parameters.user_data = operation;
  parameters.cb.send = end_request;
  return post_over(operation, is_put
                                  ? ucp_put_nbx(link->ep, local, bytes, there, key, &parameters)
                                  : ucp_get_nbx(link->ep, local, bytes, there, key, &parameters));
}

void Channel::end_request(void* request, ucs_status_t status, void* user) {
  auto* operation = static_cast<Operation*>(user);
  ucp_request_free(request);
  Channel& home = *operation->link->home;
  if (--operation->leaving == 0) {  // the flush, or the answer, may take its time
    if (operation->buffer) home.give_back(std::exchange(operation->buffer, nullptr));
    if (operation->batch) home.give_back_batch(std::exchange(operation->batch, nullptr));
  }
  home.end_one(operation, status);
}

/// Over tcp: by messages, of which the short ones of models are not answered.
uccs_status_t Channel::put_by_message(int ec, PeerState& peer, const Remote& dest, uint64_t there,
                                      const void* source, size_t bytes, Completion* completion) {
  if (!completion && may_go_unasked(dest, bytes)) return put_unasked(ec, peer, dest, source, bytes);
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

uccs_status_t Channel::flush(int ec, Flush* flush) {
  if (flush->number == 0) {
    flush->number = owner_->flushes_.begin();
    habit_.flush();
  }
  // What other threads have put a thread may have to wait for, while they compute, or while they
  // wait for a CPU.
  const bool may_help =
      polls_.load(std::memory_order_relaxed) % kForeignEvery == 0 || under_way_.count() == 0;
  bool is_proved_everywhere = true;
  const int opened = owner_->opened_.load(std::memory_order_acquire);
  const auto look_after = [&](Channel& each) {
    is_proved_everywhere = each.is_proved(flush->number) && is_proved_everywhere;
    if (may_help && &each != this && each.under_way_.count() > 0) each.look();
  };
  for (int i = 0; i < opened; ++i) {
    Channel& each = owner_->channels_[i];
    if (!each.is_open_.load(std::memory_order_acquire)) continue;
    look_after(each);
    if (Channel* bulk = each.bulk_.load(std::memory_order_acquire)) look_after(*bulk);
  }
  if (!is_proved_everywhere) return UCCS_IN_PROGRESS;
  if (ec == owner_->me_ || flush->leaves_completions) return UCCS_OK;
  Channel* bulk = bulk_.load(std::memory_order_acquire);
  return is_idle(ec) && (!bulk || bulk->is_idle(ec)) ? UCCS_OK : UCCS_IN_PROGRESS;
}

int Channel::poll() {
  start_flushes();
  return static_cast<int>(ucp_worker_progress(worker_));
}

uint32_t Channel::note_poll() {
  const uint32_t polls = polls_.load(std::memory_order_relaxed) + 1;
  polls_.store(polls, std::memory_order_relaxed);
  owner_->engine_.note_poll(index_, polls);
  return polls;
}

/// Who posts much moves what it can of the earlier ones, so that nobody has to take the
/// CPU from it for that (Engine).
void Channel::help(int looks) {
  note_poll();
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
  const uint32_t every = foreign_every();
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

int Channel::progress(int lane, uint32_t traffic, int budget, const Sink& sink) {
  Ucx& ucx = *owner_;
  const uint32_t polls = note_poll();
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
