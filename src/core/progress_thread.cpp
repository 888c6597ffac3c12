// SPDX-License-Identifier: BSD-3-Clause
#include "core/progress_thread.hpp"

#include <algorithm>

#include "base/backoff.hpp"
#include "base/heavy_fence.hpp"
#include "base/signals.hpp"
#include "core/pack.hpp"
#include "core/progress.hpp"

namespace uccs::core {
namespace {

/// Looks in vain before the thread sleeps: some microseconds. It costs a CPU that programs want.
constexpr int kLooksBeforeSleep = 200;

/// Whoever posts or sends sees the sleeper, so this only bounds what nobody thought of.
constexpr uint64_t kLongSleepNs = 100'000'000;
/// Without heavy fences, or with transports that ring nothing, and while operations are under way.
constexpr uint64_t kShortSleepNs = 200'000;
/// The latter in the job's context, where the network's own threads look after what moves and ring:
/// from the first to the second, twice as long each time that there was nothing to do.
constexpr uint64_t kShortSleepOfJobNs = 4'000'000, kLongestShortSleepOfJobNs = 32'000'000;
/// Woken so often in a row with nothing to do, the job's thread naps before it listens again:
/// threads of the program take what comes, and a sleep costs an interrupt on each of their CPUs.
constexpr int kVainRings = 4;
constexpr uint64_t kNapNs = 500'000;

bool is_any_active(const Context* context) {
  const int open = context->open_channels.load(std::memory_order_acquire);
  for (int i = 0; i < open; ++i)
    if (context->channels[i].active.load(std::memory_order_relaxed) != 0) return true;
  return false;
}

}  // namespace

bool ProgressThread::start(Context* context) {
  context_ = context;
  const base::BlockedSignals inherited;
  is_running_ = pthread_create(&thread_, nullptr, run, this) == 0;
  return is_running_;
}

void ProgressThread::stop() {
  if (!is_running_) return;
  is_running_ = false;
  is_over_.store(true, std::memory_order_seq_cst);
  wake_if_asleep();
  pthread_join(thread_, nullptr);
}

void ProgressThread::ring(std::atomic<uint32_t>* doorbell) {
  doorbell->fetch_add(1, std::memory_order_relaxed);
  base::wake_all(doorbell);
}

/// Every lane, since endpoints may begin to name one at any time.
std::atomic<uint32_t>* ProgressThread::arm(bool is_waiting) {
  const Link& first = context_->links[0];
  std::atomic<uint32_t>* doorbell = nullptr;
  for (int lane = 0; lane < context_->shape.lanes; ++lane)
    doorbell = first.table->arm(first.instance, lane, is_waiting);
  return doorbell;
}

/// Announces itself, then looks once more. Senders and posters write, then look for sleepers, with
/// nothing but program order between: the heavy fence is the fence of both sides.
void ProgressThread::sleep(ThreadSlot& thread) {
  std::atomic<uint32_t>* doorbell = arm(true);
  if (!doorbell || context_->link_count > 1) {  // one futex cannot wait for two transports
    arm(false);
    base::sleep_for(kShortSleepNs);
    return;
  }
  const uint32_t seen = doorbell->load(std::memory_order_acquire);
  sleeps_on_.store(doorbell, std::memory_order_relaxed);
  const bool is_seen = base::heavy_fence();
  if (progress(context_, thread) == 0 && !is_over_.load(std::memory_order_seq_cst)) {
    const bool is_idle = is_seen && !is_any_active(context_);
    const uint64_t age_ns = pack_age_ns();
    const uint64_t long_ns = age_ns > 0 ? age_ns : kLongSleepNs;
    const uint64_t short_ns = context_->is_of_job && is_seen ? job_sleep_ns_ : kShortSleepNs;
    base::block_while(doorbell, seen, is_idle ? long_ns : short_ns);
    const bool is_rung = doorbell->load(std::memory_order_relaxed) != seen;
    vain_rings_ = is_rung ? vain_rings_ + 1 : 0;
    job_sleep_ns_ = std::min(2 * job_sleep_ns_, kLongestShortSleepOfJobNs);
  }
  sleeps_on_.store(nullptr, std::memory_order_relaxed);
  arm(false);
}

void* ProgressThread::run(void* argument) {
  auto* self = static_cast<ProgressThread*>(argument);
  ThreadSlot& slot = attach_internal(self->context_);
  // The job's context: what comes there is rare, and CPUs are better left to those who compute.
  const bool is_of_job = self->context_->is_of_job;
  const int looks = is_of_job ? 1 : kLooksBeforeSleep;
  int misses = 0;
  self->job_sleep_ns_ = kShortSleepOfJobNs;
  base::Backoff backoff;
  while (!self->is_over_.load(std::memory_order_acquire)) {
    if (is_of_job) age_packs();
    if (progress(self->context_, slot) > 0) {
      misses = self->vain_rings_ = 0;
      self->job_sleep_ns_ = kShortSleepOfJobNs;
      backoff.reset();
    } else if (++misses < looks) {
      backoff.pause_awake();
    } else if (is_of_job && self->vain_rings_ >= kVainRings) {
      self->vain_rings_ = kVainRings - 1;
      base::sleep_for(kNapNs);
    } else {
      self->sleep(slot);
    }
  }
  return nullptr;
}

}  // namespace uccs::core
