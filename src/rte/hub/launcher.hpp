// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include <cstddef>
#include <cstdint>
#include <string>

namespace uccs::rte::hub {

/// What another launcher says about this process.
struct Launched {
  int rank = 0;  ///< its number there, 0..size-1
  int size = 1;
  std::string id;            ///< tells this place in this job from all others
  bool is_one_node = false;  ///< the launcher says that all ranks are on one node
  std::string address;       ///< numeric address at which the launcher reaches this node, or ""
};

/// The little that is asked of a launcher that is not ours: who am I, one short text from rank 0 to
/// all, and the end. Everything else goes through the hub (hub.hpp). One constant table each, no
/// null slots. `deadline_ns`: when to give up with base::fatal.
struct Launcher {
  const char* name;  ///< of the backend: "pmi", "pmix"
  /// A look at the environment: did this launcher start this process?
  bool (*is_visible)();
  /// Names the place in the job as Launched::id does, without talking to anybody.
  std::string (*id)();
  /// Gets in touch. What cannot be used ends the process with the remedy.
  void (*open)(Launched* launched_out, uint64_t deadline_ns);
  /// Rank 0's `card` (kCardMax bytes at most, no blanks) becomes that of all. Collective.
  void (*share)(std::string* card, uint64_t deadline_ns);
  /// Called now and then, in any thread: keeps peace with an MPI library in this process.
  void (*attend)();
  /// Ends the job. In any thread; false if there is nobody to tell.
  bool (*abort)(int status, const char* message);
  /// The process ends well: the launcher is not to take its exit for a failure.
  void (*finish)();
  /// A file descriptor that hangs up when the launcher has gone; -1 if there is none. Not to be
  /// read from.
  int (*watch_fd)();
};

constexpr size_t kCardMax = 900;

extern const Launcher kPmiLauncher;
extern const Launcher kPmixLauncher;

/// The launcher that started this process, nullptr if none (or ours). A process that an EC has
/// started is no EC.
const Launcher* find_launcher();

}  // namespace uccs::rte::hub
