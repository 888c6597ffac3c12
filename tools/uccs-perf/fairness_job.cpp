// SPDX-License-Identifier: BSD-3-Clause
/// The benchmark of the slides: 1050 messages for T threads that spin in uccs_progress; when all
/// have been received an acknowledgement goes back. The context and the endpoint are what a program
/// gets that asks for nothing.
#include <pthread.h>
#include <sched.h>
#include <string.h>

#include <atomic>
#include <memory>

#include "fairness.hpp"
#include "job.hpp"
#include "uccs/rte.h"
#include "worker.hpp"

namespace uccs::perf {
namespace {

constexpr int kRunsDefault = 1000;
constexpr int kReport = 7;
constexpr int kStepsPerLook = 32;

/// What EC 1 reports of one run.
struct Report {
  uint32_t callbacks[kLanesMax];
};
static_assert(sizeof(Report) <= UCCS_AM_MEDIUM_MAX);

struct alignas(kApart) Tally {
  std::atomic<uint32_t> callbacks = 0;
};

Tally tallies[kLanesMax];
std::atomic<bool> is_over = false;
thread_local int my_index = 0;

uccs_context_t context;
uccs_endpoint_t peer;

void on_message(const uccs_am_t*, void*) {
  tallies[my_index].callbacks.fetch_add(1, std::memory_order_relaxed);
}

struct Received {
  std::atomic<int> runs = 0;
  Report last;
};

void on_report(const uccs_am_t* message, void* user) {
  auto* received = static_cast<Received*>(user);
  memcpy(&received->last, message->payload, sizeof(Report));
  received->runs.fetch_add(1, std::memory_order_release);  // pairs with `send_runs`
}

void step(uint32_t* misses) {
  if (uccs_progress(context) > 0) {
    *misses = 0;
  } else if (++*misses % 32 == 0) {
    sched_yield();
  }
}

template <typename Post>
void insist(Post post) {
  uint32_t misses = 0;
  uccs_status_t status;
  while ((status = post()) == UCCS_AGAIN) step(&misses);
  if (status < 0) check(status, "uccs_am_nb");
}

void* receive(void* index) {
  my_index = static_cast<int>(reinterpret_cast<intptr_t>(index));
  for (uint32_t misses = 0; !is_over.load(std::memory_order_acquire);) step(&misses);
  return nullptr;
}

/// The first receiving thread does as the others, and reports when all is there.
void receive_runs(const Options& options, int runs, int threads) {
  std::unique_ptr<pthread_t[]> others(new pthread_t[static_cast<size_t>(threads)]);
  for (intptr_t k = 1; k < threads; ++k)
    if (pthread_create(&others[static_cast<size_t>(k)], nullptr, receive,
                       reinterpret_cast<void*>(k)) != 0)
      rte_abort(1, "uccs-perf: a thread could not be started: ask for fewer with --threads");
  uint32_t misses = 0;
  for (int run = 0; run < runs; ++run) {
    Report report = {};
    for (uint32_t sum = 0; sum < static_cast<uint32_t>(options.messages);) {
      // Rarely: each look takes the tallies' lines from those who count.
      for (int i = 0; i < kStepsPerLook; ++i) step(&misses);
      sum = 0;
      for (int k = 0; k < threads; ++k) sum += tallies[k].callbacks.load(std::memory_order_relaxed);
    }
    for (int k = 0; k < threads; ++k)
      report.callbacks[k] = tallies[k].callbacks.exchange(0, std::memory_order_relaxed);
    insist([&] {
      return uccs_am_medium_nb(peer, kReport, nullptr, 0, &report, sizeof report, nullptr);
    });
  }
  is_over.store(true, std::memory_order_release);
  for (int k = 1; k < threads; ++k) pthread_join(others[static_cast<size_t>(k)], nullptr);
}

void send_runs(const Options& options, int runs, int threads, Received& received) {
  uint32_t misses = 0;
  for (int run = 0; run < runs; ++run) {
    const uint64_t begin = now_ns();
    for (int i = 0; i < options.messages; ++i)
      insist([&] { return uccs_am_short_nb(peer, kCount, &i, sizeof i, nullptr); });
    while (received.runs.load(std::memory_order_acquire) <= run) step(&misses);
    const double each = static_cast<double>(now_ns() - begin) / options.messages;
    for (int k = 0; k < threads; ++k)
      write_cells({std::to_string(threads), std::to_string(run), std::to_string(options.messages),
                   std::to_string(k), std::to_string(received.last.callbacks[k]),
                   number_text(each)});
  }
}

}  // namespace

void fairness_job(const Options& options) {
  const int runs = options.repetitions ? options.repetitions : kRunsDefault;
  const int threads = options.threads[0];
  Received received;
  UCCS_PERF_CHECK(uccs_context_create(nullptr, &context));
  uccs_context_info_t info;
  UCCS_PERF_CHECK(uccs_context_query(context, &info));
  UCCS_PERF_CHECK(uccs_endpoint_create(context, 1 - info.ec, UCCS_LANE_ANY, &peer));
  UCCS_PERF_CHECK(uccs_am_register(context, kCount, on_message, UCCS_AM_USER, nullptr));
  UCCS_PERF_CHECK(uccs_am_register(context, kReport, on_report, UCCS_AM_USER, &received));
  UCCS_PERF_CHECK(uccs_barrier(uccs_group_world()));
  if (info.ec == 0) {
    send_runs(options, runs, threads, received);
  } else {
    receive_runs(options, runs, threads);
  }
  UCCS_PERF_CHECK(uccs_barrier(uccs_group_world()));
  uccs_context_destroy(context);
}

}  // namespace uccs::perf
