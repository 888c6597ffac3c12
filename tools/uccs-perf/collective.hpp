// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include "common.hpp"
#include "options.hpp"

namespace uccs::perf {

/// A collective of all ECs with its buffers, in symmetric memory. Made and destroyed collectively.
class Collective {
 public:
  Collective(Operation operation, size_t bytes, int procs);
  ~Collective();
  Collective(const Collective&) = delete;
  Collective& operator=(const Collective&) = delete;

  /// Calls it once. Roots take turns, so that a broadcast cannot run ahead in one direction.
  void call();

 private:
  Operation operation_;
  size_t bytes_;
  int procs_;
  int root_ = 0;
  uccs_context_t context_ = nullptr;  ///< only to allocate
  uccs_region_t region_ = nullptr;
  std::byte* source_ = nullptr;
  std::byte* dest_ = nullptr;
};

}  // namespace uccs::perf
