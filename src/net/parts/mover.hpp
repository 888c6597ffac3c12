// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include <cstdint>

namespace uccs::net {

/// Moves the calling thread to another CPU when it often waits for the one that it wakes on. A
/// kernel wakes a thread where it slept, and moves it when one CPU has more to do than others. It
/// does not see that two threads which wake all the time share a CPU while on another one somebody
/// looks for what they are to do: that looks like work. Threads on two such CPUs had a third of the
/// puts of those that the kernel had put well, for as long as they ran.
class Mover {
 public:
  ~Mover();
  /// Called by one thread, each time that it has slept and been woken for something.
  void note_wake() {
    if (++wakes_ == interval_) judge();
  }
  /// How often it has moved the thread.
  uint32_t moves() const { return moves_; }

 private:
  static constexpr uint32_t kIntervalMin = 64, kIntervalMax = 4096;

  void judge();
  uint64_t read_waited_ns();

  int fd_ = kUnopened;
  uint64_t waited_ns_ = 0;  ///< for a CPU, ever
  uint32_t wakes_ = 0;      ///< since the last judgement
  /// In wakes: twice as long after each move, since where everybody waits no place is better.
  uint32_t interval_ = kIntervalMin;
  uint32_t random_ = 0;
  uint32_t moves_ = 0;
  static constexpr int kUnopened = -1, kUnreadable = -2;
};

}  // namespace uccs::net
