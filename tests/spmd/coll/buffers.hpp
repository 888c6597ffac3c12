// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include <cstring>
#include <vector>

#include "cases.hpp"
#include "coll/coll.hpp"

namespace uccs::test {

enum class Place { kHeap, kStatic, kPrivate };

/// Sizes around every change of algorithm.
constexpr size_t kSizes[] = {0,    1,    7,    8,    56,    57,    64,
                             1000, 2048, 2049, 4096, 10000, 65536, (size_t{1} << 20) + 3};

/// What byte `index` of member `rank`'s data is in round `round`.
inline std::byte pattern(int round, int rank, size_t index) {
  uint64_t x = static_cast<uint64_t>(round) * 0x9E3779B97F4A7C15u +
               static_cast<uint64_t>(rank) * 0xC2B2AE3D27D4EB4Fu + index;
  x = (x ^ (x >> 29)) * 0xBF58476D1CE4E5B9u;
  return static_cast<std::byte>(x >> 56);
}

/// Memory of one place with a margin on both sides that must stay as it is.
class Buffer {
 public:
  static constexpr size_t kMargin = 64;
  static constexpr std::byte kMark{0xA5};
  static constexpr size_t kPrivateMax = size_t{1} << 30;

  /// `slot` 0 or 1: which half of the symmetric area.
  Buffer(Ec& ec, Place place, int slot, size_t bytes) : bytes_(bytes) {
    CHECK(bytes <= (place == Place::kPrivate ? kPrivateMax : kAreaBytes / 2 - 2 * kMargin));
    const size_t offset = kAreaBytes / 2 * static_cast<size_t>(slot);
    if (place == Place::kPrivate) {
      memory_.resize(bytes + 2 * kMargin + kMargin);
      const auto address = reinterpret_cast<uintptr_t>(memory_.data());
      low_ = memory_.data() + (kMargin - address % kMargin) % kMargin;
    } else {
      low_ = (place == Place::kHeap ? ec.heap : ec.statics) + offset;
    }
    std::memset(low_, static_cast<int>(kMark), bytes + 2 * kMargin);
  }

  std::byte* data() { return low_ + kMargin; }

  void fill(int round, int rank) {
    for (size_t i = 0; i < bytes_; ++i) data()[i] = pattern(round, rank, i);
  }

  /// What a program may do with a source as soon as the call returns.
  void reuse() { std::memset(data(), ~static_cast<int>(kMark), bytes_); }

  void check_margins() const {
    for (size_t i = 0; i < kMargin; ++i) {
      CHECK(low_[i] == kMark);
      CHECK(low_[kMargin + bytes_ + i] == kMark);
    }
  }

 private:
  size_t bytes_;
  std::byte* low_ = nullptr;
  std::vector<std::byte> memory_;
};

/// Runs `test(source place, dest place)` for the combinations that differ.
template <typename Test>
void for_places(Ec& ec, Test test) {
  test(Place::kHeap, Place::kHeap);
  test(Place::kPrivate, Place::kPrivate);
  test(Place::kPrivate, Place::kHeap);
  test(Place::kHeap, Place::kPrivate);
  if (ec.statics != nullptr) {
    test(Place::kStatic, Place::kHeap);
    test(Place::kStatic, Place::kStatic);
  }
}

/// Like a programmer that is not in step with the others.
class Delays {
 public:
  Delays(uint64_t seed, int me) : state_(seed * 77 + static_cast<uint64_t>(me) + 1) {}
  void maybe();

 private:
  uint64_t state_;
};

/// Numbers that are the same on all members.
class Dice {
 public:
  explicit Dice(uint64_t seed) : state_(seed | 1) {}
  uint64_t next() {
    state_ ^= state_ << 13;
    state_ ^= state_ >> 7;
    state_ ^= state_ << 17;
    return state_ * 0x2545F4914F6CDD1Du;
  }
  int below(int limit) { return static_cast<int>((next() >> 33) % static_cast<uint64_t>(limit)); }

 private:
  uint64_t state_;
};

// One call each, checked byte by byte; `round` makes the data differ from call to call. They end
// without a barrier.
void check_broadcast(Ec& ec, core::Group& group, size_t bytes, int root, bool dest_at_root,
                     Place source_place, Place dest_place, int round);
void check_broadcast_in_place(Ec& ec, core::Group& group, size_t bytes, int root, Place place,
                              int round);
void check_allgather(Ec& ec, core::Group& group, size_t bytes, Place source_place, Place dest_place,
                     int round);
void check_allgatherv(Ec& ec, core::Group& group, size_t bytes, Place source_place,
                      Place dest_place, int round);
void check_alltoall(Ec& ec, core::Group& group, size_t bytes, Place source_place, Place dest_place,
                    int round);
void check_alltoall_strided(Ec& ec, core::Group& group, size_t element, size_t count,
                            int dest_stride, int source_stride, Place source_place,
                            Place dest_place, int round);
/// With an operation that is associative, not commutative and exact.
void check_allreduce(Ec& ec, core::Group& group, size_t count, Place source_place, Place dest_place,
                     bool in_place, int round);
void check_scan(Ec& ec, core::Group& group, size_t count, bool is_inclusive, Place source_place,
                Place dest_place, bool in_place, int round);

}  // namespace uccs::test
