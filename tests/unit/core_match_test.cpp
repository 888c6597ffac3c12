// SPDX-License-Identifier: BSD-3-Clause
/// Matching against a plain model, and the bounds of what a lane keeps.
#include "core/match.hpp"

#include <gtest/gtest.h>

#include <list>
#include <memory>
#include <random>
#include <vector>

#include "core/lane.hpp"

namespace {

using namespace uccs;
using namespace uccs::core;

/// An eager message of 8 bytes: its tag, and a number to tell it by.
struct Message {
  std::byte head[net::kHeadReadable] = {};
  net::Arrival arrival = {};

  Message(int source, uint64_t tag, uint64_t number) {
    memcpy(head, &tag, sizeof tag);
    memcpy(head + 8, &number, sizeof number);
    arrival.envelope = make_envelope(net::Traffic::kSend, Kind::kEager, 0, 0);
    arrival.source = source;
    arrival.head_bytes = 16;
    arrival.head = head;
  }
};

uint64_t number_of(const net::Arrival& arrival) {
  uint64_t number;
  memcpy(&number, arrival.head + 8, sizeof number);
  return number;
}

void fill(Request* request, int source, uint64_t tag, uint64_t mask) {
  request->receive = {};
  request->receive.source = source;
  request->receive.tag = tag;
  request->receive.mask = mask;
}

// Random messages and receives: whoever comes takes the oldest that fits, as in two plain lists.
TEST(Matcher, AgreesWithTwoLists) {
  struct Posted {
    Request* request;
    int source;
    uint64_t tag, mask;
  };
  struct Waiting {
    uint64_t number;
    int source;
    uint64_t tag;
  };
  std::mt19937 random(3);
  Matcher matcher;
  std::list<Posted> posted;
  std::list<Waiting> waiting;
  std::vector<std::unique_ptr<Request>> requests;
  const auto fits = [](const Posted& p, int source, uint64_t tag) {
    return (p.source == UCCS_EC_ANY || p.source == source) && ((p.tag ^ tag) & p.mask) == 0;
  };
  for (uint64_t step = 0; step < 20000; ++step) {
    const int source = static_cast<int>(random() % 3);
    const uint64_t tag = random() % 4;
    switch (random() % 5) {
      case 0:
      case 1: {  // a message
        const Message message(source, tag, step);
        bool is_kept;
        Request* taken = matcher.arrive(message.arrival, 0, &is_kept);
        Request* expected = nullptr;
        for (auto p = posted.begin(); p != posted.end(); ++p)
          if (fits(*p, source, tag)) {
            expected = p->request;
            posted.erase(p);
            break;
          }
        ASSERT_EQ(taken, expected) << step;
        ASSERT_EQ(is_kept, expected == nullptr);
        if (!expected) waiting.push_back({step, source, tag});
        break;
      }
      case 2:
      case 3: {  // a receive
        requests.push_back(std::make_unique<Request>());
        const Posted p = {requests.back().get(), random() % 3 ? source : UCCS_EC_ANY, tag,
                          random() % 4 ? UCCS_TAG_EXACT : random() % 4};
        fill(p.request, p.source, p.tag, p.mask);
        Unexpected* taken = matcher.post(p.request);
        auto w = waiting.begin();
        while (w != waiting.end() && !fits(p, w->source, w->tag)) ++w;
        ASSERT_EQ(taken != nullptr, w != waiting.end()) << step;
        if (taken) {
          ASSERT_EQ(number_of(taken->kept.arrival), w->number);
          matcher.release(taken);
          waiting.erase(w);
        } else {
          posted.push_back(p);
        }
        break;
      }
      default: {  // a look, and now and then a change of mind
        uccs_message_info_t info;
        auto w = waiting.begin();
        while (w != waiting.end() && (w->source != source || w->tag != tag)) ++w;
        ASSERT_EQ(matcher.find(source, tag, UCCS_TAG_EXACT, &info), w != waiting.end());
        if (posted.size() > 20) {
          auto p = posted.begin();
          std::advance(p, random() % posted.size());
          ASSERT_TRUE(matcher.cancel(p->request));
          ASSERT_FALSE(matcher.cancel(p->request));
          posted.erase(p);
        }
      }
    }
  }
}

TEST(Matcher, KeepsABoundedNumber) {
  Matcher matcher;
  bool is_kept = true;
  size_t kept = 0;
  for (; kept <= kMaxUnexpected; ++kept) {
    const Message message(1, 5, kept);
    ASSERT_EQ(matcher.arrive(message.arrival, 0, &is_kept), nullptr);
    if (!is_kept) break;
  }
  EXPECT_EQ(kept, kMaxUnexpected);
  Request receive;
  fill(&receive, 1, 5, UCCS_TAG_EXACT);
  Unexpected* first = matcher.post(&receive);
  ASSERT_NE(first, nullptr);
  EXPECT_EQ(number_of(first->kept.arrival), 0u);
  matcher.release(first);
  const Message again(1, 5, 99);
  EXPECT_EQ(matcher.arrive(again.arrival, 0, &is_kept), nullptr);
  EXPECT_TRUE(is_kept) << "there is room for one again";
  size_t left = 0;
  while (Unexpected* message = matcher.take_any()) {
    matcher.release(message);
    ++left;
  }
  EXPECT_EQ(left, kMaxUnexpected);
}

TEST(Deferred, IsAQueueWithAnEnd) {
  auto deferred = std::make_unique<Deferred>();
  Kept kept;
  EXPECT_TRUE(deferred->is_empty());
  EXPECT_FALSE(deferred->pop(&kept));
  uint64_t pushed = 0, popped = 0;
  for (int lap = 0; lap < 3; ++lap) {
    for (;; ++pushed) {
      Message message(0, 7, pushed);
      message.arrival.payload = message.head + 8;  // inside the head, as a short payload is
      message.arrival.payload_bytes = 8;
      if (!deferred->push(message.arrival, 2)) break;
    }
    EXPECT_GT(pushed, popped);
    while (deferred->pop(&kept)) {
      EXPECT_EQ(number_of(kept.arrival), popped++);
      EXPECT_EQ(kept.arrival.payload, kept.arrival.head + 8) << "the copy points into itself";
      EXPECT_EQ(kept.link, 2);
    }
    EXPECT_EQ(popped, pushed);
  }
}

}  // namespace
