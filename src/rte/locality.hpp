// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include "uccs/rte.h"

namespace uccs::rte {

/// Where EC `ec` runs now, from the affinity mask of its process. Thread safe.
void find_locality(int ec, rte_locality_t* locality_out);

}  // namespace uccs::rte
