// SPDX-License-Identifier: BSD-3-Clause
#pragma once

namespace uccs::info {

/// Prints what `oshmem_info` and `osh_info` of other implementations tell: versions, where things
/// are, languages, launcher, limits. `is_parsable`: name:value lines without blanks in the names.
void print_openshmem(bool is_parsable);

}  // namespace uccs::info
