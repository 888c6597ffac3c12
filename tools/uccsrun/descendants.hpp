// SPDX-License-Identifier: BSD-3-Clause
#pragma once

namespace uccs::run {

/// Sends `signal_number` to all processes below this one, as far as /proc shows them: those that
/// left their EC's process group, too.
void signal_descendants(int signal_number);

}  // namespace uccs::run
