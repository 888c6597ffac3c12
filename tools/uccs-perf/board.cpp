// SPDX-License-Identifier: BSD-3-Clause
#include "board.hpp"

#include <limits.h>
#include <linux/futex.h>
#include <sched.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

namespace uccs::perf {
namespace {

// Not private: the word is shared between processes.
void sleep_while(std::atomic<uint32_t>& word, uint32_t value) {
  syscall(SYS_futex, &word, FUTEX_WAIT, value, nullptr, nullptr, 0);
}
void wake_all(std::atomic<uint32_t>& word) {
  syscall(SYS_futex, &word, FUTEX_WAKE, INT_MAX, nullptr, nullptr, 0);
}

}  // namespace

Outcome Board::run(Layout layout, const Burst& burst) {
  burst_ = burst;
  ready_.store(0, std::memory_order_relaxed);
  start_ns_.store(0, std::memory_order_relaxed);
  done_.store(0, std::memory_order_relaxed);
  cpu_ns_.store(0, std::memory_order_relaxed);
  Turn& turn = turns_[static_cast<int>(layout)];
  turn.value.fetch_add(1, std::memory_order_release);  // pairs with `await`
  wake_all(turn.value);
  for (uint32_t done; (done = done_.load(std::memory_order_acquire)) < crew_;)
    sleep_while(done_, done);  // acquire: pairs with `end`
  double count = 0;
  for (int i = 0; i < burst.workers; ++i)
    count += static_cast<double>(told_[i].count.load(std::memory_order_relaxed));
  return {count * 1e9 / static_cast<double>(cpu_ns_.load(std::memory_order_relaxed)),
          count * 1e9 / static_cast<double>(burst.duration_ns), count};
}

uint64_t Board::cpu_ns_of(Layout layout) const {
  const int begin = layout == Layout::kThreads ? 0 : 2;
  const int end = layout == Layout::kThreads ? 2 : 2 + static_cast<int>(crew_);
  uint64_t sum = 0;
  for (int ec = begin; ec < end; ++ec) {
    clockid_t clock;
    timespec used;
    if (clock_getcpuclockid(pids_[ec].load(std::memory_order_relaxed), &clock) != 0 ||
        clock_gettime(clock, &used) != 0)
      continue;
    sum += static_cast<uint64_t>(used.tv_sec) * 1'000'000'000 + static_cast<uint64_t>(used.tv_nsec);
  }
  return sum;
}

void Board::finish() {
  burst_ = Burst();
  burst_.is_over = true;
  for (Turn& turn : turns_) {
    turn.value.fetch_add(1, std::memory_order_release);
    wake_all(turn.value);
  }
}

Burst Board::await(Layout layout, uint32_t* seen) {
  std::atomic<uint32_t>& turn = turns_[static_cast<int>(layout)].value;
  uint32_t now;
  while ((now = turn.load(std::memory_order_acquire)) == *seen) sleep_while(turn, now);
  *seen = now;
  return burst_;
}

uint64_t Board::begin(const Burst& burst) {
  if (ready_.fetch_add(1, std::memory_order_acq_rel) + 1 == participants(burst))
    start_ns_.store(now_ns(), std::memory_order_release);
  uint64_t start;
  while ((start = start_ns_.load(std::memory_order_acquire)) == 0) sched_yield();
  return start + burst.duration_ns;
}

void Board::tell(int index, uint32_t key, uint64_t count) {
  told_[index].count.store(count, std::memory_order_relaxed);
  told_[index].key.store(key, std::memory_order_release);  // pairs with is_told
}

bool Board::is_told(int index, uint32_t key, uint64_t* count_out) const {
  if (told_[index].key.load(std::memory_order_acquire) != key) return false;
  *count_out = told_[index].count.load(std::memory_order_relaxed);
  return true;
}

void Board::end(uint64_t cpu_ns) {
  cpu_ns_.fetch_add(cpu_ns, std::memory_order_relaxed);
  if (done_.fetch_add(1, std::memory_order_acq_rel) + 1 == crew_) wake_all(done_);
}

}  // namespace uccs::perf
