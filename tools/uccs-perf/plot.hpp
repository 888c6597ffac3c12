// SPDX-License-Identifier: BSD-3-Clause
#pragma once

namespace uccs::perf {

/// Becomes the script that draws, installed beside this program. Returns never.
[[noreturn]] void become_plot(char** arguments);

}  // namespace uccs::perf
