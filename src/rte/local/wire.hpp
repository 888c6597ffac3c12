// SPDX-License-Identifier: BSD-3-Clause
/// What uccsrun and the ECs it started share: the hand-over in the environment and the board.
/// The launcher includes this header, rte/packet.hpp (what goes over the control socket),
/// rte/exchange.hpp (which answers it) and rte/phase.hpp: the one exception to "tools see public
/// headers only".
#pragma once
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstring>

namespace uccs::rte::local {

/// The hand-over: "2:<ec>:<n>:<segment fd>:<board fd>:<control fd>:<lifeline fd>:<job id, hex>".
///   segment  memfd, sparse, sealed against resizing; the ECs' own, the launcher never looks inside
///   board    memfd, sealed; one BoardJob, then n BoardEc
///   control  end of a SOCK_SEQPACKET pair to the launcher, one per EC
///   lifeline reading end of a pipe that the launcher holds and never writes to, one per EC
constexpr const char* kJobVariable = "UCCS_LOCAL_JOB";
constexpr int kHandOverVersion = 2;
constexpr int kEcsMax = 4096;

struct HandOver {
  int ec = 0;
  int num_ecs = 0;
  int segment_fd = -1;
  int board_fd = -1;
  int control_fd = -1;
  int lifeline_fd = -1;
  uint64_t job_id = 0;
};

/// False unless `text` is exactly of the form above, with numbers in range.
bool parse_hand_over(const char* text, HandOver* out);

/// Room for the longest hand-over.
constexpr size_t kHandOverMax = 96;

inline int print_hand_over(const HandOver& hand_over, char text[kHandOverMax]) {
  return snprintf(text, kHandOverMax, "%d:%d:%d:%d:%d:%d:%d:%016llx", kHandOverVersion,
                  hand_over.ec, hand_over.num_ecs, hand_over.segment_fd, hand_over.board_fd,
                  hand_over.control_fd, hand_over.lifeline_fd,
                  static_cast<unsigned long long>(hand_over.job_id));
}

constexpr uint64_t kBoardMagic = 0x3144524f42534355;  // "UCSBORD1"

/// How far the end of the job is. The first EC that wants it claims it, tells the launcher, then
/// announces it: who leaves because of the announcement, or wants the same, cannot be taken for the
/// cause.
enum class Ending : uint32_t { kNo = 0, kClaimed = 1, kAnnounced = 2 };

/// Written by the launcher before any EC starts, but for `ending`.
struct alignas(128) BoardJob {
  uint64_t magic;
  uint64_t job_id;
  uint32_t num_ecs;
  uint32_t launcher_pid;
  uint32_t cpus;  ///< in the launcher's affinity mask: what the ECs share, before they are bound
  std::atomic<uint32_t> ending;  ///< Ending
};

/// One per EC, written by it, read by the launcher for its reports: a text that is torn because it
/// changes meanwhile is harmless.
struct alignas(128) BoardEc {
  std::atomic<uint32_t> pid;                ///< 0 until a process has claimed the EC
  std::atomic<uint32_t> phase;              ///< rte::Phase
  std::atomic<uint64_t> activity_since_ns;  ///< CLOCK_MONOTONIC; 0: no activity
  std::atomic<uint64_t> activity_count;     ///< activities begun so far: is it stuck or moving?
  std::atomic<uint64_t> activity_text[8];   ///< NUL-terminated
};
static_assert(sizeof(BoardJob) == 128 && sizeof(BoardEc) == 128);
static_assert(std::atomic<uint64_t>::is_always_lock_free);

constexpr size_t kActivityBytes = sizeof BoardEc::activity_text;

constexpr size_t board_bytes(int num_ecs) {
  return sizeof(BoardJob) + static_cast<size_t>(num_ecs) * sizeof(BoardEc);
}

/// Pairs with the release in announce_end.
inline bool is_end_announced(const BoardJob& board) {
  return board.ending.load(std::memory_order_acquire) == static_cast<uint32_t>(Ending::kAnnounced);
}

/// True for the one who is to tell the launcher.
inline bool claim_end(BoardJob* board) {
  uint32_t expected = static_cast<uint32_t>(Ending::kNo);
  return board->ending.compare_exchange_strong(expected, static_cast<uint32_t>(Ending::kClaimed));
}

/// Release: what the launcher was told is in its socket before anybody sees the announcement.
inline void announce_end(BoardJob* board) {
  board->ending.store(static_cast<uint32_t>(Ending::kAnnounced), std::memory_order_release);
}

inline BoardEc* board_ec(BoardJob* board, int ec) {
  return reinterpret_cast<BoardEc*>(board + 1) + ec;
}

inline void write_activity(BoardEc* line, const char* what) {
  char text[kActivityBytes] = "";
  strncpy(text, what, sizeof text - 1);
  for (size_t i = 0; i < kActivityBytes / 8; ++i) {
    uint64_t word;
    memcpy(&word, text + 8 * i, 8);
    line->activity_text[i].store(word, std::memory_order_relaxed);
  }
}

inline void read_activity(const BoardEc& line, char text_out[kActivityBytes]) {
  for (size_t i = 0; i < kActivityBytes / 8; ++i) {
    const uint64_t word = line.activity_text[i].load(std::memory_order_relaxed);
    memcpy(text_out + 8 * i, &word, 8);
  }
  text_out[kActivityBytes - 1] = '\0';
}

}  // namespace uccs::rte::local
