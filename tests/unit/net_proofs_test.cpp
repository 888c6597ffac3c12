// SPDX-License-Identifier: BSD-3-Clause
/// What flushes wait for: puts from before them, however these end, and no later ones.
#include "net/parts/proofs.hpp"

#include <gtest/gtest.h>

namespace uccs::net {
namespace {

TEST(Proofs, WithoutPutsAllFlushesAreOver) {
  const Proofs proofs;
  FlushCount flushes;
  EXPECT_TRUE(proofs.are_over());
  EXPECT_TRUE(proofs.are_over(flushes.begin()));
}

TEST(Proofs, AFlushWaitsForWhatCameBeforeItOnly) {
  Proofs proofs;
  FlushCount flushes;
  Proof early, late;
  proofs.await(early, flushes.now());
  const uint64_t flush = flushes.begin();
  EXPECT_FALSE(proofs.are_over(flush));
  proofs.await(late, flushes.now());
  EXPECT_FALSE(proofs.are_over(flush));
  proofs.end(early);
  EXPECT_TRUE(proofs.are_over(flush));  // late is another flush's
  EXPECT_FALSE(proofs.are_over());
  const uint64_t next = flushes.begin();
  EXPECT_FALSE(proofs.are_over(next));
  proofs.end(late);
  EXPECT_TRUE(proofs.are_over(next));
  EXPECT_TRUE(proofs.are_over());
}

TEST(Proofs, EndInAnyOrder) {
  Proofs proofs;
  FlushCount flushes;
  Proof puts[3];
  uint64_t after[3];
  for (int i = 0; i < 3; ++i) {
    proofs.await(puts[i], flushes.now());
    after[i] = flushes.begin();
  }
  proofs.end(puts[1]);
  EXPECT_FALSE(proofs.are_over(after[0]));
  EXPECT_FALSE(proofs.are_over(after[1]));
  proofs.end(puts[0]);
  EXPECT_TRUE(proofs.are_over(after[0]));
  EXPECT_TRUE(proofs.are_over(after[1]));
  EXPECT_FALSE(proofs.are_over(after[2]));
  proofs.end(puts[2]);
  EXPECT_TRUE(proofs.are_over());
}

TEST(Proofs, TheOldestCountsInWhateverOrderTheyAreAwaited) {
  Proofs proofs;
  FlushCount flushes;
  const uint64_t before = flushes.now();
  const uint64_t flush = flushes.begin();
  Proof late, early, later;
  proofs.await(late, flushes.now());
  EXPECT_TRUE(proofs.are_over(flush));
  proofs.await(early, before);
  proofs.await(later, flushes.begin());
  EXPECT_FALSE(proofs.are_over(flush));
  proofs.end(late);
  EXPECT_FALSE(proofs.are_over(flush));
  proofs.end(early);
  EXPECT_TRUE(proofs.are_over(flush));
  EXPECT_FALSE(proofs.are_over());
  proofs.end(later);
  EXPECT_TRUE(proofs.are_over());
}

TEST(Proofs, AQuestionTakesThePlaceOfThePutsBeforeIt) {
  Proofs proofs;
  FlushCount flushes;
  Proof puts, others, question;
  proofs.await(puts, flushes.now());
  const uint64_t flush = flushes.begin();
  proofs.await(others, flushes.now());
  proofs.replace(puts, question);
  EXPECT_FALSE(puts.is_awaited);
  EXPECT_TRUE(question.is_awaited);
  EXPECT_FALSE(proofs.are_over(flush));
  proofs.await(puts, flushes.now());  // more of them
  proofs.end(question);
  EXPECT_TRUE(proofs.are_over(flush));
  EXPECT_FALSE(proofs.are_over(flushes.begin()));
  proofs.end(others);
  proofs.end(puts);
  EXPECT_TRUE(proofs.are_over());
}

}  // namespace
}  // namespace uccs::net
