// SPDX-License-Identifier: BSD-3-Clause
#include "core/pack_records.hpp"

#include <atomic>

namespace uccs::core {
namespace {

/// Words from `at` to `end`.
class Words {
 public:
  Words(const std::byte* at, size_t bytes) : at_(at), left_(bytes) {}
  bool is_over() const { return left_ == 0; }
  bool take(uint64_t* word_out) {
    const std::byte* from = take_bytes(sizeof *word_out);
    if (from) memcpy(word_out, from, sizeof *word_out);
    return from != nullptr;
  }
  const std::byte* take_bytes(size_t bytes) {
    if (bytes > left_) return nullptr;
    const std::byte* from = at_;
    at_ += bytes;
    left_ -= bytes;
    return from;
  }

 private:
  const std::byte* at_;
  size_t left_;
};

bool is_aligned(const std::byte* at, size_t bytes) {
  return (reinterpret_cast<uintptr_t>(at) & (bytes - 1)) == 0;
}

/// Aligned words move whole, as they do within a node.
void store(std::byte* to, const std::byte* from, size_t bytes) {
  if (bytes == 8 && is_aligned(to, 8)) {
    uint64_t word;
    memcpy(&word, from, sizeof word);
    std::atomic_ref(*reinterpret_cast<uint64_t*>(to)).store(word, std::memory_order_relaxed);
  } else if (bytes == 4 && is_aligned(to, 4)) {
    uint32_t word;
    memcpy(&word, from, sizeof word);
    std::atomic_ref(*reinterpret_cast<uint32_t*>(to)).store(word, std::memory_order_relaxed);
  } else {
    memcpy(to, from, bytes);
  }
}

void load(std::byte* to, const std::byte* from, size_t bytes) {
  auto* at = const_cast<std::byte*>(from);
  if (bytes == 8 && is_aligned(at, 8)) {
    const uint64_t word =
        std::atomic_ref(*reinterpret_cast<uint64_t*>(at)).load(std::memory_order_relaxed);
    memcpy(to, &word, sizeof word);
  } else if (bytes == 4 && is_aligned(at, 4)) {
    const uint32_t word =
        std::atomic_ref(*reinterpret_cast<uint32_t*>(at)).load(std::memory_order_relaxed);
    memcpy(to, &word, sizeof word);
  } else {
    memcpy(to, from, bytes);
  }
}

/// The memory that a record names; nullptr: not all of it is there.
std::byte* memory_of(const PackAreas& areas, uint64_t word, size_t bytes) {
  const bool is_static = (word >> kOffsetBits & 1) != 0;
  const uint64_t offset = word & ((uint64_t{1} << kOffsetBits) - 1);
  const size_t room = is_static ? areas.static_bytes : areas.heap_bytes;
  if (offset > room || bytes > room - offset) return nullptr;
  return (is_static ? areas.statics : areas.heap) + offset;
}

/// Room for one more answer; nullptr: `local` is none, or there is no room.
std::byte* begin_answer(PackAnswers* answers, uint64_t local, size_t bytes) {
  const size_t length = sizeof local + padded_to_word(bytes);
  if (!answers) return nullptr;
  if (local >> kLocalBits != bytes || length > kPackMax - answers->bytes) return nullptr;
  std::byte* at = answers->data + answers->bytes;
  answers->bytes += length;
  memcpy(at, &local, sizeof local);
  return at + sizeof local;
}

bool apply_put(const PackAreas& areas, uint64_t word, size_t bytes, Words* words) {
  std::byte* const to = memory_of(areas, word, bytes);
  const std::byte* const from = words->take_bytes(padded_to_word(bytes));
  if (!to || !from) return false;
  store(to, from, bytes);
  return true;
}

bool apply_get(const PackAreas& areas, uint64_t word, Words* words, PackAnswers* answers) {
  const size_t bytes = word >> 52;
  const std::byte* const from = memory_of(areas, word, bytes);
  uint64_t local;
  if (!from || !words->take(&local)) return false;
  std::byte* const to = begin_answer(answers, local, bytes);
  if (!to) return false;
  load(to, from, bytes);
  return true;
}

bool is_operation(uint64_t op, uint64_t type) {
  return op <= static_cast<uint64_t>(base::AtomicOp::kCompareSwap) &&
         type <= static_cast<uint64_t>(base::AtomicType::kDouble);
}

bool apply_atomic(const PackAreas& areas, Packed what, uint64_t word, Words* words,
                  PackAnswers* answers) {
  const uint64_t op = word >> 52 & 15, kind = word >> 56;
  if (!is_operation(op, kind)) return false;
  const auto type = static_cast<base::AtomicType>(kind);
  const size_t bytes = base::atomic_size(type);
  std::byte* const at = memory_of(areas, word, bytes);
  uint64_t operand = 0, expected = 0, local = 0;
  const bool is_whole = at && is_aligned(at, bytes) && words->take(&operand) &&
                        (what != Packed::kCompareSwap || words->take(&expected)) &&
                        (what == Packed::kUpdate || words->take(&local));
  if (!is_whole) return false;
  std::byte* result = nullptr;
  if (what != Packed::kUpdate && !(result = begin_answer(answers, local, bytes))) return false;
  const uint64_t old =
      base::atomic_apply_any(static_cast<base::AtomicOp>(op), type, at, operand, expected);
  if (result) memcpy(result, &old, sizeof old);
  return true;
}

/// Most of what irregular programs do, so without the way through all operations and types.
bool apply_increment(const PackAreas& areas, uint64_t word) {
  const bool is_long = word >> 52 == static_cast<uint64_t>(base::AtomicType::kUint64);
  const size_t bytes = is_long ? 8 : 4;
  std::byte* const at = memory_of(areas, word, bytes);
  if (!at || !is_aligned(at, bytes)) return false;
  if (is_long) {
    std::atomic_ref(*reinterpret_cast<uint64_t*>(at)).fetch_add(1);
  } else {
    std::atomic_ref(*reinterpret_cast<uint32_t*>(at)).fetch_add(1);
  }
  return true;
}

}  // namespace

bool apply_records(const PackAreas& areas, const std::byte* records, size_t bytes,
                   PackAnswers* answers) {
  Words words(records, bytes);
  uint64_t word;
  while (!words.is_over()) {
    if (!words.take(&word)) return false;
    bool is_sound = false;
    const auto what = static_cast<Packed>(word >> 48 & 15);
    switch (what) {
      case Packed::kPut:
        is_sound = apply_put(areas, word, word >> 52, &words);
        break;
      case Packed::kPutWords:
        is_sound = apply_put(areas, word, (word >> 52) * sizeof(uint64_t), &words);
        break;
      case Packed::kIncrement:
        is_sound = apply_increment(areas, word);
        break;
      case Packed::kGet:
        is_sound = apply_get(areas, word, &words, answers);
        break;
      case Packed::kUpdate:
      case Packed::kFetch:
      case Packed::kCompareSwap:
        is_sound = apply_atomic(areas, what, word, &words, answers);
        break;
    }
    if (!is_sound) return false;
  }
  return true;
}

bool deliver_answers(const std::byte* answers, size_t bytes) {
  Words words(answers, bytes);
  uint64_t local;
  while (!words.is_over()) {
    if (!words.take(&local)) return false;
    const size_t length = local >> kLocalBits;
    const std::byte* const from = words.take_bytes(padded_to_word(length));
    if (!from) return false;
    auto* const to = reinterpret_cast<std::byte*>(local & ((uint64_t{1} << kLocalBits) - 1));
    store(to, from, length);
  }
  return true;
}

}  // namespace uccs::core
