// SPDX-License-Identifier: BSD-3-Clause
#pragma once

namespace uccs::info {

/// Checks what UCCS asks of this machine and this session, one line each with the remedy. Returns
/// the number of checks that failed; warnings are none.
int run_doctor();

}  // namespace uccs::info
