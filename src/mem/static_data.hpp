// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include <cstddef>
#include <cstdint>

#include "uccs/status.h"

namespace uccs::mem {

/// The executable's writable data past RELRO (.data, .bss and what lies between), whole pages.
/// Empty when the executable has none. Shared libraries' data is not symmetric.
struct StaticRange {
  std::byte* low = nullptr;
  size_t bytes = 0;
  size_t file_bytes = 0;  ///< the first of them, initialised by the executable's file
};
StaticRange find_static_data();

/// Makes `range` shared: copies what it holds to `fd` at `offset` and maps that over it, so that
/// every EC which maps the file reaches this process's globals. Other threads must not write to the
/// executable's globals meanwhile: it is done when the library is loaded, before main.
uccs_status_t share_static_data(const StaticRange& range, int fd, uint64_t offset);

/// A forked child must get its own copy of the globals, as fork promises, and not share the
/// parent's. For pthread_atfork: prepare copies, the child maps the copy over, the parent drops it.
void static_data_before_fork();
void static_data_after_fork_in_parent();
void static_data_after_fork_in_child();

}  // namespace uccs::mem
