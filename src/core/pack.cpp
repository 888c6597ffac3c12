// SPDX-License-Identifier: BSD-3-Clause
#include "core/pack.hpp"

#include <algorithm>
#include <mutex>
#include <new>

#include "base/clock.hpp"
#include "base/config.hpp"
#include "base/config_values.hpp"
#include "base/log.hpp"
#include "core/direct.hpp"
#include "core/dispatch.hpp"
#include "core/job.hpp"
#include "core/pack_records.hpp"
#include "core/parcel.hpp"
#include "core/progress.hpp"
#include "core/region.hpp"
#include "core/remote.hpp"

namespace uccs::core {
namespace {

constexpr uint64_t kAgeNs = 5'000'000;
/// Of all targets of a Pack, about, where that leaves each what a message takes.
constexpr size_t kBuffersMax = size_t{4} << 20;

std::mutex packs_lock;  // guards the list and `next_`
Pack* packs = nullptr;
std::atomic<int> live_packs = 0;

size_t answer_to(size_t bytes) { return sizeof(uint64_t) + padded_to_word(bytes); }

PackAreas own_areas() {
  return {reinterpret_cast<std::byte*>(direct_map.heap_low), direct_map.heap_bytes,
          reinterpret_cast<std::byte*>(direct_map.static_low), direct_map.static_bytes};
}

void fail_unsound(const char* what, int source) {
  base::fatal("%s from EC %d does not add up: do all ECs run one version of UCCS?", what, source);
}

}  // namespace

void DeletePack::operator()(Pack* pack) const { delete pack; }

Pack* Pack::make(Context* context) {
  std::unique_ptr<Pack> made(new (std::nothrow) Pack);
  if (!made) return nullptr;
  made->targets_ =
      base::make_sparse<std::atomic<PackTarget*>>(static_cast<size_t>(kShares * places()));
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
      if (is_live_) live_packs.fetch_sub(1, std::memory_order_relaxed);
    }
  }
  for (const Share& share : shares_) {
    PackTarget* target = share.first.load(std::memory_order_acquire);
    while (target) {
      PackTarget* const next = target->next;
      delete target;
      target = next;
    }
  }
}

ThreadSlot& Pack::thread() const { return this_thread(context_ ? context_ : job_context()); }

int Pack::places() { return 2 * job.size; }

PackTarget* Pack::target(int place) {
  const ThreadSlot& me = thread();
  const int mine = share_of(me);
  const uint32_t bit = uint32_t{1} << mine;
  std::atomic<uint32_t>& shares = shares_of_[me.account];
  if ((shares.load(std::memory_order_relaxed) & bit) == 0) [[unlikely]]
    shares.fetch_or(bit, std::memory_order_relaxed);
  PackTarget* const found = home_of(mine, place).load(std::memory_order_acquire);
  return found ? found : make_target(mine, place);
}

PackTarget* Pack::make_target(int share, int place) {
  auto& home = home_of(share, place);
  Share& mine = shares_[share];
  const int ec = place % job.size;
  Endpoint* endpoint = context_ ? nullptr : remote_endpoint(ec);
  const std::lock_guard guard(packs_lock);
  if (PackTarget* const found = home.load(std::memory_order_acquire)) return found;
  std::unique_ptr<PackTarget> made(new (std::nothrow) PackTarget);
  if (!made) return nullptr;
  if (!endpoint && uccs_endpoint_create(context_, ec, UCCS_LANE_ANY, &endpoint) != UCCS_OK)
    return nullptr;
  if (place >= job.size) made->kind = Kind::kPackedAms;
  const size_t batch_bytes = endpoint->link->limits.batch_bytes;
  made->room = std::max(batch_bytes, kPackMax);  // of messages as well: memory is for either
  made->capacity = std::min({capacity_, made->kind == Kind::kPack ? made->room : kPackMax,
                             std::max(kPackMax, kBuffersMax / job.size)});
  made->endpoint = endpoint;
  made->parcels = &mine.parcels;
  made->flushes = &flushes_;
  made->open = mine.parcels.take(made.get(), made->room);
  if (!made->open) return nullptr;
  made->next = mine.first.load(std::memory_order_relaxed);
  if (!is_live_ && !context_) live_packs.fetch_add(1, std::memory_order_relaxed);
  is_live_ = true;
  home.store(made.get(), std::memory_order_release);
  mine.first.store(made.get(), std::memory_order_release);
  made_shares_.fetch_or(uint32_t{1} << share, std::memory_order_release);
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

/// What another thread could not send: it may compute by now.
uccs_status_t Pack::send_leftovers(uint32_t shares) {
  for (uint32_t left = shares; left != 0; left &= left - 1) {
    const Share& share = shares_[std::countr_zero(left)];
    if (!share.parcels.are_any_closed()) continue;
    for (PackTarget* to = share.first.load(std::memory_order_acquire); to; to = to->next) {
      const std::lock_guard guard(to->lock);
      if (const uccs_status_t status = send_closed(*to); status != UCCS_OK) return status;
    }
  }
  return UCCS_IN_PROGRESS;
}

/// What came before this one is closed; what is closed leaves.
uccs_status_t Settling::send_what_came_before(PackTarget& to) const {
  const std::lock_guard guard(to.lock);
  const bool is_older = to.open->used > 0 && to.open->proof.number < flush_;
  return is_older ? send(to) : send_closed(to);
}

uccs_status_t Settling::look_at_all() {
  for (; unsent_ != 0; unsent_ &= unsent_ - 1, at_ = nullptr) {
    const auto& share = pack_->shares_[std::countr_zero(unsent_)];
    if (!at_) at_ = share.first.load(std::memory_order_acquire);
    for (; at_; at_ = at_->next)
      if (const uccs_status_t sent = send_what_came_before(*at_); sent != UCCS_OK) return sent;
  }
  const bool are_over =
      pack_->all_of(shares_, [this](const Parcels& each) { return each.are_over(flush_); });
  return are_over ? UCCS_OK : pack_->send_leftovers(shares_);
}

uccs_status_t Settling::look_at_one() {
  bool is_done = true;
  // Messages first: they may be what somebody needs to go on.
  for (const int place : {job.size + ec_, ec_})
    for (uint32_t left = shares_; left != 0; left &= left - 1) {
      const int share = std::countr_zero(left);
      PackTarget* const to = pack_->home_of(share, place).load(std::memory_order_acquire);
      if (!to) continue;
      if (const uccs_status_t sent = send_what_came_before(*to); sent != UCCS_OK) return sent;
      is_done = to->unanswered.load(std::memory_order_acquire) == 0 && is_done;
    }
  return is_done ? UCCS_OK : UCCS_IN_PROGRESS;
}

uccs_status_t Settling::look() {
  if (!pack_) return UCCS_OK;
  if (flush_ == 0) {
    if (pack_->all_of(shares_, [](const Parcels& each) { return each.are_none(); })) return UCCS_OK;
    flush_ = pack_->flushes_.begin();
    shares_ &= pack_->made_shares_.load(std::memory_order_acquire);
    unsent_ = shares_;
  }
  const uccs_status_t status = ec_ < 0 ? look_at_all() : look_at_one();
  return status == UCCS_AGAIN ? UCCS_IN_PROGRESS : status;
}

bool Settling::is_over() {
  const uccs_status_t status = look();
  if (status < 0) base::fatal("operations that were packed failed: %s", uccs_status_string(status));
  return status == UCCS_OK;
}

bool Pack::push() {
  const Share& mine = shares_[share_of(thread())];
  if (!mine.parcels.are_any_waiting()) return true;
  bool is_all = true;
  for (PackTarget* to = mine.first.load(std::memory_order_acquire); to; to = to->next) {
    const bool is_mine = to->lock.try_lock();
    is_all = is_mine && send(*to) == UCCS_OK && is_all;
    if (is_mine) to->lock.unlock();
  }
  return is_all;
}

void Pack::age() {
  const uint64_t now = base::now_ns();
  uint64_t due = next_look_ns_.load(std::memory_order_relaxed);
  if (now < due || !next_look_ns_.compare_exchange_strong(due, now + kAgeNs)) return;
  for (const Share& share : shares_)
    for (PackTarget* to = share.first.load(std::memory_order_acquire); to; to = to->next) {
      if (!to->lock.try_lock()) continue;
      (void)(to->is_aging ? send(*to) : send_closed(*to));
      to->is_aging = to->open->used > 0;
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
  if (!deliver_answers(arrival.payload, arrival.payload_bytes))
    fail_unsound("the answer to a packed message", arrival.source);
  const uint64_t parcel = head_of<PackHead>(arrival).parcel;
  release_payload(context, kept);
  end_parcel(reinterpret_cast<Parcel*>(parcel));
}

}  // namespace uccs::core
