// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include <sys/types.h>

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "rte/identity.hpp"
#include "rte/packet.hpp"
#include "uccs/status.h"

namespace uccs::rte {

/// One piece of work for the delegate. Lives with the caller, until `is_done` is 1; the delegate
/// then never touches it again.
struct Command {
  PacketKind kind = PacketKind::kPut;
  int ec = 0;
  int tag = 0;
  const char* key = nullptr;   ///< NUL-terminated; kPut, kGet
  const void* data = nullptr;  ///< to put or send
  size_t bytes = 0;            ///< of `data`
  void* buffer = nullptr;      ///< for what a get or receive brings
  size_t capacity = 0;         ///< of `buffer`
  uint64_t deadline_ns = UINT64_MAX;

  // Results, valid once done.
  uccs_status_t status = UCCS_IN_PROGRESS;
  size_t bytes_out = 0;  ///< whole length, also when it was cut at `capacity`
  int ec_out = 0;
  int tag_out = 0;
  /// 0 -> 1 by the delegate, release; the caller's acquire load makes the results visible.
  std::atomic<uint32_t> is_done{0};

  // The delegate's own.
  uint64_t id = 0;
  uint64_t not_before_ns = 0;  ///< the next try of one that was refused
  bool is_canceled = false;    ///< the backend was asked to
};

/// The request that `command` makes.
Packet command_packet(const Command& command);

enum class EndAnswer {
  kTold,           ///< the launcher ends the job
  kAlreadyEnding,  ///< it does so already, for another reason: this process will be ended
  kCannot          ///< there is nobody to tell
};

/// A way to reach the job: our launcher, PMIx, ... One constant table each, no null slots.
struct Backend {
  const char* name;

  // In any thread.

  /// Takes what the launcher left in the environment. False if this launcher is not there; one
  /// that is there but unusable ends the process.
  bool (*adopt)(Identity* identity_out);
  void (*set_phase)(Phase phase);
  void (*set_activity)(const char* what);
  bool (*is_ending)();
  /// Tells the launcher to end the job, and to print `message` if not NULL. Must work while the
  /// delegate is stuck.
  EndAnswer (*tell_end)(int status, const char* message);
  /// The process of an EC of this node, 0 if not known (yet).
  pid_t (*ec_pid)(int ec);

  // In the delegate thread only.

  uccs_status_t (*open)();
  /// To poll for input beside the command queue; -1 if there is none.
  int (*fd)();
  /// Starts a command; calls `delegate_reply` for it now or later. False: busy, offer it again.
  bool (*post)(const Command& command);
  /// Asks for an early answer (UCCS_ERR_TIMEOUT) to a posted command. False: busy, ask again.
  bool (*cancel)(const Command& command);
  /// Handles what came in.
  void (*progress)();
  void (*close)();

  // In any thread.

  /// What must run in the background as long as this process lives, started by `serve`; then the
  /// delegate runs all the time, too. NULL: nothing must.
  void (*serve)();
  /// Ends the launcher's part of a process that has done well, once. NULL: nothing to do.
  void (*finish)();
};

/// The backend that `start` chose.
const Backend& backend();

extern const Backend kSingleBackend;
extern const Backend kLocalBackend;
extern const Backend kHubBackend;

}  // namespace uccs::rte
