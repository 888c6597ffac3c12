// SPDX-License-Identifier: BSD-3-Clause
/// What is checked of the collectives, whoever plays the ECs: processes under uccsrun, or threads
/// of one process over an array of slots (tests/unit/coll_threads), which the thread sanitizer can
/// watch.
#pragma once
#include <cstddef>
#include <cstdint>
#include <functional>

#include "core/group.hpp"

namespace uccs::test {

constexpr size_t kAreaBytes = size_t{8} << 20;

/// One EC as the cases see it.
struct Ec {
  int me = 0;
  int size = 1;
  core::Group* world = nullptr;
  std::byte* heap = nullptr;     ///< symmetric memory of kAreaBytes
  std::byte* statics = nullptr;  ///< symmetric static data of kAreaBytes, where there is any
  int effort = 100;              ///< per cent of the usual repetitions
  std::function<void()> adopt_thread = [] {};  ///< what a new thread of this EC does first
};

/// A case and its name; all ECs run it.
struct Case {
  const char* name;
  void (*run)(Ec& ec);
};
extern const Case kCases[];
extern const int kCaseCount;
extern const Case kWrongCases[];
extern const int kWrongCaseCount;

void broadcasts(Ec& ec);
void gathers(Ec& ec);
void alltoalls(Ec& ec);
void reductions(Ec& ec);
void scans(Ec& ec);
void crowds(Ec& ec);
void subsets(Ec& ec);
void back_to_back(Ec& ec);
void groups_come_and_go(Ec& ec);
void groups_run_out(Ec& ec);
void groups_in_threads(Ec& ec);
/// Wrong on purpose: one EC makes another call than the rest, or none.
void mismatch(Ec& ec);
void absence(Ec& ec);

/// Ends everything with a message unless the claim holds.
#define CHECK(claim)                                                  \
  do {                                                                \
    if (!(claim)) uccs::test::fail_check(__FILE__, __LINE__, #claim); \
  } while (0)
[[noreturn]] void fail_check(const char* file, int line, const char* claim);

}  // namespace uccs::test
