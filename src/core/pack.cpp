// SPDX-License-Identifier: BSD-3-Clause
#include "core/pack.hpp"

#include <algorithm>
#include <mutex>
#include <new>

#include "base/clock.hpp"
#include "base/config.hpp"
#include "base/config_values.hpp"
#include "base/log.hpp"
#include "base/spinlock.hpp"
#include "core/direct.hpp"
#include "core/dispatch.hpp"
#include "core/job.hpp"
#include "core/progress.hpp"
#include "core/region.hpp"
#include "core/remote.hpp"

namespace uccs::core {

struct alignas(64) PackTarget {
  /// Of what left in epochs of one parity: told of the ends of batches, and named by messages.
  struct Half : net::Completion {
    PackTarget* to;
    uint32_t parity;
  };
  Half halves[2];
  std::atomic<uint32_t>* epoch = nullptr;      ///< the Pack's
  std::atomic<uint32_t>* under_way = nullptr;  ///< likewise: [2]
  Endpoint* endpoint = nullptr;
  Kind kind = Kind::kPack;
  PackTarget* next = nullptr;
  std::unique_ptr<std::byte[]> records;
  size_t capacity = 0;  ///< bytes of records without results; with some kPackMax, if less

  base::SpinLock lock;  ///< guards the next ones, and what is in `records`
  bool is_aging = false;
  uint32_t used = 0;          ///< bytes of records
  uint32_t answer_bytes = 0;  ///< that they will come back with

  /// Messages whose answer has not come. Counted up before the message leaves; release and acquire
  /// on both sides, so that whoever sees 0 sees the results.
  alignas(64) std::atomic<uint32_t> unanswered = 0;

  /// Returns the parity of the epoch, which has not ended before the message was counted.
  uint32_t note_sent() {
    unanswered.fetch_add(1, std::memory_order_acq_rel);
    for (;;) {
      const uint32_t now = epoch->load();
      under_way[now & 1].fetch_add(1);
      if (epoch->load() == now) return now & 1;
      under_way[now & 1].fetch_sub(1);
    }
  }
  void note_answered(uint32_t parity) {
    unanswered.fetch_sub(1, std::memory_order_acq_rel);
    under_way[parity].fetch_sub(1);
  }
};

namespace {

constexpr uint64_t kAgeNs = 5'000'000;
/// Of all targets of a Pack, about, where that leaves each what a message takes.
constexpr size_t kBuffersMax = size_t{4} << 20;

std::mutex packs_lock;  // guards the list and `next_`
Pack* packs = nullptr;
std::atomic<int> live_packs = 0;

bool has_batches(const Endpoint& endpoint, Kind kind) {
  return kind == Kind::kPack && endpoint.link->limits.batch_bytes > 0;
}

/// As the network's own, where it has that, which costs less.
uccs_status_t send_batch(PackTarget& to, net::Channel* path, uint32_t parity) {
  std::byte* records = to.records.release();
  const uccs_status_t status =
      to.endpoint->link->table->batch(path, to.endpoint->ec, &records, to.used, &to.halves[parity]);
  to.records.reset(records);
  return status;
}

uccs_status_t send_message(PackTarget& to, const ThreadSlot& thread, net::Channel* path,
                           uint32_t parity) {
  const PackHead head = {reinterpret_cast<uint64_t>(&to.halves[parity])};
  const net::Piece piece = {to.records.get(), to.used};
  const net::Payload payload = {&piece, 1, to.used};
  const net::Envelope envelope = make_envelope(net::Traffic::kRequest, to.kind,
                                               lane_at(*to.endpoint, thread.lane), thread.lane);
  return to.endpoint->link->table->message(path, to.endpoint->ec, envelope, &head, sizeof head,
                                           &payload);
}

/// With the lock held: everything leaves, or UCCS_AGAIN.
uccs_status_t send(PackTarget& to) {
  ThreadSlot& thread = this_thread(to.endpoint->context);
  if (!thread.channel->lock.try_lock()) return UCCS_AGAIN;
  net::Channel* path = thread.channel->paths[to.endpoint->link_index];
  const bool is_answered = to.kind == Kind::kPack;
  const uint32_t parity = is_answered ? to.note_sent() : 0;
  const bool is_batch = to.answer_bytes == 0 && has_batches(*to.endpoint, to.kind);
  uccs_status_t status =
      is_batch ? send_batch(to, path, parity) : send_message(to, thread, path, parity);
  thread.channel->lock.unlock();
  if (status == UCCS_IN_PROGRESS) status = UCCS_OK;
  if (status == UCCS_OK) {
    to.used = to.answer_bytes = 0;
    to.is_aging = false;
  } else if (is_answered) {
    to.note_answered(parity);
  }
  return status;
}

/// One record of `head` and `count` words; a put's data follow the head.
struct Record {
  uint64_t head;
  const void* body;
  size_t body_bytes;
  size_t answer_bytes;
};

uccs_status_t append(PackTarget& to, const Record& record) {
  const size_t bytes = sizeof record.head + padded_to_word(record.body_bytes);
  to.lock.lock();
  const size_t answer_bytes = to.answer_bytes + record.answer_bytes;
  const size_t capacity = answer_bytes == 0 ? to.capacity : std::min(to.capacity, kPackMax);
  if (to.used + bytes > capacity || answer_bytes > kPackMax) {
    const uccs_status_t status = send(to);
    if (status != UCCS_OK) {
      to.lock.unlock();
      return status;
    }
  }
  std::byte* const at = to.records.get() + to.used;
  memcpy(at, &record.head, sizeof record.head);
  if (record.body_bytes == sizeof(uint64_t)) {
    memcpy(at + sizeof record.head, record.body, sizeof(uint64_t));
  } else if (record.body_bytes > 0) {
    memset(at + bytes - sizeof(uint64_t), 0, sizeof(uint64_t));  // what pads it
    memcpy(at + sizeof record.head, record.body, record.body_bytes);
  }
  to.used += static_cast<uint32_t>(bytes);
  to.answer_bytes += static_cast<uint32_t>(record.answer_bytes);
  to.lock.unlock();
  return UCCS_OK;
}

size_t answer_to(size_t bytes) { return sizeof(uint64_t) + padded_to_word(bytes); }

PackAreas own_areas() {
  return {reinterpret_cast<std::byte*>(direct_map.heap_low), direct_map.heap_bytes,
          reinterpret_cast<std::byte*>(direct_map.static_low), direct_map.static_bytes};
}

void end_batch(net::Completion* self, uccs_status_t status) {
  if (status < 0) base::fatal("operations that were packed failed: %s", uccs_status_string(status));
  const auto* half = static_cast<PackTarget::Half*>(self);
  half->to->note_answered(half->parity);
}

void fail_unsound(const char* what, int source) {
  base::fatal("%s from EC %d does not add up: do all ECs run one version of UCCS?", what, source);
}

}  // namespace

void DeletePack::operator()(Pack* pack) const { delete pack; }

Pack* Pack::make(Context* context) {
  std::unique_ptr<Pack> made(new (std::nothrow) Pack);
  if (!made) return nullptr;
  const auto ecs = static_cast<size_t>(job.size);
  made->targets_ = base::make_sparse<std::atomic<PackTarget*>>(2 * ecs);
  if (!made->targets_) return nullptr;
  made->capacity_ = static_cast<size_t>(base::config().aggregate_bytes) & ~size_t{7};
  made->context_ = context;
  if (context) return made.release();  // who makes progress on it looks after it
  const std::lock_guard guard(packs_lock);
  made->next_ = packs;
  packs = made.get();
  return made.release();
}

Pack::~Pack() {
  {
    const std::lock_guard guard(packs_lock);
    Pack** link = &packs;
    while (*link && *link != this) link = &(*link)->next_;
    if (*link) {
      *link = next_;
      if (first_.load(std::memory_order_relaxed))
        live_packs.fetch_sub(1, std::memory_order_relaxed);
    }
  }
  PackTarget* target = first_.load(std::memory_order_acquire);
  while (target) {
    PackTarget* const next = target->next;
    delete target;
    target = next;
  }
}

PackTarget* Pack::target(int place) {
  PackTarget* const found = targets_[place].load(std::memory_order_acquire);
  return found ? found : make_target(place);
}

PackTarget* Pack::make_target(int place) {
  const int ec = place % job.size;
  Endpoint* endpoint = context_ ? nullptr : remote_endpoint(ec);
  const std::lock_guard guard(packs_lock);
  if (PackTarget* const found = targets_[place].load(std::memory_order_acquire)) return found;
  std::unique_ptr<PackTarget> made(new (std::nothrow) PackTarget);
  if (!made) return nullptr;
  if (!endpoint && uccs_endpoint_create(context_, ec, UCCS_LANE_ANY, &endpoint) != UCCS_OK)
    return nullptr;
  if (place >= job.size) made->kind = Kind::kPackedAms;
  const size_t room =
      has_batches(*endpoint, made->kind) ? endpoint->link->limits.batch_bytes : kPackMax;
  made->capacity = std::min({capacity_, room, std::max(kPackMax, kBuffersMax / job.size)});
  made->records.reset(new (std::nothrow) std::byte[room]);
  if (!made->records) return nullptr;
  made->endpoint = endpoint;
  made->epoch = &epoch_;
  made->under_way = under_way_;
  for (uint32_t parity : {0u, 1u}) {
    made->halves[parity].done = end_batch;
    made->halves[parity].to = made.get();
    made->halves[parity].parity = parity;
  }
  made->next = first_.load(std::memory_order_relaxed);
  if (!made->next && !context_) live_packs.fetch_add(1, std::memory_order_relaxed);
  targets_[place].store(made.get(), std::memory_order_release);
  first_.store(made.get(), std::memory_order_release);
  return made.release();
}

uccs_status_t Pack::put(int ec, WireAddress at, const void* source, size_t bytes) {
  if (bytes > kBatchDataMax || !is_packable(at)) return UCCS_ERR_UNSUPPORTED;
  PackTarget* const to = target(ec);
  if (!to || !is_put_length(bytes, to->capacity / 4)) return UCCS_ERR_UNSUPPORTED;
  return append(*to, {put_word(at, bytes), source, bytes, 0});
}

uccs_status_t Pack::get(int ec, WireAddress at, void* dest, size_t bytes) {
  if (bytes > kPackDataMax || !is_packable(at)) return UCCS_ERR_UNSUPPORTED;
  PackTarget* const to = target(ec);
  if (!to) return UCCS_ERR_UNSUPPORTED;
  const uint64_t local = local_word(dest, bytes);
  return append(*to,
                {record_word(Packed::kGet, at, bytes), &local, sizeof local, answer_to(bytes)});
}

uccs_status_t Pack::atomic(int ec, const net::AtomicArguments& arguments, WireAddress at,
                           void* result) {
  using base::AtomicOp;
  using base::AtomicType;
  const size_t bytes = base::atomic_size(arguments.type);
  if ((wire_offset(at) & (bytes - 1)) != 0 || !is_packable(at)) return UCCS_ERR_UNSUPPORTED;
  PackTarget* const to = target(ec);
  if (!to) return UCCS_ERR_UNSUPPORTED;
  const uint64_t detail = atomic_detail(arguments.op, arguments.type);
  if (result) {
    const bool is_swap_if = arguments.op == AtomicOp::kCompareSwap;
    uint64_t words[3] = {arguments.operand, arguments.expected, local_word(result, bytes)};
    if (!is_swap_if) words[1] = words[2];
    return append(*to, {record_word(is_swap_if ? Packed::kCompareSwap : Packed::kFetch, at, detail),
                        words, (is_swap_if ? 3 : 2) * sizeof *words, answer_to(bytes)});
  }
  const bool is_integer =
      arguments.type == AtomicType::kUint64 || arguments.type == AtomicType::kUint32;
  if (arguments.op == AtomicOp::kAdd && arguments.operand == 1 && is_integer)
    return append(*to, {record_word(Packed::kIncrement, at, static_cast<uint64_t>(arguments.type)),
                        nullptr, 0, 0});
  return append(*to, {record_word(Packed::kUpdate, at, detail), &arguments.operand,
                      sizeof arguments.operand, 0});
}

uccs_status_t Pack::message(int ec, int id, const void* data, size_t bytes) {
  PackTarget* const to = target(job.size + ec);
  if (!to) return UCCS_ERR_UNSUPPORTED;
  return append(*to, {packed_am_word(id, bytes), data, bytes, 0});
}

/// UCCS_OK, or UCCS_AGAIN.
uccs_status_t Pack::send_for(int ec) {
  uccs_status_t all = UCCS_OK;
  const auto send_one = [&all](PackTarget* to) {
    if (!to) return;
    to->lock.lock();
    const uccs_status_t status = to->used > 0 ? send(*to) : UCCS_OK;
    to->lock.unlock();
    if (status != UCCS_OK && all >= 0) all = status;
  };
  if (ec >= 0) {
    // Messages first: they may be what somebody needs to go on.
    send_one(targets_[job.size + ec].load(std::memory_order_acquire));
    send_one(targets_[ec].load(std::memory_order_acquire));
    return all;
  }
  for (PackTarget* to = first_.load(std::memory_order_acquire); to; to = to->next) send_one(to);
  return all;
}

bool Pack::is_answered(int ec) const {
  const PackTarget* const to = targets_[ec].load(std::memory_order_acquire);
  return !to || to->unanswered.load(std::memory_order_acquire) == 0;
}

/// Has all that had left when the epoch was read been answered?
bool Pack::is_over_since(uint32_t epoch) {
  uint32_t now = epoch_.load();
  if (now == epoch) {
    if (under_way_[(epoch + 1) & 1].load() != 0) return false;
    if (epoch_.compare_exchange_strong(now, epoch + 1)) now = epoch + 1;
  }
  return now - epoch > 1 || under_way_[epoch & 1].load() == 0;
}

uccs_status_t Settling::look() {
  if (!pack_) return UCCS_OK;
  if (!has_sent_) {
    const uccs_status_t sent = pack_->send_for(ec_);
    if (sent != UCCS_OK) return sent == UCCS_AGAIN ? UCCS_IN_PROGRESS : sent;
    has_sent_ = true;
    epoch_ = pack_->epoch_.load();
  }
  const bool is_done = ec_ >= 0 ? pack_->is_answered(ec_) : pack_->is_over_since(epoch_);
  return is_done ? UCCS_OK : UCCS_IN_PROGRESS;
}

bool Settling::is_over() {
  const uccs_status_t status = look();
  if (status < 0) base::fatal("operations that were packed failed: %s", uccs_status_string(status));
  return status == UCCS_OK;
}

bool Pack::push() {
  bool is_all = true;
  for (PackTarget* to = first_.load(std::memory_order_acquire); to; to = to->next) {
    const bool is_mine = to->lock.try_lock();
    is_all = is_mine && (to->used == 0 || send(*to) == UCCS_OK) && is_all;
    if (is_mine) to->lock.unlock();
  }
  return is_all;
}

void Pack::age() {
  const uint64_t now = base::now_ns();
  uint64_t due = next_look_ns_.load(std::memory_order_relaxed);
  if (now < due || !next_look_ns_.compare_exchange_strong(due, now + kAgeNs)) return;
  for (PackTarget* to = first_.load(std::memory_order_acquire); to; to = to->next) {
    if (!to->lock.try_lock()) continue;
    if (to->used > 0 && to->is_aging) (void)send(*to);
    to->is_aging = to->used > 0;
    to->lock.unlock();
  }
}

void age_packs() {
  if (live_packs.load(std::memory_order_relaxed) == 0 || !packs_lock.try_lock()) return;
  for (Pack* pack = packs; pack; pack = pack->next_) pack->age();
  packs_lock.unlock();
}

uint64_t pack_age_ns() { return live_packs.load(std::memory_order_relaxed) == 0 ? 0 : kAgeNs; }

void apply_batch(void*, int ec, const std::byte* records, size_t bytes) {
  if (!apply_records(own_areas(), records, bytes, nullptr)) fail_unsound("a batch", ec);
}

void on_pack(Context* context, ThreadSlot& thread, const Kept& kept) {
  PackAnswers answers;
  const net::Arrival& arrival = kept.arrival;
  if (!apply_records(own_areas(), arrival.payload, arrival.payload_bytes, &answers))
    fail_unsound("a packed message", arrival.source);
  release_payload(context, kept);
  // What it stored is there before who is told so goes on.
  std::atomic_thread_fence(std::memory_order_release);
  const auto head = head_of<PackHead>(arrival);
  const net::Piece piece = {answers.data, answers.bytes};
  const net::Payload payload = {&piece, 1, answers.bytes};
  answer(context, thread, kept, Kind::kPackDone, &head, sizeof head,
         answers.bytes > 0 ? &payload : nullptr);
}

void on_pack_done(Context* context, const Kept& kept) {
  const net::Arrival& arrival = kept.arrival;
  const auto* const half = reinterpret_cast<PackTarget::Half*>(head_of<PackHead>(arrival).target);
  if (!deliver_answers(arrival.payload, arrival.payload_bytes))
    fail_unsound("the answer to a packed message", arrival.source);
  release_payload(context, kept);
  half->to->note_answered(half->parity);
}

}  // namespace uccs::core
