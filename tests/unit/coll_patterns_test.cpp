// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <set>
#include <string>
#include <vector>

#include "coll/patterns/binomial.hpp"
#include "coll/patterns/dissemination.hpp"
#include "coll/patterns/division.hpp"
#include "coll/patterns/doubling.hpp"

namespace uccs::coll::patterns {
namespace {

constexpr int kSizes[] = {1, 2, 3, 4, 5, 7, 8, 9, 15, 16, 17, 31, 33, 64, 100, 257};

TEST(Dissemination, EverybodyHearsFromEverybody) {
  for (const int n : kSizes) {
    std::vector<std::set<int>> heard(static_cast<size_t>(n));
    for (int i = 0; i < n; ++i) heard[static_cast<size_t>(i)].insert(i);
    for (int round = 0; round < dissemination_rounds(n); ++round) {
      const std::vector<std::set<int>> before = heard;
      for (int i = 0; i < n; ++i) {
        const int to = dissemination_to(i, n, round);
        ASSERT_NE(to, i);
        ASSERT_EQ(dissemination_from(to, n, round), i);
        heard[static_cast<size_t>(to)].insert(before[static_cast<size_t>(i)].begin(),
                                              before[static_cast<size_t>(i)].end());
      }
    }
    for (const std::set<int>& all : heard) EXPECT_EQ(all.size(), static_cast<size_t>(n)) << n;
  }
}

TEST(Dissemination, RoundsAreTheFewestPossible) {
  EXPECT_EQ(dissemination_rounds(1), 0);
  EXPECT_EQ(dissemination_rounds(2), 1);
  EXPECT_EQ(dissemination_rounds(3), 2);
  EXPECT_EQ(dissemination_rounds(1024), 10);
  EXPECT_EQ(dissemination_rounds(1025), 11);
}

TEST(Binomial, EachMemberIsServedOnceByItsParent) {
  for (const int n : kSizes) {
    std::vector<int> parent(static_cast<size_t>(n), -1);
    for (int v = 0; v < n; ++v)
      for (int d = binomial_first_distance(v, n); d > 0; d >>= 1) {
        ASSERT_LT(v + d, n);
        EXPECT_EQ(parent[static_cast<size_t>(v + d)], -1);
        parent[static_cast<size_t>(v + d)] = v;
      }
    EXPECT_EQ(parent[0], -1);
    for (int v = 1; v < n; ++v) EXPECT_EQ(parent[static_cast<size_t>(v)], binomial_parent(v)) << n;
  }
}

TEST(Binomial, DepthIsLogarithmic) {
  for (const int n : kSizes)
    for (int v = 1; v < n; ++v) {
      int depth = 0;
      for (int at = v; at != 0; at = binomial_parent(at)) ++depth;
      EXPECT_LE(depth, dissemination_rounds(n));
    }
}

TEST(Binomial, RelativeNumbersGoAroundTheRoot) {
  for (const int n : kSizes)
    for (int root = 0; root < n; ++root)
      for (int rank = 0; rank < n; ++rank) {
        const int relative = relative_to_root(rank, root, n);
        EXPECT_EQ(absolute_from_root(relative, root, n), rank);
        EXPECT_EQ(relative == 0, rank == root);
      }
}

/// Concatenation shows order and completeness.
TEST(Doubling, EverybodyEndsWithAllOperandsInRankOrder) {
  for (const int n : kSizes) {
    if (n == 1) continue;
    std::string wanted;
    std::vector<std::string> value;
    for (int i = 0; i < n; ++i) {
      value.push_back(std::to_string(i) + ",");
      wanted += value.back();
    }
    for (int i = 0; i < n; ++i)
      if (doubling_folds(i, n)) {
        ASSERT_TRUE(doubling_absorbs(i + 1, n));
        value[static_cast<size_t>(i + 1)].insert(0, value[static_cast<size_t>(i)]);
      }
    for (int round = 0; round < doubling_rounds(n); ++round) {
      const std::vector<std::string> before = value;
      for (int i = 0; i < n; ++i) {
        if (doubling_folds(i, n)) continue;
        const int partner = doubling_partner(i, n, round);
        ASSERT_FALSE(doubling_folds(partner, n));
        ASSERT_EQ(doubling_partner(partner, n, round), i);
        const std::string& theirs = before[static_cast<size_t>(partner)];
        std::string& mine = value[static_cast<size_t>(i)];
        mine = partner < i ? theirs + mine : mine + theirs;
      }
    }
    for (int i = 0; i < n; ++i)
      if (!doubling_folds(i, n)) {
        EXPECT_EQ(value[static_cast<size_t>(i)], wanted) << n;
      }
  }
}

TEST(Doubling, PrefixesHoldAllBelowInRankOrder) {
  for (const int n : kSizes) {
    std::vector<std::string> run, before(static_cast<size_t>(n)), wanted(static_cast<size_t>(n));
    for (int i = 0; i < n; ++i) {
      run.push_back(std::to_string(i) + ",");
      if (i > 0)
        wanted[static_cast<size_t>(i)] =
            wanted[static_cast<size_t>(i - 1)] + run[static_cast<size_t>(i - 1)];
    }
    for (int round = 0; round < dissemination_rounds(n); ++round) {
      const std::vector<std::string> sent = run;
      for (int i = 0; i < n; ++i) {
        const int partner = prefix_partner(i, n, round);
        if (partner < 0) continue;
        const std::string& theirs = sent[static_cast<size_t>(partner)];
        std::string& mine = run[static_cast<size_t>(i)];
        if (partner < i) before[static_cast<size_t>(i)].insert(0, theirs);
        mine = partner < i ? theirs + mine : mine + theirs;
      }
    }
    EXPECT_EQ(before, wanted) << n;
  }
}

TEST(Division, PartsCoverEverythingOnce) {
  for (const size_t count : {0, 1, 5, 8, 63, 64, 65, 1000, 100003})
    for (const int parts : {1, 2, 3, 8, 17})
      for (const size_t granule : {1, 8, 64}) {
        size_t at = 0;
        for (int i = 0; i < parts; ++i) {
          const Part part = part_of(count, parts, i, granule);
          EXPECT_EQ(part.begin, at);
          EXPECT_LE(part.begin, part.end);
          EXPECT_TRUE(part.end == count || part.end % granule == 0);
          at = part.end;
        }
        EXPECT_EQ(at, count);
      }
}

TEST(Division, GranulesFillLines) {
  EXPECT_EQ(line_granule(1), 64u);
  EXPECT_EQ(line_granule(8), 8u);
  EXPECT_EQ(line_granule(12), 1u);
  EXPECT_EQ(line_granule(64), 1u);
}

TEST(Division, RotationsMeetEverybodyOnce) {
  for (const int n : kSizes)
    for (int rank = 0; rank < n; ++rank) {
      std::set<int> met;
      for (int step = 1; step < n; ++step) {
        const int to = rotated(rank, n, step);
        EXPECT_EQ(rotated_back(to, n, step), rank);
        EXPECT_EQ(step_from(to, n, rank), step);
        met.insert(to);
      }
      EXPECT_EQ(met.size(), static_cast<size_t>(n - 1));
      EXPECT_EQ(met.count(rank), 0u);
    }
}

}  // namespace
}  // namespace uccs::coll::patterns
