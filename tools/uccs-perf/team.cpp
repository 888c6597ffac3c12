// SPDX-License-Identifier: BSD-3-Clause
#include "team.hpp"

#include <stdlib.h>
#include <string.h>

#include <algorithm>

#include "uccs/rte.h"

namespace uccs::perf {
namespace {

/// A thread of a team, which knows both.
struct Seat {
  Team* team;
  Worker* worker;
};

constexpr size_t kPage = 4096;
constexpr int kCountMax = 1 << 24;

size_t room_for(size_t bytes) { return (bytes + kLocalOffset + kPage - 1) / kPage * kPage + kPage; }

}  // namespace

int calibrate(const std::function<double(int)>& time_ns, double burst_ms) {
  for (int count = 1;; count *= 4) {
    const double ms = time_ns(count) * 1e-6;
    if (ms >= burst_ms / 4 || count >= kCountMax)
      return std::max(1, static_cast<int>(count * std::min(burst_ms / ms, 8.0)));
  }
}

Team::Team(int threads, size_t bytes_max, bool is_bound)
    : is_bound_(is_bound),
      arrivals_(new Arrivals[kLanesMax]),
      workers_(static_cast<size_t>(threads)),
      times_(static_cast<size_t>(threads)) {
  uccs_context_attributes_t attributes = {};
  attributes.lanes = threads;
  UCCS_PERF_CHECK(uccs_context_create(&attributes, &context_));
  uccs_context_info_t info;
  UCCS_PERF_CHECK(uccs_context_query(context_, &info));
  me_ = info.ec;
  procs_ = info.num_ecs;
  const size_t room = room_for(bytes_max);
  UCCS_PERF_CHECK(
      uccs_region_alloc(context_, room * static_cast<size_t>(threads), kPage, &region_));
  uccs_region_info_t memory;
  UCCS_PERF_CHECK(uccs_region_query(region_, &memory));
  memset(memory.base, 0, memory.bytes);
  register_handlers(context_, arrivals_.get());
  const int half = procs_ / 2;
  const int peer = procs_ == 1 ? 0 : me_ < half ? me_ + half : me_ - half;
  for (int k = 0; k < threads; ++k) {
    Worker& worker = workers_[static_cast<size_t>(k)];
    worker.index = worker.lane = k;
    worker.context = context_;
    worker.peer_ec = peer;
    worker.remote = static_cast<std::byte*>(memory.base) + static_cast<size_t>(k) * room;
    auto* memory_of_worker = static_cast<std::byte*>(aligned_alloc(kPage, room));
    if (!memory_of_worker) check(UCCS_ERR_NO_MEMORY, "memory of a worker");
    memset(memory_of_worker, 1, room);
    memory_.push_back(memory_of_worker);
    worker.local = memory_of_worker + kLocalOffset;
    worker.fetched = reinterpret_cast<int64_t*>(worker.local);
    worker.arrivals = arrivals_.get();
    UCCS_PERF_CHECK(uccs_endpoint_create(context_, peer, k, &worker.peer));
  }
  pthread_barrier_init(&barrier_, nullptr, static_cast<unsigned>(threads));
  for (int k = 1; k < threads; ++k) {
    pthread_t thread;
    auto* seat = new Seat{this, &workers_[static_cast<size_t>(k)]};
    if (pthread_create(&thread, nullptr, thread_main, seat) != 0)
      rte_abort(1, "uccs-perf: a thread could not be started: ask for fewer with --threads");
    threads_.push_back(thread);
  }
  if (is_bound_) bind_to_cpu(me_);
  if (threads > 1) UCCS_PERF_CHECK(uccs_lane_bind(context_, 0));
}

Team::~Team() {
  body_ = nullptr;
  meet();
  for (const pthread_t thread : threads_) pthread_join(thread, nullptr);
  pthread_barrier_destroy(&barrier_);
  uccs_barrier(uccs_group_world());
  uccs_region_release(region_);
  uccs_context_destroy(context_);
  for (std::byte* memory : memory_) free(memory);
}

void* Team::thread_main(void* argument) {
  const Seat seat = *static_cast<Seat*>(argument);
  delete static_cast<Seat*>(argument);
  if (seat.team->is_bound_) bind_to_cpu(seat.team->me_ + seat.worker->index);
  UCCS_PERF_CHECK(uccs_lane_bind(seat.worker->context, seat.worker->lane));
  for (;;) {
    seat.team->meet();
    if (!seat.team->body_) return nullptr;
    seat.team->serve(*seat.worker);
  }
}

/// The end of a run is a meeting too, so that the first worker knows all times.
void Team::serve(Worker& worker) {
  if (worker.index == 0) uccs_barrier(uccs_group_world());
  meet();
  const uint64_t begin = now_ns();
  (*body_)(worker);
  times_[static_cast<size_t>(worker.index)] = static_cast<double>(now_ns() - begin);
  meet();
}

double Team::run(const std::function<void(Worker&)>& body) {
  body_ = &body;
  meet();
  serve(workers_[0]);
  double slowest = *std::max_element(times_.begin(), times_.end());
  UCCS_PERF_CHECK(
      uccs_allreduce(uccs_group_world(), &slowest, &slowest, 1, UCCS_TYPE_DOUBLE, UCCS_MAX));
  return slowest;
}

}  // namespace uccs::perf
