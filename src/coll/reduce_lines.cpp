// SPDX-License-Identifier: BSD-3-Clause
#include "coll/lines.hpp"
#include "coll/patterns/dissemination.hpp"
#include "coll/patterns/doubling.hpp"
#include "coll/reduce.hpp"

namespace uccs::coll {
namespace {

/// A value of at most one line, aligned for every type.
class Value {
 public:
  explicit Value(size_t bytes) : bytes_(bytes) {}
  void set(const void* from) { std::memcpy(data_, from, bytes_); }
  void write(void* to) const { std::memcpy(to, data_, bytes_); }
  const void* data() const { return data_; }
  /// this = this op right.
  void append(const void* right, size_t count, Combine op) { op(data_, right, count); }
  /// this = left op this.
  void prepend(const void* left, size_t count, Combine op) {
    alignas(kLineBytes) std::byte sum[kPayloadBytes];
    std::memcpy(sum, left, bytes_);
    op(sum, data_, count);
    std::memcpy(data_, sum, bytes_);
  }

 private:
  size_t bytes_;
  alignas(kLineBytes) std::byte data_[kPayloadBytes];
};

}  // namespace

void reduce_lines(const Members& members, void* dest, const void* source, size_t bytes,
                  size_t count, Combine op) {
  const int n = members.size, rank = members.rank;
  const int rounds = patterns::doubling_rounds(n);
  const Claim taken = claim(members, rounds + 2, 0);
  const uint64_t fold_line = taken.line;
  const uint64_t result_line = taken.line + 1;
  const uint64_t first_round = taken.line + 2;
  Value value(bytes);
  value.set(source);
  if (patterns::doubling_folds(rank, n)) {
    post(members, rank + 1, fold_line, value.data(), bytes);
    std::memcpy(dest, await(members, result_line), bytes);
    all_entered(members, taken);
    return;
  }
  const bool absorbs = patterns::doubling_absorbs(rank, n);
  if (absorbs) value.prepend(await(members, fold_line), count, op);
  for (int round = 0; round < rounds; ++round) {
    const int partner = patterns::doubling_partner(rank, n, round);
    const uint64_t line = first_round + static_cast<uint64_t>(round);
    post(members, partner, line, value.data(), bytes);
    const std::byte* theirs = await(members, line);
    // The lower run is always the left operand, on both sides: the same bits everywhere.
    if (partner < rank)
      value.prepend(theirs, count, op);
    else
      value.append(theirs, count, op);
  }
  if (absorbs) post(members, rank - 1, result_line, value.data(), bytes);
  value.write(dest);
  all_entered(members, taken);
}

void scan_lines(const Members& members, void* dest, const void* source, size_t bytes, size_t count,
                Combine op, bool is_inclusive) {
  const int n = members.size, rank = members.rank;
  const int rounds = patterns::dissemination_rounds(n);
  const Claim taken = claim(members, rounds, 0);
  Value run(bytes);     // of the aligned run of 2^round members around this one
  Value before(bytes);  // of those in it that are below this one
  bool has_before = false;
  run.set(source);
  for (int round = 0; round < rounds; ++round) {
    const int partner = patterns::prefix_partner(rank, n, round);
    if (partner < 0) continue;
    const uint64_t line = taken.line + static_cast<uint64_t>(round);
    post(members, partner, line, run.data(), bytes);
    const std::byte* theirs = await(members, line);
    if (partner > rank) {
      run.append(theirs, count, op);
      continue;
    }
    run.prepend(theirs, count, op);
    if (has_before)
      before.prepend(theirs, count, op);
    else
      before.set(theirs);
    has_before = true;
  }
  if (!has_before) {
    if (is_inclusive)
      std::memmove(dest, source, bytes);
    else
      std::memset(dest, 0, bytes);
    return;
  }
  if (is_inclusive) before.append(source, count, op);
  before.write(dest);
}

}  // namespace uccs::coll
