// SPDX-License-Identifier: BSD-3-Clause
/// Channels: puts, gets, and the completions of all that they post.
#include <string.h>

#include <new>

#include "base/log.hpp"
#include "mem/copy.hpp"
#include "net/ofi/ofi.hpp"

namespace uccs::net::ofi {
namespace {

constexpr size_t kBuffers = 64;
constexpr size_t kWorks = 256;
/// Looks between those for what was injected, of which nothing is heard, when it cannot leave at
/// once.
constexpr uint32_t kInjectedEvery = 16;
/// Looks between those at lanes that the thread does not serve.
constexpr uint32_t kOthersEvery = 8;

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

[[noreturn]] void fail_flushed(uccs_status_t status) {
  base::fatal("a put that a quiet or fence waits for failed: %s", uccs_status_string(status));
}

}  // namespace

bool Ofi::Channel::start(Ofi* owner, int index) {
  Fabric& fabric = *owner->fabric_;
  owner_ = owner;
  index_ = index;
  is_connected_.reset(
      new (std::nothrow) bool[static_cast<size_t>(owner->num_ecs_ * owner->shape_.lanes)]{});
  buffers_.reset(new (std::nothrow) Buffer[kBuffers]);
  works_.reset(new (std::nothrow) Work[kWorks]);
  is_unproved_.reset(new (std::nothrow) bool[static_cast<size_t>(owner->num_ecs_)]{});
  Port* opened = fabric.open_port();
  if (!is_connected_ || !buffers_ || !works_ || !is_unproved_ || !opened) return false;
  if (fabric.needs_local_registration()) {
    buffers_mr_ = fabric.register_with(
        opened, {reinterpret_cast<std::byte*>(buffers_.get()), kBuffers * sizeof(Buffer)});
    if (!buffers_mr_ || !fabric.register_areas(opened)) return false;
  }
  for (size_t i = 0; i < kBuffers; ++i) {
    buffers_[i].is_buffer = true;
    give_back(&buffers_[i]);
  }
  for (size_t i = 0; i < kWorks; ++i) {
    works_[i].is_buffer = false;
    works_[i].temporary = nullptr;
    give_back(&works_[i]);
  }
  port = opened;
  return true;
}

Work* Ofi::Channel::take_work() {
  Work* work = free_works_;
  if (work) free_works_ = work->next;
  return work;
}

Buffer* Ofi::Channel::take_buffer() {
  Work* work = free_buffers_;
  if (work) free_buffers_ = work->next;
  return static_cast<Buffer*>(work);
}

void Ofi::Channel::give_back(Work* work) {
  Work*& list = work->is_buffer ? free_buffers_ : free_works_;
  work->next = list;
  list = work;
}

/// What the local side is called by a provider that wants it registered: this EC's areas are, other
/// memory is for as long as the operation takes. nullptr, with `work->temporary` as well: refused.
void* Ofi::Channel::describe_local(const void* memory, size_t bytes, Work* work) {
  work->temporary = nullptr;
  const Fabric& fabric = *owner_->fabric_;
  if (is_within(fabric.heap(), memory, bytes)) return fi_mr_desc(port->heap);
  if (is_within(fabric.statics(), memory, bytes)) return fi_mr_desc(port->statics);
  auto* base = static_cast<std::byte*>(const_cast<void*>(memory));
  work->temporary = owner_->fabric_->register_with(port, {base, bytes});
  return work->temporary ? fi_mr_desc(work->temporary) : nullptr;
}

uccs_status_t Ofi::Channel::finish_post(ssize_t posted, Work* work) {
  if (posted == 0) {
    if (work) under_way_.fetch_add(1, std::memory_order_relaxed);
    return UCCS_IN_PROGRESS;
  }
  if (work) {
    if (!work->is_buffer && work->temporary) {
      fi_close(&work->temporary->fid);
      work->temporary = nullptr;
    }
    give_back(work);
  }
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
  const PeerState* peer = ofi.reach(ec);
  if (!peer) return UCCS_ERR_PEER_FAILED;
  const size_t room = is_heap ? peer->heap_bytes : peer->static_bytes;
  if (remote.offset > room || bytes > room - remote.offset) return UCCS_ERR_ADDRESS;
  if (bytes > ofi.fabric_->info().ep_attr->max_msg_size) return UCCS_ERR_UNSUPPORTED;
  port->domain->lock.lock();  // for a moment: others only look at the queue
  const int lane = index_ % peer->lanes;
  const Key& key = is_heap ? peer->by_lane[lane].heap : peer->by_lane[lane].statics;
  const fi_addr_t address = ofi.address_of(*this, *peer, ec, lane);
  const uint64_t there = key.base + remote.offset;
  if (!completion && address != FI_ADDR_UNSPEC) {
    // A put that is waited for at once is answered sooner when the target acknowledges it by
    // itself.
    const bool is_answered = expects_flush_ && puts_since_flush_ == 0;
    if (!is_answered && bytes <= ofi.fabric_->inject_put_max()) {
      const ssize_t posted = fi_inject_write(port->ep, local, bytes, address, there, key.key);
      if (posted == 0) {
        ++puts_since_flush_;
        if (!is_unproved_[ec]) {
          is_unproved_[ec] = true;
          unproved_.push_back(ec);
        }
      } else {
        poll();
      }
      port->domain->lock.unlock();
      return posted == 0            ? UCCS_OK
             : posted == -FI_EAGAIN ? UCCS_AGAIN
                                    : status_of(static_cast<int>(-posted));
    }
  }
  const bool is_copied = is_put && bytes <= kPayloadMax;
  Work* work = is_copied ? take_buffer() : take_work();
  uccs_status_t status;
  if (!work || address == FI_ADDR_UNSPEC) {
    if (work) give_back(work);
    poll();
    status = address == FI_ADDR_UNSPEC ? UCCS_ERR_PEER_FAILED : UCCS_AGAIN;
  } else {
    work->kind = Tracked::Kind::kTransfer;
    work->completion = completion;
    void* descriptor = nullptr;
    bool is_described = true;
    if (is_copied) {
      auto* buffer = static_cast<Buffer*>(work);
      memcpy(buffer->data, local, bytes);
      local = buffer->data;
      if (buffers_mr_) descriptor = fi_mr_desc(buffers_mr_);
    } else if (ofi.fabric_->needs_local_registration()) {
      descriptor = describe_local(local, bytes, work);
      is_described = descriptor != nullptr;
    }
    if (!is_described) {
      give_back(work);
      status = UCCS_ERR_NO_MEMORY;
    } else {
      const ssize_t posted = is_put ? fi_write(port->ep, local, bytes, descriptor, address, there,
                                               key.key, &work->context)
                                    : fi_read(port->ep, local, bytes, descriptor, address, there,
                                              key.key, &work->context);
      status = finish_post(posted, work);
      if (!completion && status == UCCS_IN_PROGRESS) {
        ++puts_since_flush_;
        status = UCCS_OK;
      }
    }
  }
  port->domain->lock.unlock();
  return status;
}

/// Reads follow writes on their way, and are answered after them.
void Ofi::Channel::prove() {
  while (!unproved_.empty()) {
    const int ec = unproved_.back();
    const PeerState& peer = owner_->state_of(ec);
    const int lane = index_ % peer.lanes;
    const bool is_heap = peer.heap_bytes >= sizeof scratch_;
    const Key& key = is_heap ? peer.by_lane[lane].heap : peer.by_lane[lane].statics;
    Work* work = take_work();
    if (!work) break;
    work->kind = Tracked::Kind::kTransfer;
    work->completion = nullptr;
    const ssize_t posted =
        fi_read(port->ep, &scratch_, sizeof scratch_, nullptr,
                owner_->address_of(*this, peer, ec, lane), key.base, key.key, &work->context);
    const uccs_status_t status = finish_post(posted, work);
    if (status == UCCS_AGAIN) break;
    if (status < 0) fail_flushed(status);
    is_unproved_[ec] = false;
    unproved_.pop_back();
  }
}

uccs_status_t Ofi::Channel::put(int ec, const Remote& dest, const void* source, size_t bytes,
                                Completion* completion) {
  return transfer(true, ec, dest, const_cast<void*>(source), bytes, completion);
}

uccs_status_t Ofi::Channel::get(int ec, const Remote& source, void* dest, size_t bytes,
                                Completion* completion) {
  return transfer(false, ec, source, dest, bytes, completion);
}

uccs_status_t Ofi::Channel::atomic(int, const Remote&, const AtomicArguments&, uint64_t*,
                                   Completion*) {
  return UCCS_ERR_UNSUPPORTED;
}

/// Of all channels: what one thread has put another may have to wait for.
uccs_status_t Ofi::Channel::flush(int) {
  Ofi& ofi = *owner_;
  const int channels = ofi.open_channels_.load(std::memory_order_acquire);
  bool is_over = true;
  for (int i = 0; i < channels; ++i) {
    Channel& each = ofi.channels_[i];
    if (!each.port) continue;
    each.port->domain->lock.lock();
    if (each.puts_since_flush_ > 0) each.expects_flush_ = each.puts_since_flush_ == 1;
    each.puts_since_flush_ = 0;
    if (!each.unproved_.empty()) each.prove();
    const bool is_idle = each.unproved_.empty();
    if (&each != this && each.under_way_.load(std::memory_order_relaxed) > 0) each.poll();
    each.port->domain->lock.unlock();
    if (&each != this) each.complete_finished();
    // Acquire: pairs with complete_finished.
    is_over = is_over && is_idle && each.under_way_.load(std::memory_order_acquire) == 0;
  }
  return is_over ? UCCS_OK : UCCS_IN_PROGRESS;
}

int Ofi::Channel::poll() {
  constexpr size_t kEntries = 16;
  fi_cq_msg_entry entries[kEntries];
  const ssize_t count = fi_cq_read(port->cq, entries, kEntries);
  int steps = 0;
  const auto end = [&](void* context, uccs_status_t status) {
    auto* tracked = static_cast<Tracked*>(context);
    auto* work = static_cast<Work*>(tracked);
    ++steps;
    if (tracked->kind == Tracked::Kind::kMessage) {
      give_back(work);
      under_way_.fetch_sub(1, std::memory_order_release);
      return;
    }
    work->status = status;
    work->next = finished_;
    finished_ = work;
    finished_count_.fetch_add(1, std::memory_order_relaxed);
  };
  for (ssize_t i = 0; i < count; ++i) end(entries[i].op_context, UCCS_OK);
  if (count == -FI_EAVAIL) {
    fi_cq_err_entry error = {};
    if (fi_cq_readerr(port->cq, &error, 0) == 1 && error.op_context)
      end(error.op_context, status_of(error.err));
  }
  return steps;
}

int Ofi::Channel::complete_finished() {
  if (finished_count_.load(std::memory_order_relaxed) == 0) return 0;
  if (!port->domain->lock.try_lock()) return 0;
  Work* work = finished_;
  finished_ = nullptr;
  finished_count_.store(0, std::memory_order_relaxed);
  struct End {
    Completion* completion;
    uccs_status_t status;
  };
  int steps = 0;
  // The callbacks run without the lock; their works go back first, so that all fit on the stack.
  while (work) {
    constexpr int kBatch = 32;
    End ends[kBatch];
    int count = 0;
    for (; work && count < kBatch; ++count) {
      Work* next = work->next;
      ends[count] = {work->completion, work->status};
      if (!work->is_buffer && work->temporary) {
        fi_close(&work->temporary->fid);
        work->temporary = nullptr;
      }
      give_back(work);
      work = next;
    }
    port->domain->lock.unlock();
    for (int i = 0; i < count; ++i) {
      if (ends[i].completion)
        ends[i].completion->done(ends[i].completion, ends[i].status);
      else if (ends[i].status < 0)
        fail_flushed(ends[i].status);
      under_way_.fetch_sub(1, std::memory_order_release);
    }
    steps += count;
    if (work) port->domain->lock.lock();
    if (!work) return steps;
  }
  port->domain->lock.unlock();
  return steps;
}

/// Each look at a queue is a system call or more, so none is looked at twice in a round: core calls
/// for each lane that it serves, and once without classes for completions when it waits for some.
int Ofi::Channel::progress(int lane, uint32_t traffic, int budget, const Sink& sink) {
  Ofi& ofi = *owner_;
  const uint32_t turn = polls_.load(std::memory_order_relaxed) + 1;
  polls_.store(turn, std::memory_order_relaxed);
  const bool is_for_completions = traffic == 0;
  if (is_for_completions) looked_ = ofi.shape_.lanes;
  const bool was_looked_at = !is_for_completions && looked_ > 0 && looked_-- > 0;
  const bool has_more = !was_looked_at && under_way_.load(std::memory_order_relaxed) > 0;
  if ((has_more || turn % kInjectedEvery == 0) && port->domain->lock.try_lock()) {
    poll();
    port->domain->lock.unlock();
  }
  int steps = complete_finished();
  if (ofi.owing_.load(std::memory_order_relaxed) > 0) ofi.return_all_credits();
  if (is_for_completions) return steps;
  ofi.poll_inlet(ofi.inlets_[lane]);
  if (ofi.shape_.lanes > 1 && turn % kOthersEvery == 0) {
    // Puts and gets of others come in by any lane.
    next_inlet_ = next_inlet_ + 1 < ofi.shape_.lanes ? next_inlet_ + 1 : 0;
    if (next_inlet_ != lane && ofi.poll_inlet(ofi.inlets_[next_inlet_]) > 0) ofi.ring();
  }
  uint32_t left = 0;
  for (const Traffic which : {Traffic::kReply, Traffic::kRequest, Traffic::kSend}) {
    if ((traffic & traffic_bit(which)) != 0)
      steps += ofi.deliver(ofi.inlets_[lane], which, budget, sink);
    left +=
        ofi.inlets_[lane].inboxes[static_cast<int>(which)].count.load(std::memory_order_relaxed);
  }
  if (left > 0) ofi.ring();  // this thread may not come back, and others may sleep
  return steps;
}

}  // namespace uccs::net::ofi
