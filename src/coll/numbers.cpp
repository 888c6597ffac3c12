// SPDX-License-Identifier: BSD-3-Clause
#include "coll/numbers.hpp"

namespace uccs::coll {
namespace {

/// Numbers that nobody gets: the world's, the table's own and those past the end.
uint64_t reserved(uint32_t word) {
  uint64_t bits = word == 0 ? 1 : 0;
  for (uint64_t i = 0; i < 64; ++i)
    if (uint64_t{word} * 64 + i >= uint64_t{Numbers::kLastNumber}) bits |= uint64_t{1} << i;
  return bits;
}

uint64_t bit_of(int number) { return uint64_t{1} << (number % 64); }

}  // namespace

Numbers& Numbers::mine() { return *reinterpret_cast<Numbers*>(core::group_scratch(kLastNumber)); }

void Numbers::look(uint32_t window, uint64_t free_out[kWindowWords]) const {
  for (uint32_t w = 0; w < kWindowWords; ++w) {
    const uint32_t word = window * kWindowWords + w;
    free_out[w] = ~taken_[word].load(std::memory_order_relaxed) & ~reserved(word);
  }
}

bool Numbers::take(int number) {
  // Acquire: with the number comes its scratch as the thread that released it left it.
  const uint64_t before = taken_[number / 64].fetch_or(bit_of(number), std::memory_order_acquire);
  return (before & bit_of(number)) == 0;
}

void Numbers::release(int number) {
  // Release: pairs with `take`.
  taken_[number / 64].fetch_and(~bit_of(number), std::memory_order_release);
}

}  // namespace uccs::coll
