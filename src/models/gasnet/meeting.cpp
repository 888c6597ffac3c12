// SPDX-License-Identifier: BSD-3-Clause
#include "models/gasnet/meeting.hpp"

#include <string.h>

#include "base/log.hpp"
#include "coll/coll.hpp"
#include "coll/patterns/dissemination.hpp"
#include "core/context.hpp"
#include "core/job.hpp"
#include "core/remote.hpp"
#include "models/gasnet/job.hpp"
#include "rte/identity.hpp"
#include "uccs/am.h"

namespace uccs::gasnet {
namespace {

namespace patterns = coll::patterns;

constexpr uint64_t kCountBits = (uint64_t{1} << 30) - 1;
constexpr uint64_t kNamed = uint64_t{1} << 30;
constexpr uint64_t kMismatch = uint64_t{1} << 31;
constexpr uint64_t kNameBits = ~uint64_t{0} << 32;

/// Handlers of the job's context, which nobody else gives any.
constexpr int kWordId = 0;
constexpr int kQuitId = 1;
constexpr int kToldId = 2;

/// A word on its way to another node.
struct Letter {
  uint64_t number;
  uint64_t word;
  uint8_t occasion;
  uint8_t round;
};

std::atomic<int> told = 0;

Meeting& meeting_of(Occasion occasion) { return board->meetings[static_cast<int>(occasion)]; }

/// The word of those who know one or the other.
uint64_t joined(uint64_t word, uint64_t other) {
  word |= other & kMismatch;
  if (!(other & kNamed)) return word;
  if (!(word & kNamed)) return word | kNamed | (other & kNameBits);
  return (word & kNameBits) == (other & kNameBits) ? word : word | kMismatch;
}

void end_meeting(Meeting& meeting, uint64_t number, uint64_t word) {
  meeting.result.store(number << 1 | ((word & kMismatch) != 0), std::memory_order_release);
}

/// False: later.
bool send_word(Occasion occasion, const Meeting& meeting, uint64_t number) {
  const rte::Identity& me = rte::start();
  const int to = patterns::dissemination_to(me.node, me.num_nodes, meeting.round);
  const int ec = me.nodes[to].first;
  const Letter letter = {number, meeting.word, static_cast<uint8_t>(occasion),
                         static_cast<uint8_t>(meeting.round)};
  const uccs_status_t status =
      uccs_am_short_nb(core::remote_endpoint(ec), kWordId, &letter, sizeof letter, nullptr);
  if (status < 0)
    base::fatal("a barrier of GASNet cannot reach EC %d on %s: %s", ec, core::host_of(ec),
                uccs_status_string(status));
  return status == UCCS_OK;
}

/// Rounds, as far as they go now. With the lock held. False: something is to be sent later.
bool go_on(Occasion occasion, Meeting& meeting) {
  // Acquire: pairs with the store of who came last.
  const uint64_t number = meeting.under_way.load(std::memory_order_acquire);
  if (number == 0) return true;
  const int rounds = patterns::dissemination_rounds(rte::start().num_nodes);
  for (; meeting.round < rounds; ++meeting.round) {
    if (!meeting.has_sent && !send_word(occasion, meeting, number)) return false;
    meeting.has_sent = true;
    const Meeting::Heard& heard = meeting.heard[number & 1][meeting.round];
    // Acquire: pairs with on_word.
    if (heard.number.load(std::memory_order_acquire) != number) return true;
    meeting.word = joined(meeting.word, heard.word.load(std::memory_order_relaxed));
    meeting.has_sent = false;
  }
  const uint64_t word = meeting.word;
  meeting.under_way.store(0, std::memory_order_relaxed);
  end_meeting(meeting, number, word);
  return true;
}

/// Whoever finds the lock taken leaves it to the holder, who looks at the events again when it has
/// given the lock back. Sequentially consistent, so that one of the two sees the other.
void advance(Occasion occasion) {
  Meeting& meeting = meeting_of(occasion);
  for (;;) {
    if (meeting.under_way.load(std::memory_order_relaxed) == 0) return;
    if (meeting.is_locked.exchange(1, std::memory_order_seq_cst) != 0) return;
    const uint32_t seen = meeting.events.load(std::memory_order_seq_cst);
    const bool is_sent = go_on(occasion, meeting);
    meeting.is_locked.store(0, std::memory_order_seq_cst);
    if (!is_sent || meeting.events.load(std::memory_order_seq_cst) == seen) return;
  }
}

/// At a node's first EC, in whichever thread makes progress.
void on_word(const uccs_am_t* message, void*) {
  Letter letter;
  memcpy(&letter, message->header, sizeof letter);
  const auto occasion = static_cast<Occasion>(letter.occasion);
  Meeting& meeting = meeting_of(occasion);
  Meeting::Heard& heard = meeting.heard[letter.number & 1][letter.round];
  heard.word.store(letter.word, std::memory_order_relaxed);
  heard.number.store(letter.number, std::memory_order_release);
  meeting.events.fetch_add(1, std::memory_order_seq_cst);
  advance(occasion);
}

void on_quit(const uccs_am_t* message, void*) {
  if (raise_quit() && uccs_am_reply_short(message, kToldId, nullptr, 0) != UCCS_OK)
    base::log_line(base::LogLevel::kInfo, "EC %d does not learn that SIGQUIT was raised here",
                   message->source);
}

void on_told(const uccs_am_t*, void*) { told.fetch_add(1, std::memory_order_relaxed); }

}  // namespace

uccs_status_t open_meetings() {
  if (!core::job.is_spread) return UCCS_OK;
  uccs_context_t context = core::job_context();
  if (!context) {
    base::log_line(base::LogLevel::kError,
                   "gasnet_init: the job spans nodes, and no network joins them: %s",
                   core::why_no_network());
    return UCCS_ERR_UNSUPPORTED;
  }
  constexpr struct {
    int id;
    uccs_am_callback_t callback;
  } kHandlers[] = {{kWordId, on_word}, {kQuitId, on_quit}, {kToldId, on_told}};
  for (const auto& each : kHandlers) {
    const uccs_status_t status =
        uccs_am_register(context, each.id, each.callback, UCCS_AM_PROTOCOL, nullptr);
    if (status != UCCS_OK) return status;
  }
  coll::barrier(core::world_group());  // nobody sends before all have handlers
  return UCCS_OK;
}

uint64_t word_of_name(int id, int flags) {
  if (flags & GASNET_BARRIERFLAG_MISMATCH) return kMismatch;
  if (flags & GASNET_BARRIERFLAG_ANONYMOUS) return 0;
  return kNamed | uint64_t{static_cast<uint32_t>(id)} << 32;
}

void come_to(Occasion occasion, uint64_t number, uint64_t word) {
  Meeting& meeting = meeting_of(occasion);
  std::atomic<uint64_t>& arrivals = meeting.arrivals[number & 1].word;
  uint64_t before = arrivals.load(std::memory_order_relaxed);
  uint64_t after;
  // Acquire and release: the last to come passes on what all others wrote before they came.
  do after = joined(before, word) + 1;
  while (!arrivals.compare_exchange_weak(before, after, std::memory_order_acq_rel,
                                         std::memory_order_relaxed));
  if ((after & kCountBits) < static_cast<uint64_t>(rte::start().node_size)) return;
  // Nobody uses this word again before all have seen the next meeting end.
  arrivals.store(0, std::memory_order_relaxed);
  if (!core::job.is_spread) return end_meeting(meeting, number, after);
  meeting.word = after & ~kCountBits;
  meeting.round = 0;
  meeting.has_sent = false;
  meeting.under_way.store(number, std::memory_order_release);
  advance(occasion);
}

bool is_over(Occasion occasion, uint64_t number) {
  if (core::job.is_spread) [[unlikely]]
    advance(occasion);
  // Acquire: pairs with the release of the last to come.
  return meeting_of(occasion).result.load(std::memory_order_acquire) >> 1 == number;
}

bool has_mismatch(Occasion occasion) {
  return (meeting_of(occasion).result.load(std::memory_order_relaxed) & 1) != 0;
}

void advance_meetings() {
  advance(Occasion::kBarrier);
  advance(Occasion::kExit);
}

void signal_others() {
  const rte::Identity& me = rte::start();
  for (int ec = 0; ec < me.num_ecs; ++ec) {
    if (rte::node_of(ec) == me.node) continue;
    constexpr int kTries = 1000;  // a peer that takes nothing cannot be asked
    for (int i = 0; i < kTries; ++i) {
      if (uccs_am_short_nb(core::remote_endpoint(ec), kQuitId, nullptr, 0, nullptr) != UCCS_AGAIN)
        break;
      (void)uccs_progress(core::job_context());
    }
  }
}

int signalled() { return told.load(std::memory_order_relaxed); }

}  // namespace uccs::gasnet
