// SPDX-License-Identifier: BSD-3-Clause
#include "core/parcel.hpp"

#include <string.h>

#include <algorithm>
#include <mutex>
#include <new>

#include "base/log.hpp"
#include "core/dispatch.hpp"
#include "core/pack_records.hpp"
#include "core/post.hpp"
#include "core/thread.hpp"

namespace uccs::core {
namespace {

void end_batch(net::Completion* self, uccs_status_t status) {
  if (status < 0) base::fatal("operations that were packed failed: %s", uccs_status_string(status));
  end_parcel(static_cast<Parcel*>(self));
}

uccs_status_t post_records(const Parcel& parcel, const std::byte* records,
                           const ThreadSlot& thread) {
  const PackTarget& to = *parcel.to;
  const PackHead head = {reinterpret_cast<uint64_t>(&parcel)};
  const net::Piece piece = {records, parcel.used};
  const net::Payload payload = {&piece, 1, parcel.used};
  const net::Envelope envelope = make_envelope(net::Traffic::kRequest, to.kind,
                                               lane_at(*to.endpoint, thread.lane), thread.lane);
  return post_message(thread.channel, to.endpoint->link_index, to.endpoint->ec, envelope, &head,
                      sizeof head, &payload);
}

/// As a batch of the network's own, where it has those, which costs less. UCCS_OK: it may be over
/// before this returns.
uccs_status_t post(Parcel* parcel) {
  PackTarget& to = *parcel->to;
  ThreadSlot& thread = this_thread(to.endpoint->context);
  if (!thread.channel->lock.try_lock()) return UCCS_AGAIN;
  net::Channel* path = thread.channel->paths[to.endpoint->link_index];
  const Link& link = *to.endpoint->link;
  const bool is_batch =
      to.kind == Kind::kPack && parcel->answer_bytes == 0 && link.limits.batch_bytes > 0;
  std::byte* records = parcel->records.release();
  const uccs_status_t status =
      is_batch ? link.table->batch(path, to.endpoint->ec, &records, parcel->used, parcel)
               : post_records(*parcel, records, thread);
  thread.channel->lock.unlock();
  if (status != UCCS_OK && status != UCCS_IN_PROGRESS) {
    parcel->records.reset(records);
    return status;
  }
  to.parcels->note_left(records);
  if (to.kind != Kind::kPack) end_parcel(parcel);  // nobody answers
  return UCCS_OK;
}

uccs_status_t close(PackTarget& to) {
  Parcel* const full = to.open;
  if (full->used == 0) return UCCS_OK;
  Parcel* const fresh = to.parcels->take(&to, to.room);
  if (!fresh) return UCCS_ERR_NO_MEMORY;
  to.open = fresh;
  to.is_aging = false;
  full->next = to.closed;
  to.closed = full;
  to.unanswered.fetch_add(1, std::memory_order_acq_rel);
  to.parcels->close(full);
  return UCCS_OK;
}

bool has_room(const PackTarget& to, size_t bytes, size_t answer_bytes) {
  const size_t answers = to.open->answer_bytes + answer_bytes;
  const size_t capacity = answers == 0 ? to.capacity : std::min(to.capacity, kPackMax);
  return to.open->used + bytes <= capacity && answers <= kPackMax;
}

}  // namespace

Parcels::~Parcels() {
  lock_.lock();  // whoever ended the last one has left it, too
  lock_.unlock();
  while (Parcel* parcel = free_) {
    free_ = parcel->next;
    delete parcel;
  }
  while (std::byte* spare = spares_) {
    memcpy(&spares_, spare, sizeof spares_);
    delete[] spare;
  }
}

Parcel* Parcels::take(PackTarget* to, size_t room) {
  const std::lock_guard guard(lock_);
  Parcel* parcel = free_;
  if (parcel) {
    free_ = parcel->next;
  } else if ((parcel = new (std::nothrow) Parcel)) {
    parcel->done = end_batch;
  } else {
    return nullptr;
  }
  if (std::byte* const spare = spares_) {
    memcpy(&spares_, spare, sizeof spares_);
    parcel->records.reset(spare);
  } else {
    parcel->records.reset(new (std::nothrow) std::byte[room]);
  }
  parcel->to = to;
  parcel->used = parcel->answer_bytes = 0;
  if (parcel->records) return parcel;
  keep(parcel);
  return nullptr;
}

/// For the next one, with the lock held.
void Parcels::keep(Parcel* parcel) {
  parcel->next = free_;
  free_ = parcel;
}

void Parcels::close(Parcel* parcel) {
  closed_.fetch_add(1, std::memory_order_acq_rel);
  const std::lock_guard guard(lock_);
  proofs_.await(parcel->proof, parcel->proof.number);
  filled_.fetch_sub(1, std::memory_order_release);  // pairs with are_none
}

void Parcels::note_left(std::byte* records) {
  closed_.fetch_sub(1, std::memory_order_acq_rel);
  const std::lock_guard guard(lock_);
  memcpy(records, &spares_, sizeof spares_);
  spares_ = records;
}

void Parcels::end(Parcel* parcel) {
  const std::lock_guard guard(lock_);
  proofs_.end(parcel->proof);
  keep(parcel);
}

void Parcels::give_back(Parcel* parcel) {
  const std::lock_guard guard(lock_);
  keep(parcel);
}

PackTarget::~PackTarget() {
  if (open) parcels->give_back(open);
  while (Parcel* const parcel = closed) {  // to a peer that is gone
    closed = parcel->next;
    parcels->give_back(parcel);
  }
}

uccs_status_t send_closed(PackTarget& to) {
  while (Parcel* const parcel = to.closed) {
    to.closed = parcel->next;
    to.lock.unlock();
    const uccs_status_t status = post(parcel);
    to.lock.lock();
    if (status == UCCS_OK) continue;
    parcel->next = to.closed;
    to.closed = parcel;
    return status;
  }
  return UCCS_OK;
}

uccs_status_t send(PackTarget& to) {
  // What could not leave before goes first, so that no more of it comes together.
  uccs_status_t status = send_closed(to);
  if (status == UCCS_OK) status = close(to);
  return status == UCCS_OK ? send_closed(to) : status;
}

uccs_status_t append(PackTarget& to, const Record& record) {
  const size_t bytes = sizeof record.head + padded_to_word(record.body_bytes);
  to.lock.lock();
  while (!has_room(to, bytes, record.answer_bytes)) {
    const uccs_status_t status = send(to);
    if (status == UCCS_OK || has_room(to, bytes, record.answer_bytes)) continue;
    to.lock.unlock();
    return status;
  }
  Parcel& open = *to.open;
  if (open.used == 0) to.parcels->fill(&open, to.flushes->now());
  std::byte* const at = open.records.get() + open.used;
  memcpy(at, &record.head, sizeof record.head);
  if (record.body_bytes == sizeof(uint64_t)) {
    memcpy(at + sizeof record.head, record.body, sizeof(uint64_t));
  } else if (record.body_bytes > 0) {
    memset(at + bytes - sizeof(uint64_t), 0, sizeof(uint64_t));  // what pads it
    memcpy(at + sizeof record.head, record.body, record.body_bytes);
  }
  open.used += static_cast<uint32_t>(bytes);
  open.answer_bytes += static_cast<uint32_t>(record.answer_bytes);
  to.lock.unlock();
  return UCCS_OK;
}

void end_parcel(Parcel* parcel) {
  PackTarget& to = *parcel->to;
  to.unanswered.fetch_sub(1, std::memory_order_acq_rel);
  to.parcels->end(parcel);  // after which there may be no Pack
}

}  // namespace uccs::core
