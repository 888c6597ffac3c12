// SPDX-License-Identifier: BSD-3-Clause
#pragma once

namespace uccs::rte {

/// Ends the process, with the remedy, when a launcher that this build cannot use started several
/// copies of it: each would run as EC 0 of 1. Being inside a batch allocation alone is no reason.
void reject_foreign_launcher();

}  // namespace uccs::rte
