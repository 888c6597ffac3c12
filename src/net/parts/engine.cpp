// SPDX-License-Identifier: BSD-3-Clause
#include "net/parts/engine.hpp"

#include <errno.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <algorithm>

#include "base/backoff.hpp"
#include "base/clock.hpp"
#include "base/signals.hpp"

namespace uccs::net {
namespace {

/// A wake-up that is missed costs at most this long.
constexpr int kSleepMs = 10;
/// Between looks where there is nothing to wait on.
constexpr uint64_t kAsideNs = 200'000;
/// Between looks while other threads poll: as long as they have done so up to now, or half as long
/// as they did the last time. Each takes the CPU from one of them for some microseconds; every 200
/// us, that was a sixth of a put's time, and after half as long as they have polled, a thirtieth of
/// what begins after a pause.
constexpr uint64_t kAsideMinNs = 200'000, kAsideMaxNs = 4'000'000;
/// Threads that poll at least this often look after what comes in; others compute or sleep. A poll
/// that takes in a message takes 6 to 12 us, and who exchanges words may need just one for each.
constexpr uint64_t kAttentiveNs = 30'000;
/// A look that takes so long, beside what its messages take by themselves, moves many bytes, and
/// more are coming; so it is where the program posts long operations. Where it has no CPU to spare,
/// there is more for one wake-up after a nap of some times that; and while it polls at least every
/// other millisecond, what comes is left to its threads, which do not have to be interrupted: the
/// Fourier transform of class A takes a tenth less time in slabs on as many CPUs as ECs.
constexpr uint64_t kLongLookNs = 50'000, kMessageNs = 8'000, kNap = 4, kNapMaxNs = 1'000'000;
constexpr uint64_t kBulkNs = 10'000'000, kHelpedNs = 2'000'000, kMeasuredNs = 1'000'000'000;
/// Looks at all, all the same: nobody else looks after the channel of a thread that has ended or
/// waits for nothing of it, where messages may be stuck that met a full socket.
constexpr uint64_t kLookNs = 1'000'000;

}  // namespace

bool Engine::start(const Duties& duties, int threads) {
  duties_ = duties;
  count_ = std::clamp(threads, 1, kThreadsMax);
  const base::BlockedSignals inherited;
  while (running_ < count_ && threads_[running_].start(this, {running_, count_})) ++running_;
  return running_ == count_;
}

void Engine::stop() {
  is_ending_.store(true, std::memory_order_release);
  for (int i = 0; i < running_; ++i) threads_[i].wake();
  for (; running_ > 0; --running_) threads_[running_ - 1].join();
}

Engine::Thread::~Thread() {
  if (wake_fd_ >= 0) close(wake_fd_);
}

bool Engine::Thread::start(Engine* engine, const Share& share) {
  engine_ = engine;
  share_ = share;
  turn_ns_ = unattended_ns_ = base::now_ns();
  wake_fd_ = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
  if (wake_fd_ < 0) return false;
  return pthread_create(&thread_, nullptr, run, this) == 0;
}

/// Should the write fail, the thread wakes after its sleep.
void Engine::Thread::wake() {
  const uint64_t one = 1;
  (void)!write(wake_fd_, &one, sizeof one);
}

void* Engine::Thread::run(void* argument) {
  auto* self = static_cast<Thread*>(argument);
  while (!self->engine_->is_ending_.load(std::memory_order_acquire)) self->turn();
  return nullptr;
}

/// The second time within so few polls that the thread would stay aside if it looked.
void Engine::Thread::call_away() {
  const uint64_t now = base::now_ns();
  const uint64_t last = called_ns_.exchange(now, std::memory_order_relaxed);
  if (now - last < kPollsPerCall * kAttentiveNs &&
      is_asleep_.exchange(false, std::memory_order_relaxed))
    wake();
}

/// Until something comes. False: has been called away.
bool Engine::Thread::sleep(Watch* watch) {
  is_asleep_.store(true, std::memory_order_relaxed);
  const int ready = poll(watch->fds, watch->count, kSleepMs);
  const bool is_called = !is_asleep_.exchange(false, std::memory_order_relaxed);
  if (ready < 0 && errno != EINTR) base::sleep_for(kAsideNs);
  if (ready <= 0) return !is_called;
  uint64_t calls;
  if (watch->fds[0].revents) (void)!read(wake_fd_, &calls, sizeof calls);
  watch->has_events = true;
  return !is_called;
}

bool Engine::Thread::is_attended() {
  const Counts counts = engine_->duties_.count(engine_->duties_.user, share_);
  const uint64_t now = base::now_ns();
  const uint64_t made = counts.polls - counted_.polls, passed = now - turn_ns_;
  if (made > 0) polled_ns_ = now;
  if (counts.long_posts != counted_.long_posts) bulk_ns_ = now;
  counted_ = counts;
  turn_ns_ = now;
  if (made * kAttentiveNs > passed || is_helped()) return true;
  unattended_ns_ = now;
  return false;
}

/// Do the program's threads look often enough after the many bytes that move?
bool Engine::Thread::is_helped() const {
  return engine_->duties_.shares_cpus && turn_ns_ - polled_ns_ < kHelpedNs &&
         turn_ns_ - bulk_ns_ < kBulkNs;
}

/// Returns how much CPU time the bytes took that have moved, or 0: they are few. To ask for that is
/// a system call, so it is asked only where looks have been long lately.
uint64_t Engine::Thread::look_for_bulk(Look& look) {
  look.share = share_;
  look.is_at_all = look.is_at_all || turn_ns_ - looked_ns_ >= kLookNs;
  if (look.is_at_all) looked_ns_ = turn_ns_;
  const bool is_measured = turn_ns_ - long_ns_ < kMeasuredNs;
  const uint64_t start = base::now_ns(), cpu_start = is_measured ? base::thread_cpu_ns() : 0;
  const int messages = engine_->duties_.look(engine_->duties_.user, look);
  const uint64_t least = kLongLookNs + kMessageNs * static_cast<uint64_t>(messages);
  if (base::now_ns() - start < least) return 0;
  long_ns_ = turn_ns_;
  const uint64_t took = is_measured ? base::thread_cpu_ns() - cpu_start : 0;
  return took >= least ? took : 0;
}

/// While the program polls.
void Engine::Thread::stay_aside() {
  if (began_ns_ == 0) began_ns_ = unattended_ns_;
  const uint64_t so_far = turn_ns_ - unattended_ns_;
  base::sleep_for(std::clamp(std::max(so_far, stretch_ns_ / 2), kAsideMinNs, kAsideMaxNs));
}

void Engine::Thread::turn() {
  Look what;
  if (is_attended()) {
    attended_ns_ = turn_ns_;
    if (turn_ns_ - looked_ns_ >= kLookNs) (void)look_for_bulk(what);
    return stay_aside();
  }
  if (began_ns_ != 0) stretch_ns_ = attended_ns_ > began_ns_ ? attended_ns_ - began_ns_ : 0;
  began_ns_ = 0;
  Watch watch;
  watch.share = share_;
  watch.add(wake_fd_, share_.index);
  engine_->duties_.collect(engine_->duties_.user, watch);
  what.was_woken = watch.has_events;
  if (what.was_woken) {
    // They are looked at below.
  } else if (watch.can_sleep) {
    if (!sleep(&watch)) {
      (void)is_attended();  // counts what was polled before: not of the next turn
      unattended_ns_ = turn_ns_;
      return stay_aside();
    }
    what.was_woken = watch.has_events;
    what.is_at_all = !watch.has_events;
    if (watch.has_events) mover_.note_wake();
    for (nfds_t i = 1; i < watch.count; ++i)
      what.numbers[static_cast<size_t>(watch.numbers[i])] = watch.fds[i].revents != 0;
  } else {
    base::sleep_for(kAsideNs);
  }
  const uint64_t took_ns = look_for_bulk(what);
  if (took_ns == 0) return;
  bulk_ns_ = turn_ns_;
  if (engine_->duties_.shares_cpus) base::sleep_for(std::min(kNap * took_ns, kNapMaxNs));
}

}  // namespace uccs::net
