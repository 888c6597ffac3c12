// SPDX-License-Identifier: BSD-3-Clause
/// Making and ending contexts, and the process's table of them.
#include "core/context.hpp"

#include <algorithm>
#include <cstring>
#include <new>

#include "base/backoff.hpp"
#include "base/config.hpp"
#include "base/config_values.hpp"
#include "base/cpus.hpp"
#include "base/log.hpp"
#include "core/burst.hpp"
#include "core/job.hpp"
#include "core/network.hpp"
#include "core/progress.hpp"
#include "core/progress_thread.hpp"
#include "core/region.hpp"
#include "core/remote.hpp"
#include "core/startup.hpp"
#include "net/registry.hpp"

namespace uccs::core {

std::atomic<uint32_t> live_contexts = 0;

namespace {

/// Guarded by contexts_lock; the pointers are also read by progress_all_contexts.
std::atomic<Context*> table[kMaxContexts];
uint32_t incarnations[kMaxContexts];

/// Threads inside progress_all_contexts: a context goes only when nobody is. Counted on one of
/// several lines each, since idle threads come here all the time.
struct alignas(64) Visitors {
  std::atomic<int> count = 0;
};
constexpr uint32_t kVisitorLines = 64;
Visitors visitors[kVisitorLines];

std::atomic<int>& visitors_line() {
  static std::atomic<uint32_t> next = 0;
  static thread_local const uint32_t mine =
      next.fetch_add(1, std::memory_order_relaxed) % kVisitorLines;
  return visitors[mine].count;
}

void wait_for_visitors() {
  base::Backoff backoff;
  for (const Visitors& line : visitors)
    while (line.count.load(std::memory_order_seq_cst) > 0) backoff.pause();
}

/// Threads may outnumber the CPUs, and what is not used costs address space only.
constexpr int kFewest = 16;

/// On a network each lane is a port that has to be opened and polled, and ECs of all nodes must
/// come to one number, whatever CPUs they have.
constexpr int kSpreadLanes = 4;

int usual_number() { return std::max(base::usable_cpus(), kFewest); }

int configured(int attribute, int setting, int usual, int most) {
  const int value = attribute > 0 ? attribute : setting > 0 ? setting : usual;
  return std::clamp(value, 1, most);
}

/// A caller in C may have put any number into an enum; C++ may look at it only as a number.
template <typename Enum>
int number_in(const Enum& field) {
  static_assert(sizeof(Enum) == sizeof(int));
  int number;
  memcpy(&number, &field, sizeof number);
  return number;
}

bool is_valid(const uccs_context_attributes_t& a) {
  const int level = number_in(a.thread_level), progress = number_in(a.progress);
  return a.lanes >= 0 && a.lanes <= kMaxLanes && a.channels >= 0 && a.channels <= kMaxChannels &&
         (a.aggregate == 0 || a.aggregate == 1) &&
         (level == UCCS_THREAD_MULTIPLE || level == UCCS_THREAD_SINGLE) &&
         progress >= UCCS_PROGRESS_CONFIGURED && progress <= UCCS_PROGRESS_THREAD;
}

net::Shape preferred_shape(const uccs_context_attributes_t& attributes) {
  return {configured(attributes.lanes, base::config().lanes,
                     job.is_spread ? kSpreadLanes : usual_number(), kMaxLanes),
          configured(attributes.channels, base::config().channels, usual_number(), kMaxChannels)};
}

uccs_status_t fill(Context* context, const uccs_context_attributes_t& attributes) {
  uccs_status_t status = UCCS_OK;
  if (context->is_of_job) {  // no inbox in memory that others write to
    context->shape = preferred_shape(attributes);
  } else {
    status = agree_on_shape(context, {attributes.lanes, attributes.channels},
                            preferred_shape(attributes));
  }
  if (status != UCCS_OK) return status;
  context->lanes.reset(new (std::nothrow) Lane[static_cast<size_t>(context->shape.lanes)]);
  context->channels.reset(new (std::nothrow) Channel[static_cast<size_t>(context->shape.channels)]);
  if (!context->lanes || !context->channels) return UCCS_ERR_NO_MEMORY;
  context->poll_mask = static_cast<uint32_t>(base::config().poll_mask);
  open_lanes(context);
  return open_links(context, attributes.resource);
}

bool wants_thread(const uccs_context_attributes_t& attributes) {
  if (attributes.progress != UCCS_PROGRESS_CONFIGURED)
    return attributes.progress == UCCS_PROGRESS_THREAD;
  return base::config().progress == base::ProgressMode::kThread;
}

void start_progress_thread(Context* context) {
  context->progress_thread = std::make_unique<ProgressThread>();
  (void)context->progress_thread->start(context);  // without it, callers make progress
}

/// The lowest free index, which is the same on all ECs because contexts come and go in one order.
int free_index() {
  for (int i = 0; i < kMaxContexts; ++i)
    if (!table[i].load(std::memory_order_relaxed)) return i;
  return -1;
}

uccs_status_t make(const uccs_context_attributes_t& attributes, bool is_of_job,
                   Context** context_out) {
  const std::lock_guard guard(contexts_lock());
  const int index = free_index();
  if (index < 0) return UCCS_ERR_NO_MEMORY;
  auto context = std::unique_ptr<Context>(new (std::nothrow) Context);
  if (!context) return UCCS_ERR_NO_MEMORY;
  context->index = index;
  context->is_of_job = is_of_job;
  context->cpus = base::usable_cpus();
  context->incarnation = ++incarnations[index];
  const uccs_status_t status = fill(context.get(), attributes);
  if (status != UCCS_OK) {
    close_links(context.get());
    return status;
  }
  if (attributes.aggregate) context->pack.reset(Pack::make(context.get()));
  table[index].store(context.get(), std::memory_order_release);
  live_contexts.fetch_or(1u << index, std::memory_order_release);
  *context_out = context.release();
  return UCCS_OK;
}

void unlist(Context* context) {
  const std::lock_guard guard(contexts_lock());
  live_contexts.fetch_and(~(1u << context->index), std::memory_order_relaxed);
  table[context->index].store(nullptr, std::memory_order_seq_cst);
}

void free_messages(Context* context) {
  for (int lane = 0; lane < context->shape.lanes; ++lane) {
    Matcher& matcher = context->lanes[lane].matcher;
    while (Unexpected* message = matcher.take_any()) {
      context->links[message->kept.link].release(message->kept.arrival);
      matcher.release(message);
    }
  }
}

void free_handles(Context* context) {
  while (Endpoint* endpoint = context->endpoints) {
    context->endpoints = endpoint->next;
    delete endpoint;
  }
  free_regions(context);
}

}  // namespace

std::mutex& contexts_lock() {
  static std::mutex lock;
  return lock;
}

Context* context_at(int index) { return table[index].load(std::memory_order_acquire); }

namespace {

void end(Context* context) {
  ThreadSlot& thread = this_thread(context);
  (void)uccs_context_flush(context);
  announce_end(context);
  if (context->progress_thread) context->progress_thread->stop();
  context->progress_thread.reset();
  unlist(context);
  wait_for_visitors();
  leave_together(context);
  free_messages(context);
  context->pack.reset();
  free_handles(context);
  close_links(context);
  thread = ThreadSlot{};
  delete context;
}

/// Written by job_start and job_stop while the context has no thread.
Context* of_job = nullptr;

/// What a wait of any model ends up in: until something arrives from another node; true: it has,
/// or had since the thread was last about to sleep. Who takes in what others send does not sleep
/// between two of their messages.
bool sleep_by_network(uint64_t ns) {
  static thread_local constinit uint32_t known = 0;
  const Link& network = of_job->links[0];
  std::atomic<uint32_t>* doorbell =
      network.table->arm(network.instance, net::Transport::kMemory, true);
  bool was_rung = false;
  if (doorbell) {
    const uint32_t seen = doorbell->load(std::memory_order_acquire);
    if (seen == known) base::block_while(doorbell, seen, ns);
    const uint32_t now = doorbell->load(std::memory_order_relaxed);
    was_rung = now != known;
    known = now;
  } else {
    base::sleep_for(ns);
  }
  network.table->arm(network.instance, net::Transport::kMemory, false);
  return was_rung;
}

}  // namespace

Context* job_context() { return of_job; }

uccs_status_t start_job_context(bool has_threads) {
  const Network network = chosen_network(nullptr);
  if (!network.table) {
    base::log_line(base::LogLevel::kInfo, "nothing joins the nodes of this job: %s",
                   network.reason);
    return UCCS_OK;
  }
  uccs_context_attributes_t attributes = {};
  attributes.resource = network.table->name;
  // Each lane is a port of the network. Requests that are messages all go to the first, because
  // nobody waits in a callback there, answers to that of the thread which has asked, and puts and
  // gets to the one with the number of the sender's.
  if (!has_threads) attributes.lanes = 1;
  Context* made = nullptr;
  const uccs_status_t status = make(attributes, true, &made);
  if (status != UCCS_OK) return status;
  // Its messages stand for memory operations, which no target has to help with.
  of_job = made;
  if (base::config().bursts) made->pack.reset(Pack::make(nullptr));
  made->packs_bursts = made->pack != nullptr;
  base::set_far_waiting(sleep_by_network);
  // The calling thread, which is the one that waits most, before the progress thread: on the first
  // channel, at whose port of the network messages come in, too, one look finds both those and
  // answers.
  (void)this_thread(made);
  start_progress_thread(made);
  return UCCS_OK;
}

void stop_job_context() {
  base::set_far_waiting(nullptr);
  forget_remote_endpoints();
  if (of_job) end(of_job);
  of_job = nullptr;
}

int progress_all_contexts() {
  int steps = 0;
  // Sequentially consistent, like the store of `unlist`: either the one who ends a context sees
  // this visitor, or the visitor sees that the context is gone.
  std::atomic<int>& here = visitors_line();
  here.fetch_add(1, std::memory_order_seq_cst);
  for (uint32_t left = live_contexts.load(std::memory_order_relaxed); left; left &= left - 1) {
    Context* context = table[std::countr_zero(left)].load(std::memory_order_seq_cst);
    if (!context) continue;
    ThreadSlot& thread = this_thread(context);
    if (context->packs_bursts) end_burst(context, thread);
    steps += progress(context, thread);
  }
  here.fetch_sub(1, std::memory_order_release);
  return steps;
}

}  // namespace uccs::core

extern "C" {

using namespace uccs;

uccs_status_t uccs_context_create(const uccs_context_attributes_t* attributes,
                                  uccs_context_t* context_out) {
  const uccs_context_attributes_t chosen = attributes ? *attributes : uccs_context_attributes_t{};
  if (!context_out || !core::is_valid(chosen)) return UCCS_ERR_INVALID;
  uccs_status_t status = core::job_start(false);
  if (status != UCCS_OK) return status;
  core::Context* context = nullptr;
  status = core::is_forked_child() ? UCCS_ERR_STATE : core::make(chosen, false, &context);
  if (status != UCCS_OK) {
    core::job_stop();
    return status;
  }
  if (core::wants_thread(chosen)) core::start_progress_thread(context);
  *context_out = context;
  return UCCS_OK;
}

uccs_status_t uccs_context_destroy(uccs_context_t context) {
  if (!context) return UCCS_OK;
  if (core::this_thread(context).callbacks > 0) return UCCS_ERR_STATE;
  core::end(context);
  core::job_stop();
  return UCCS_OK;
}

uccs_status_t uccs_context_query(uccs_context_t context, uccs_context_info_t* info_out) {
  if (!context || !info_out) return UCCS_ERR_INVALID;
  *info_out = {.ec = core::job.me,
               .num_ecs = core::job.size,
               .lanes = context->shape.lanes,
               .channels = context->shape.channels};
  return UCCS_OK;
}

uccs_status_t uccs_resource_query(uccs_resource_t* resources_out, size_t capacity,
                                  size_t* count_out) {
  if (!count_out || (!resources_out && capacity > 0)) return UCCS_ERR_INVALID;
  const auto all = net::transports();
  for (size_t i = 0; i < std::min(capacity, all.size()); ++i) {
    const net::Capabilities can = all[i]->describe(net::Shape{}, nullptr);
    uccs_resource_t& out = resources_out[i];
    out = {};
    snprintf(out.name, sizeof out.name, "%s", all[i]->name);
    snprintf(out.description, sizeof out.description, "%s", can.description);
    out.has_put_get = can.has_put_get;
    out.has_atomics = can.has_atomics;
    out.is_same_node = can.is_same_node;
    out.medium_max = can.medium_max;
  }
  *count_out = all.size();
  return UCCS_OK;
}

int uccs_progress(uccs_context_t context) {
  core::ThreadSlot& thread = core::this_thread(context);
  const int steps = core::progress(context, thread);
  // Callers loop. Without a pause a loop of looks takes the line of the next message back from the
  // sender before it is written: a hand-over of 45 ns took 250. Without a yield on a crowded CPU
  // whoever is waited for would run only when this thread's time slice is over.
  if (steps == 0) {
    thread.idle.pause_awake();
  } else {
    thread.idle.reset();
  }
  return steps;
}

}  // extern "C"
