// SPDX-License-Identifier: BSD-3-Clause
/// Messages: contents, order, credit classes that do not hold up each other, bounded memory,
/// sleeping.
#include <algorithm>
#include <cstring>
#include <ctime>
#include <thread>

#include "../spmd/rounds.h"
#include "base/backoff.hpp"
#include "base/clock.hpp"
#include "fixture.hpp"

namespace conformance {
namespace {

std::string text(size_t bytes, int seed) {
  std::string result(bytes, '\0');
  for (size_t i = 0; i < bytes; ++i) result[i] = static_cast<char>(seed * 7 + static_cast<int>(i));
  return result;
}

/// How long a post that must get through may be refused: on a network, until the peer's answer.
class Patience {
 public:
  bool lasts() {
    if (tries_++ % 64 == 63) std::this_thread::yield();
    return tries_ < 1000 || base::now_ns() < deadline_;
  }

 private:
  int tries_ = 0;
  uint64_t deadline_ = base::now_ns() + 5'000'000'000;
};

/// Refusals may be passing ones, and a network refuses while it connects: those that last for long
/// after something was sent are not.
class Full {
 public:
  void note_sent() { last_ns_ = base::now_ns(); }
  bool is_known() const { return last_ns_ != 0 && base::now_ns() > last_ns_ + 100'000'000; }

 private:
  uint64_t last_ns_ = 0;
};

uccs_status_t post(const Fixture& fixture, int ec, Envelope envelope, const std::string& head,
                   const std::vector<std::string>* pieces, size_t channel = 0) {
  std::vector<Piece> list;
  size_t bytes = 0;
  if (pieces)
    for (const std::string& piece : *pieces) {
      list.push_back({piece.data(), piece.size()});
      bytes += piece.size();
    }
  const Payload payload = {list.data(), list.size(), bytes};
  return fixture.table->message(fixture.channels[channel], ec, envelope, head.data(), head.size(),
                                pieces ? &payload : nullptr);
}

/// Posts and takes whatever arrives until it is taken.
void send(const Fixture& fixture, Collector& inbox, int ec, Envelope envelope,
          const std::string& head, const std::vector<std::string>* pieces = nullptr) {
  uccs_status_t status;
  while ((status = post(fixture, ec, envelope, head, pieces)) == UCCS_AGAIN)
    for (int lane = 0; lane < fixture.shape.lanes; ++lane) inbox.poll(lane);
  CHECK(status == UCCS_OK);
}
void wait_for(const Fixture& fixture, Collector& inbox, size_t count) {
  while (inbox.messages.size() < count)
    for (int lane = 0; lane < fixture.shape.lanes; ++lane) inbox.poll(lane);
}

/// Every class, lane, size of head and of payload, in one piece and in several.
void contents(Fixture& fixture) {
  for (int traffic = 0; traffic < kTrafficClasses; ++traffic)
    for (int lane = 0; lane < fixture.shape.lanes; ++lane) {
      std::vector<std::string> heads, payloads;
      Collector inbox(fixture);
      const auto one = [&](size_t head_bytes, const std::vector<size_t>* sizes) {
        const int kind = static_cast<int>(heads.size() % 32);
        const Envelope envelope(static_cast<Traffic>(traffic), lane, fixture.me % 64, kind,
                                static_cast<int>(heads.size() % 256));
        heads.push_back(text(head_bytes, fixture.me + kind));
        payloads.emplace_back();
        std::vector<std::string> pieces;
        if (sizes)
          for (const size_t bytes : *sizes) {
            pieces.push_back(text(bytes, static_cast<int>(bytes)));
            payloads.back() += pieces.back();
          }
        send(fixture, inbox, fixture.next(), envelope, heads.back(), sizes ? &pieces : nullptr);
      };
      for (size_t bytes = 0; bytes <= fixture.can.head_max; ++bytes) one(bytes, nullptr);
      const size_t most = fixture.can.medium_max;
      const std::vector<std::vector<size_t>> shapes = {{0},
                                                       {1},
                                                       {7},
                                                       {8},
                                                       {30},
                                                       {40},
                                                       {47},
                                                       {48},
                                                       {55},
                                                       {56},
                                                       {57},
                                                       {100},
                                                       {most - 1},
                                                       {most},
                                                       {},
                                                       {0, 5, 0},
                                                       {1, 2, 3, 4},
                                                       {most / 2, most / 2},
                                                       {3, 1000, 7, 64}};
      for (const size_t bytes :
           {size_t{0}, size_t{5}, size_t{8}, size_t{40}, size_t{fixture.can.head_with_payload_max}})
        for (const auto& shape : shapes) one(bytes, &shape);
      wait_for(fixture, inbox, heads.size());
      CHECK(inbox.messages.size() == heads.size());
      for (size_t i = 0; i < heads.size(); ++i) {
        const Message& got = inbox.messages[i];
        const int kind = static_cast<int>(i % 32);
        CHECK(got.source == fixture.previous() && got.source_lane == fixture.previous() % 64);
        CHECK(got.lane == lane && got.kind == kind && got.id == static_cast<int>(i % 256));
        CHECK(static_cast<int>(got.traffic) == traffic);
        CHECK(got.head == text(heads[i].size(), fixture.previous() + kind));
        CHECK(got.payload == payloads[i]);
      }
      fixture.barrier();
    }
}

/// Fills a class of an inbox whose owner does not look; the posts are refused, not queued; the
/// other classes and lanes still work; then everything arrives, in order.
void back_pressure(Fixture& fixture) {
  constexpr int kMost = 1000000;
  const int target = 0;
  fixture.barrier();
  for (int traffic = 0; traffic < kTrafficClasses; ++traffic) {
    uint64_t sent = 0;
    const bool is_sender = fixture.me == fixture.size - 1;
    if (is_sender) {
      const Envelope full(static_cast<Traffic>(traffic), 0, 0, 1, 1);
      for (Full is_full; !is_full.is_known() && sent < kMost;) {
        const std::string head(reinterpret_cast<const char*>(&sent), sizeof sent);
        const uccs_status_t status = post(fixture, target, full, head, nullptr);
        CHECK(status == UCCS_OK || status == UCCS_AGAIN);
        if (status == UCCS_OK) {
          ++sent;
          is_full.note_sent();
        }
      }
      CHECK(sent < kMost);
      for (int other = 0; other < kTrafficClasses; ++other) {
        if (other == traffic) continue;
        uccs_status_t status;
        for (Patience patience; patience.lasts();) {
          status =
              post(fixture, target, Envelope(static_cast<Traffic>(other), 0, 0, 2, 2), "", nullptr);
          if (status == UCCS_OK) break;
        }
        CHECK(status == UCCS_OK);
      }
    }
    const auto all = fixture.gather(&sent, sizeof sent);
    std::memcpy(&sent, all.data() + sizeof sent * static_cast<size_t>(fixture.size - 1),
                sizeof sent);
    if (fixture.me == target) {
      Collector inbox(fixture);
      wait_for(fixture, inbox, sent + 2);
      uint64_t expected = 0;
      for (const Message& message : inbox.messages) {
        if (message.kind == 2) continue;
        uint64_t number;
        CHECK(message.head.size() == sizeof number);
        std::memcpy(&number, message.head.data(), sizeof number);
        CHECK(number == expected++);
      }
      CHECK(expected == sent);
    }
    fixture.barrier();
  }
}

/// Payloads that are not released hold up further ones of their class and channel, and nothing
/// else.
void held_payloads(Fixture& fixture) {
  struct Holder {
    std::vector<void*> tokens;
    std::vector<const std::byte*> payloads;
    static bool arrive(void* self, const Arrival& arrival) {
      if (!arrival.token) return true;
      static_cast<Holder*>(self)->tokens.push_back(arrival.token);
      static_cast<Holder*>(self)->payloads.push_back(arrival.payload);
      return true;
    }
  } holder;
  const std::vector<std::string> pieces = {text(1000, fixture.me)};
  int sent = 0;
  for (Full is_full; !is_full.is_known();)
    if (post(fixture, fixture.next(), Envelope(Traffic::kRequest, 0, 0, 0, 0), "x", &pieces) ==
        UCCS_OK) {
      ++sent;
      is_full.note_sent();
      CHECK(sent < 100000);
    }
  const auto counts = fixture.gather(&sent, sizeof sent);
  int to_come;
  std::memcpy(&to_come, counts.data() + sizeof to_come * static_cast<size_t>(fixture.previous()),
              sizeof to_come);
  const Sink sink = {Holder::arrive, &holder};
  int taken = 0;
  while (taken < to_come)
    taken += fixture.table->progress(fixture.channels[0], 0, kAllTraffic, 16, sink);
  fixture.barrier();
  // Read, but not released: still refused, while another class, and messages without payload, pass.
  uccs_status_t status = UCCS_AGAIN;
  if (!holder.tokens.empty())
    for (int i = 0; i < 100; ++i)
      CHECK(post(fixture, fixture.next(), Envelope(Traffic::kRequest, 0, 0, 0, 0), "x", &pieces) ==
            UCCS_AGAIN);
  Collector inbox(fixture);
  send(fixture, inbox, fixture.next(), Envelope(Traffic::kReply, 0, 0, 3, 0), "y", &pieces);
  send(fixture, inbox, fixture.next(), Envelope(Traffic::kRequest, 0, 0, 4, 0), "z");
  wait_for(fixture, inbox, 2);
  fixture.barrier();
  for (size_t i = 0; i < holder.tokens.size(); ++i) {
    CHECK(std::memcmp(holder.payloads[i], text(1000, fixture.previous()).data(), 1000) == 0);
    fixture.table->release(fixture.instance, holder.tokens[i]);
  }
  fixture.barrier();
  for (Patience patience; status != UCCS_OK && patience.lasts();)
    status = post(fixture, fixture.next(), Envelope(Traffic::kRequest, 0, 0, 5, 0), "x", &pieces);
  CHECK(status == UCCS_OK);
  wait_for(fixture, inbox, 3);
  fixture.barrier();
}

/// A message that the sink leaves stays at the head; the budget is kept.
void left_in_place(Fixture& fixture) {
  Collector everything(fixture);
  for (int i = 0; i < 20; ++i)
    send(fixture, everything, fixture.next(), Envelope(Traffic::kSend, 0, 0, 0, i), "");
  fixture.barrier();
  Collector three(fixture, 3);
  const size_t already = everything.messages.size();
  while (three.messages.size() + already < 3) three.poll(0);
  for (int i = 0; i < 5; ++i) three.poll(0);
  CHECK(three.messages.size() <= 3);
  Collector some(fixture);
  const int got = some.poll(0, kAllTraffic, 2);
  CHECK(got <= 2);
  size_t total = everything.messages.size() + three.messages.size() + some.messages.size();
  Collector rest(fixture);
  while (total + rest.messages.size() < 20) rest.poll(0);
  int id = 0;
  for (const Collector* part : {&everything, &three, &some, &rest})
    for (const Message& message : part->messages) CHECK(message.id == id++);
  CHECK(id == 20);
  fixture.barrier();
}

/// A sleeper is woken by a message, or at the latest when its bounded sleep ends.
void sleeping(Fixture& fixture) {
  const int kRounds = rounds(50);
  Collector inbox(fixture);
  for (int round = 0; round < kRounds; ++round) {
    std::atomic<uint32_t>* doorbell = fixture.table->arm(fixture.instance, 0, true);
    if (!doorbell) {
      std::printf("SKIP sleeping: %s has no doorbell\n", fixture.name.c_str());
      fixture.table->arm(fixture.instance, 0, false);
      return;
    }
    const uint32_t seen = doorbell->load();
    fixture.barrier();
    send(fixture, inbox, fixture.next(), Envelope(Traffic::kRequest, 0, 0, 0, 0), "ring");
    base::Backoff backoff;
    while (inbox.messages.size() < static_cast<size_t>(round + 1)) {
      if (inbox.poll(0) == 0) backoff.pause_on(doorbell, seen);
    }
    CHECK(doorbell->load() != seen || fixture.size > 1 || inbox.messages.size() > 0);
    fixture.table->arm(fixture.instance, 0, false);
    fixture.barrier();
  }
  // Nothing comes any more: threads of the transport's sleep as well.
  const std::clock_t before = std::clock();
  base::sleep_for(300'000'000);
  CHECK(std::clock() - before < CLOCKS_PER_SEC / 10);
  fixture.barrier();
}

/// Threads with a channel each send and take at once; every message is taken once, in each sender's
/// order.
void threads(Fixture& fixture) {
  const int kEach = rounds(3000);
  const size_t count = fixture.channels.size();
  std::vector<Collector> inboxes(count, Collector(fixture));
  std::atomic<int> taken = 0;
  std::vector<std::thread> pool;
  for (size_t t = 0; t < count; ++t)
    pool.emplace_back([&, t] {
      const auto poll = [&] {
        for (int lane = 0; lane < fixture.shape.lanes; ++lane)
          taken += inboxes[t].poll(lane, kAllTraffic, 4, static_cast<int>(t));
      };
      for (uint64_t i = 0; i < static_cast<uint64_t>(kEach); ++i) {
        const std::string head(reinterpret_cast<const char*>(&i), sizeof i);
        const std::vector<std::string> pieces = {text(i % 300, 1)};
        const Envelope envelope(Traffic::kRequest, static_cast<int>(i) % fixture.shape.lanes,
                                static_cast<int>(t), 0, 0);
        uccs_status_t status;
        while ((status = post(fixture, fixture.next(), envelope, head, i % 3 ? nullptr : &pieces,
                              t)) == UCCS_AGAIN)
          poll();
        CHECK(status == UCCS_OK);
      }
      while (taken < static_cast<int>(count) * kEach) poll();
    });
  for (std::thread& thread : pool) thread.join();
  std::vector<uint64_t> sums(count, 0);
  size_t total = 0;
  for (const Collector& inbox : inboxes)
    for (const Message& message : inbox.messages) {
      uint64_t number;
      std::memcpy(&number, message.head.data(), sizeof number);
      sums[static_cast<size_t>(message.source_lane)] += number;
      CHECK(message.payload == (number % 3 ? std::string() : text(number % 300, 1)));
      ++total;
    }
  CHECK(total == count * kEach);
  for (const uint64_t sum : sums)
    CHECK(sum == static_cast<uint64_t>(kEach) * static_cast<uint64_t>(kEach - 1) / 2);
  fixture.barrier();
}

}  // namespace

const Case message_cases[] = {{"contents", contents},
                              {"back_pressure", back_pressure},
                              {"held_payloads", held_payloads},
                              {"left_in_place", left_in_place},
                              {"sleeping", sleeping},
                              {"threads", threads},
                              {nullptr, nullptr}};

}  // namespace conformance
